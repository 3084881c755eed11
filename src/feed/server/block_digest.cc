#include "block_digest.h"

#include <string_view>

#include "howdah/base/crc.h"

namespace howdah::feed::server {
namespace {

// A permutation of the numbers of 64 bits (SplitMix64), so that sums of digests do not depend on regular differences.
uint64_t Mixed(uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

}  // namespace

uint64_t DigestOf(int64_t first_row, int64_t rows, uint32_t crc) {
  return Mixed(Mixed((static_cast<uint64_t>(first_row) << 32) + crc) + static_cast<uint64_t>(rows));
}

uint32_t CrcOfBody(const BlockBody& body) {
  uint32_t crc = 0;
  for (const std::string_view part : body.parts()) crc = ContinuedCrc(Crc::kCrc32, crc, part);
  return crc;
}

}  // namespace howdah::feed::server
