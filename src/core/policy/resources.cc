#include "howdah/core/policy/resources.h"

#include <algorithm>
#include <cmath>

namespace howdah::core::policy {

int64_t EnoughMemory(int64_t peak_bytes, int64_t step_bytes) {
  constexpr int64_t kMost = int64_t{1} << 60;  // limits values from a damaged record
  const int64_t peak = std::min(peak_bytes, kMost);
  const auto wanted = static_cast<int64_t>(std::ceil(static_cast<double>(peak) * kSpareShare));
  return (wanted + step_bytes - 1) / step_bytes * step_bytes;
}

int EnoughCores(double used) { return std::max(1, static_cast<int>(std::ceil(used * kSpareShare))); }

}  // namespace howdah::core::policy
