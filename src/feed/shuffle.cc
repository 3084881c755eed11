#include "howdah/feed/shuffle.h"

#include <cstddef>
#include <numeric>
#include <utility>

namespace howdah::feed {
namespace {

// splitmix64
uint64_t Mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

std::vector<int32_t> WindowOrder(const Window& window) {
  uint64_t state = Mix(window.seed);
  for (const int64_t part : {window.pass, int64_t{window.lane}, window.at}) {
    state = Mix(state ^ static_cast<uint64_t>(part));
  }
  std::vector<int32_t> order(static_cast<std::size_t>(window.rows));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) {
    state = Mix(state);
    std::swap(order[i - 1], order[state % i]);
  }
  return order;
}

}  // namespace howdah::feed
