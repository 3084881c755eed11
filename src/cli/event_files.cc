#include "event_files.h"

#include "howdah/process/files.h"

namespace howdah::cli {

Result<int> CopyEventFiles(backend::Files& files, const std::string& from, const std::string& to) {
  const auto entries = files.List(from);
  if (!entries.ok()) return entries.error();
  int copied = 0;
  for (const backend::Files::Entry& entry : *entries) {
    const std::string path = from + "/" + entry.name, copy = to + "/" + entry.name;
    if (entry.directory) {
      if (const Status made = process::MakeDirectories(copy); !made.ok()) return made.error();
      const auto below = CopyEventFiles(files, path, copy);
      if (!below.ok()) return below.error();
      copied += *below;
    } else if (entry.name.find("tfevents") != std::string::npos) {
      const auto bytes = files.Read(path);
      if (!bytes.ok()) return bytes.error();
      if (const Status written = process::WriteFileAtomically(copy, *bytes, 0600); !written.ok())
        return written.error();
      ++copied;
    }
  }
  return copied;
}

}  // namespace howdah::cli
