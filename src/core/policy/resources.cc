#include "howdah/core/policy/resources.h"

#include <algorithm>
#include <cmath>

namespace howdah::core::policy {

int64_t EnoughMemory(int64_t peak_bytes, int64_t step_bytes) {
  const auto wanted = static_cast<int64_t>(std::ceil(static_cast<double>(peak_bytes) * kSpareShare));
  return (wanted + step_bytes - 1) / step_bytes * step_bytes;
}

int EnoughCores(double used) { return std::max(1, static_cast<int>(std::ceil(used * kSpareShare))); }

}  // namespace howdah::core::policy
