// Fuzzed input: the output of a task that exports variables.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "exports.h"
#include "howdah/os/files/files.h"

namespace howdah::executor {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = "/dev/shm/howdah-fuzz-" + std::to_string(::getpid());
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!os::files::WriteFileAtomically(path, text, 0600).ok()) __builtin_trap();
  const auto found = FindExports(path, {{"ADDRESS", "address="}, {"PORT", "s="}});
  ::unlink(path.c_str());
  for (size_t i = 0; found.ok() && i < found->size(); ++i) {
    if ((*found)[i].second.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::executor
