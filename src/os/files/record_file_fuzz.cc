// events.bin and answers.bin.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/os/files/fd.h"
#include "howdah/os/files/record_file.h"

namespace howdah::os::files {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Fd file(::memfd_create("records", MFD_CLOEXEC));
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return 0;
  size_t read = 0;
  static_cast<void>(ReadRecords("/proc/self/fd/" + std::to_string(file.get()), [&](std::string_view record) -> Status {
    read += record.size();
    return {};
  }));
  if (read > text.size()) __builtin_trap();
  return 0;
}

}  // namespace howdah::os::files
