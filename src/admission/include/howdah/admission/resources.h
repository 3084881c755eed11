// Amounts of the resources that a cluster counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace howdah::admission {

// An amount may be negative: a node or a queue can be over its limit.
struct Resources {
  int64_t memory_mib = 0, vcores = 0, gpus = 0;
  std::map<std::string, int64_t> others = {};  // by type, without zeros

  Resources& operator+=(const Resources& more);
  Resources& operator-=(const Resources& less);
  friend Resources operator+(Resources a, const Resources& b) { return a += b; }
  friend Resources operator-(Resources a, const Resources& b) { return a -= b; }
  friend Resources operator*(Resources a, int64_t times);
  friend bool operator==(const Resources&, const Resources&) = default;
};

// Whether `room` has at least `wanted` of each resource that is wanted.
bool Fits(const Resources& wanted, const Resources& room);

// Formats "4 × 16 GiB, 2 vcores, 1 GPU" for people; the count is left out if it is 1, and so are amounts of zero.
std::string ToText(const Resources& each, int64_t count = 1);

}  // namespace howdah::admission
