#include "checkpoints.h"

#include <sys/stat.h>

#include "howdah/os/files/files.h"

namespace howdah::am {
namespace {

constexpr size_t kNameLimit = 10'000;

}  // namespace

std::optional<core::FinishPrepared::Checkpoint> NewestCheckpoint(const std::string& directory) {
  if (!directory.starts_with("/")) return std::nullopt;
  const auto names = os::files::ListDirectory(directory, kNameLimit);
  if (!names.ok()) return std::nullopt;
  std::optional<core::FinishPrepared::Checkpoint> newest;
  for (const std::string& name : *names) {
    struct stat info;
    if (lstat((directory + "/" + name).c_str(), &info) != 0) continue;
    const Instant written = ToInstant(info.st_mtim);
    if (!newest || written > newest->written) newest = {name, written};
  }
  return newest;
}

}  // namespace howdah::am
