// The header and the index of the file `metrics`. docs/metrics.md describes the format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "names.h"

namespace howdah::metrics {

inline constexpr size_t kHeaderSize = 36;

// The location of one part of the file. The part is compressed with zlib.
struct Region {
  uint64_t offset = 0;
  uint32_t size = 0;
  uint32_t raw_size = 0;  // the size after decompression
  uint32_t crc = 0;       // CRC-32C of the compressed bytes
};
inline constexpr uint32_t kRegionMax = 8U << 20, kRawMax = 32U << 20;

std::string EncodeHeader(const Region& index);
// Returns the location of the index.
Result<Region> DecodeHeader(std::string_view bytes);

struct FileIndex {
  struct Block {
    uint16_t role = 0;
    int32_t index = 0;  // the task's index
    Region region;
  };
  Instant begun;
  Duration width{0}, quantile_width{0};
  size_t buckets = 0, quantile_buckets = 0;
  Names names;
  std::vector<Block> tasks, roles;
};
inline constexpr size_t kBucketsMax = 4096;

std::string EncodeIndex(const FileIndex& index);
Result<FileIndex> DecodeIndex(std::string_view bytes);

}  // namespace howdah::metrics
