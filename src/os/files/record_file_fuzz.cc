// Fuzzed input: the files events.bin and answers.bin.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "howdah/base/crc.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/record_file.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace howdah::os::files {
namespace {

constexpr size_t kMagic = 8, kHead = 12;

uint32_t Crc32c(const uint8_t* data, size_t size) {
  return CrcOf(Crc::kCrc32c, {reinterpret_cast<const char*>(data), size});
}

// Corrects the lengths and checksums of the records.
void Correct(uint8_t* data, size_t size) {
  for (size_t at = kMagic; at + kHead <= size;) {
    uint32_t length = 0;
    std::memcpy(&length, data + at, sizeof length);
    length = static_cast<uint32_t>(std::min<size_t>(length, size - at - kHead));
    std::memcpy(data + at, &length, sizeof length);
    const uint32_t crcs[] = {Crc32c(data + at, sizeof length), Crc32c(data + at + kHead, length)};
    std::memcpy(data + at + sizeof length, crcs, sizeof crcs);
    at += kHead + length;
  }
}

}  // namespace

// Corrects lengths and checksums after most mutations. Otherwise, almost every mutation would only cause a checksum
// error.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 4 != 0) Correct(data, size);
  return size;
}

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
