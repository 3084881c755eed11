// The usage of each role of a job, for comparisons of runs. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/journal/job_view.h"
#include "json_text.h"

namespace howdah::portal {

// The usage of one role. A figure is nullopt if no task has it.
struct RoleUsage {
  std::string role;
  int64_t tasks = 0, failed = 0;
  int64_t restarts = 0;                                       // of single tasks
  std::optional<int64_t> memory_peak_bytes;                   // the highest of its tasks
  std::optional<int64_t> memory_bytes, vcores, gpus;          // granted per task: the highest
  std::optional<double> cpu_seconds;                          // the sum
  std::optional<double> gpu_utilisation, gpu_memory_average;  // the mean of its tasks, from 0 to 1
  std::optional<int64_t> step;                                // the lowest of its tasks
  friend bool operator==(const RoleUsage&, const RoleUsage&) = default;
};

// The roles in the order of the job file.
std::vector<RoleUsage> UsageByRole(const journal::JobView& view);
Json ToJson(const RoleUsage& usage);

}  // namespace howdah::portal
