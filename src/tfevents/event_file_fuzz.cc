// Fuzzed input: an event file of TensorBoard, as a task's program writes it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "howdah/base/crc.h"
#include "howdah/tfevents/curve.h"
#include "howdah/tfevents/event_file.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace howdah::tfevents {
namespace {

constexpr size_t kHead = 12, kFoot = 4;

uint32_t MaskedCrc(const uint8_t* data, size_t size) {
  const uint32_t crc = CrcOf(Crc::kCrc32c, {reinterpret_cast<const char*>(data), size});
  return (crc >> 15 | crc << 17) + 0xA282EAD8U;
}

// Corrects the lengths and checksums of the records.
void Correct(uint8_t* data, size_t size) {
  for (size_t at = 0; at + kHead + kFoot <= size;) {
    uint64_t length = 0;
    std::memcpy(&length, data + at, sizeof length);
    length = std::min<uint64_t>(length, size - at - kHead - kFoot);
    std::memcpy(data + at, &length, sizeof length);
    const uint32_t head = MaskedCrc(data + at, sizeof length);
    std::memcpy(data + at + sizeof length, &head, sizeof head);
    const uint32_t foot = MaskedCrc(data + at + kHead, length);
    std::memcpy(data + at + kHead + length, &foot, sizeof foot);
    at += kHead + length + kFoot;
  }
}

std::vector<std::string> ScalarsOf(std::string_view bytes, size_t piece) {
  std::vector<std::string> scalars;
  Curve curve;
  EventFile file;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    file.Take(bytes.substr(at, piece), [&](std::string_view tag, const Point& point) {
      curve.Add(point);
      scalars.push_back(std::string(tag) + " " + std::to_string(point.step) + " " + std::to_string(point.value));
    });
  }
  if (file.size() != static_cast<int64_t>(bytes.size()) || curve.count() != static_cast<int64_t>(scalars.size()))
    __builtin_trap();
  return scalars;
}

}  // namespace

// Corrects lengths and checksums after most mutations. Otherwise, almost every mutation would only cause a checksum
// error.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 4 != 0) Correct(data, size);
  return size;
}

// The result must not depend on the pieces in which the bytes arrive.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = ScalarsOf(bytes, std::max<size_t>(1, size));
  if (ScalarsOf(bytes, 13) != whole) __builtin_trap();
  return 0;
}

}  // namespace howdah::tfevents
