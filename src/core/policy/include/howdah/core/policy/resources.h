// The resources that a task should request after its use has been measured. The advice in the status of a job and the
// findings of howdah::advice recommend the same amounts.
#pragma once

#include <cstdint>

namespace howdah::core::policy {

// A sufficient request is this many times the highest use, so that another run has some room.
inline constexpr double kSpareShare = 1.15;
// Amounts of memory are rounded up to a multiple of this step, unless the cluster's own step is larger.
inline constexpr int64_t kMemoryStep = int64_t{256} << 20;

// The memory that a task should request if it used `peak_bytes`. step_bytes: above 0.
int64_t EnoughMemory(int64_t peak_bytes, int64_t step_bytes = kMemoryStep);
// The cores that a task should request if it used this many; at least 1.
int EnoughCores(double used);

}  // namespace howdah::core::policy
