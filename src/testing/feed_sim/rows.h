// The rows of the simulated source.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "howdah/feed/row_ranges.h"

namespace howdah::testing::feed_sim {

// One row, with the version of its content: attempts of a source that changes read other versions.
struct Row {
  feed::PartitionId partition = 0;
  int64_t number = 0;
  int version = 0;
  friend auto operator<=>(const Row&, const Row&) = default;
};

inline uint64_t DigestOf(const Row& row) {
  uint64_t z = static_cast<uint64_t>(row.partition * 1'000'003 + row.number * 7919 + row.version) + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  return z ^ (z >> 31);
}

inline uint64_t DigestOf(feed::PartitionId partition, feed::Rows rows, int version) {
  uint64_t sum = 0;
  for (int64_t row = rows.from; row < rows.to; ++row) sum += DigestOf(Row{partition, row, version});
  return sum;
}

}  // namespace howdah::testing::feed_sim
