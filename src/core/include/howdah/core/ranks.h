// The global ranks of a task's processes.
#pragma once

#include <vector>

#include "howdah/base/ids.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// The global ranks of the task's processes, by local rank. The chief role has the lowest ranks, followed by the other
// worker roles in the order of the job file; within a role, ranks follow the task index. Empty for tasks of other
// kinds, such as services and sidecars. sizes: the number of tasks by role.
std::vector<int> RanksOf(const jobspec::JobSpec& spec, const std::vector<int>& sizes, TaskId task);

// The role whose first task has rank 0; -1 if no role has ranks.
int FirstRankedRole(const jobspec::JobSpec& spec);

}  // namespace howdah::core
