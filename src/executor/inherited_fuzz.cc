// Fuzzed input: environment.json, the variables of the client's environment that a local job inherits.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/executor/inherited.h"
#include "howdah/os/files/fd.h"

namespace howdah::executor {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const os::files::Fd file(::memfd_create("environment", MFD_CLOEXEC));
  if (::write(file.get(), data, size) != static_cast<ssize_t>(size)) return 0;
  static_cast<void>(ReadInherited("/proc/self/fd/" + std::to_string(file.get())));
  return 0;
}

}  // namespace howdah::executor
