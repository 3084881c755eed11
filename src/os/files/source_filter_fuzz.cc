// Fuzzed input: a path in the first line, then a .gitignore file. The whole input is also used as a text for LastLines.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/os/files/files.h"
#include "howdah/os/files/last_lines.h"
#include "howdah/os/files/source_filter.h"

namespace howdah::os::files {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string root = "/dev/shm/howdah-fuzz-" + std::to_string(::getpid());
  ::mkdir(root.c_str(), 0700);
  if (!WriteFileAtomically(root + "/.gitignore", text.substr(end), 0600).ok()) __builtin_trap();
  SourceFilter filter(root);
  filter.Skips(text.substr(0, end), false);
  static_cast<void>(RemoveTree(root));
  LastLinesBuffer buffer(3);
  for (size_t at = 0; at < text.size(); at += 7) buffer.Add(std::string_view(text).substr(at, 7));
  if (buffer.text() != LastLines(text, 3)) __builtin_trap();
  return 0;
}

}  // namespace howdah::os::files
