// Random numbers for jitter. They depend only on a seed, so that the same job with the same events makes the same
// decisions.
#pragma once

#include <cstdint>

#include "howdah/base/time.h"

namespace howdah::core::policy {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // splitmix64
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // Returns a random duration between 50 % and 150 % of d.
  Duration Jitter(Duration d) {
    const double factor = 0.5 + static_cast<double>(Next() >> 11) * 0x1.0p-53;
    return Duration(static_cast<int64_t>(static_cast<double>(d.count()) * factor));
  }

 private:
  uint64_t state_;
};

}  // namespace howdah::core::policy
