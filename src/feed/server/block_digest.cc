#include "block_digest.h"

#include <string_view>

#include "howdah/base/crc.h"
#include "howdah/base/split_mix.h"

namespace howdah::feed::server {

// The permutations make sums of digests independent of regular differences.
uint64_t DigestOf(int64_t first_row, int64_t rows, uint32_t crc) {
  return SplitMix64(SplitMix64((static_cast<uint64_t>(first_row) << 32) + crc) + static_cast<uint64_t>(rows));
}

uint32_t CrcOfBody(const BlockBody& body) {
  uint32_t crc = 0;
  for (const std::string_view part : body.parts()) crc = ContinuedCrc(Crc::kCrc32, crc, part);
  return crc;
}

}  // namespace howdah::feed::server
