// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
#pragma once

#include <cstdint>

namespace howdah {

// The difference between consecutive states of the generator.
inline constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15;

// The number that follows from a state: a permutation of the numbers of 64 bits. Neighbouring states give numbers
// without a visible relation.
constexpr uint64_t SplitMix64(uint64_t state) {
  uint64_t z = state + kSplitMixStep;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace howdah
