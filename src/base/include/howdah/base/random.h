// Pseudo-random numbers for simulations: one seed determines the whole run, on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "howdah/base/split_mix.h"
#include "howdah/base/time.h"

namespace howdah {

// SplitMix64: small, fast, and the same on every machine, unlike the distributions of <random>.
class Random {
 public:
  // The seed is mixed because neighbouring seeds would otherwise give the same sequence, shifted by one step.
  explicit Random(uint64_t seed) : state_(SplitMix64(seed - kSplitMixStep)) {}

  uint64_t Next() {
    const uint64_t number = SplitMix64(state_);
    state_ += kSplitMixStep;
    return number;
  }
  bool Chance(double p) { return static_cast<double>(Next() >> 11) < p * 9007199254740992.0; }
  // Both limits are included.
  int Between(int low, int high) { return low + static_cast<int>(Next() % static_cast<uint64_t>(high - low + 1)); }
  Duration Between(Duration low, Duration high) {
    return low + Duration(static_cast<int64_t>(Next() % static_cast<uint64_t>((high - low).count() + 1)));
  }
  template <typename T>
  const T& Pick(const std::vector<T>& of) {
    return of[Next() % of.size()];
  }

 private:
  uint64_t state_;
};

}  // namespace howdah
