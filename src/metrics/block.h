// The blocks of the file `metrics`: the tracks of one task, or the quantiles of one role. docs/metrics.md describes the
// format.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bucket.h"
#include "howdah/base/result.h"
#include "howdah/metrics/table.h"
#include "names.h"
#include "task_data.h"

namespace howdah::metrics {

// One track as a value. All vectors have the job's number of buckets, or are empty.
struct TrackBlock {
  uint16_t series = 0;
  int16_t rank = Track::kNoRank;
  uint8_t reason = 0;
  uint8_t capacity = 0;
  std::vector<Bucket> buckets;
  std::vector<int64_t> step;  // only for series "metric.NAME"
  std::optional<double> last;
  std::optional<int64_t> last_step;
};

struct QuantileTrack {
  uint16_t series = 0;
  std::vector<QuantileBucket> buckets;
};

// The tables and sizes that are needed to check the numbers in a block.
struct BlockContext {
  std::span<const Series> series;
  size_t reasons = 0, capacities = 0;
  size_t buckets = 0;  // the number of buckets of every track
  // The memory, in bytes, that is left for all blocks that are read together. Reading a block decreases it.
  int64_t* budget = nullptr;
};

std::string EncodeTracks(const std::vector<TrackBlock>& tracks, const BlockContext& context);
Result<std::vector<TrackBlock>> DecodeTracks(std::string_view bytes, const BlockContext& context);
std::string EncodeQuantiles(const std::vector<QuantileTrack>& tracks, const BlockContext& context);
Result<std::vector<QuantileTrack>> DecodeQuantiles(std::string_view bytes, const BlockContext& context);

// Replaces each group of `size` neighbouring buckets by one bucket.
void GroupBuckets(TrackBlock& track, size_t size);
void GroupBuckets(QuantileTrack& track, size_t size);

// Compresses and decompresses with zlib. Decompress returns an error unless the result has exactly `size` bytes.
std::string Compress(std::string_view bytes);
Result<std::string> Decompress(std::string_view bytes, size_t size);

}  // namespace howdah::metrics
