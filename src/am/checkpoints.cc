#include "checkpoints.h"

#include <sys/stat.h>

#include "howdah/os/files/files.h"

namespace howdah::am {
namespace {

constexpr size_t kNameLimit = 10'000;

}  // namespace

std::string NewestCheckpoint(const std::string& directory, Instant end) {
  if (!directory.starts_with("/")) return "";
  const auto names = os::files::ListDirectory(directory, kNameLimit);
  if (!names.ok()) return "";
  std::string newest;
  Instant newest_time;
  for (const std::string& name : *names) {
    struct stat info;
    if (lstat((directory + "/" + name).c_str(), &info) != 0) continue;
    const Instant time(std::chrono::seconds(info.st_mtim.tv_sec) +
                       std::chrono::microseconds(info.st_mtim.tv_nsec / 1000));
    if (!newest.empty() && time <= newest_time) continue;
    newest = name;
    newest_time = time;
  }
  if (newest.empty()) return "";
  return "the newest checkpoint is " + newest + " in " + directory + ", written " + FormatDuration(end - newest_time) +
         " before the end";
}

}  // namespace howdah::am
