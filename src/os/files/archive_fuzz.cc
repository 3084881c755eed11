// Fuzzed input: an archive that a user submits.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/os/files/archive.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"

namespace howdah::os::files {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string root = "/dev/shm/howdah-fuzz-" + std::to_string(::getpid());
  const Fd file(::memfd_create("archive", MFD_CLOEXEC));
  if (::write(file.get(), data, size) != static_cast<ssize_t>(size)) return 0;
  const std::string target = root + "/target", archive = "/proc/self/fd/" + std::to_string(file.get());
  if (::mkdir(root.c_str(), 0700) != 0 || ::mkdir(target.c_str(), 0700) != 0) __builtin_trap();
  static_cast<void>(Unpack(archive, target, OutwardLinks::kRefuse, {.bytes = 1 << 20, .entries = 100}));
  static_cast<void>(RemoveTree(target));
  if (::rmdir(root.c_str()) != 0) __builtin_trap();  // an entry was written outside the target directory
  return 0;
}

}  // namespace howdah::os::files
