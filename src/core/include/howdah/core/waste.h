// Resources that a role requested and did not use, or used without a request.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// The use of a role's tasks: each figure is the highest of all tasks.
struct RoleUse {
  int tasks = 0;
  Duration ran{};
  int64_t memory_peak_bytes = 0;
  double cpu_seconds = 0;
  int peak_task = 0;  // the index of the task with memory_peak_bytes
};

// Advice for a role that used much less than it requested: smaller values for the job file, and the amount that they
// would free. Empty if there is nothing to advise, or if the role ran for too short a time.
std::string WasteText(const jobspec::RoleSpec& role, const RoleUse& use);

// Advice for a role if one of its tasks used clearly more memory than requested: the task, and a sufficient value for
// the job file. Empty if there is no such task.
std::string OveruseText(const jobspec::RoleSpec& role, const RoleUse& use);

}  // namespace howdah::core
