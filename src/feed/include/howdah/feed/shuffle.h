// The order in which a shuffled feed hands out rows. Executors and the ledger compute it independently of each other.
#pragma once

#include <cstdint>
#include <vector>

namespace howdah::feed {

// The largest pool of a shuffled feed, in rows.
inline constexpr int64_t kLargestPool = int64_t{1} << 20;

// A window: the positions at <= position < at + rows of one lane (ledger.h). Its rows are handed out in an order that
// depends only on these fields.
struct Window {
  uint64_t seed = 0;  // of the feed
  int64_t pass = 0;
  int lane = 0;
  int64_t at = 0;
  int64_t rows = 0;  // at most kLargestPool
};

// The offsets of the window's rows in the order in which they are handed out: a permutation of 0 … rows - 1.
std::vector<int32_t> WindowOrder(const Window& window);

}  // namespace howdah::feed
