#include "howdah/feed/shuffle.h"

#include <cstddef>
#include <numeric>
#include <utility>

#include "howdah/base/split_mix.h"

namespace howdah::feed {

std::vector<int32_t> WindowOrder(const Window& window) {
  uint64_t state = SplitMix64(window.seed);
  for (const int64_t part : {window.pass, int64_t{window.lane}, window.at}) {
    state = SplitMix64(state ^ static_cast<uint64_t>(part));
  }
  std::vector<int32_t> order(static_cast<std::size_t>(window.rows));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) {
    state = SplitMix64(state);
    std::swap(order[i - 1], order[state % i]);
  }
  return order;
}

}  // namespace howdah::feed
