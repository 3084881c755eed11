// The global ranks of a task's processes.
#pragma once

#include <vector>

#include "howdah/base/ids.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// By local rank: the chief first, then the other workers' roles in the order of the file, by index. Empty for services
// and sidecars. sizes: instances by role.
std::vector<int> RanksOf(const jobspec::JobSpec& spec, const std::vector<int>& sizes, TaskId task);

// The role whose first task has rank 0; -1: no role is ranked.
int FirstRankedRole(const jobspec::JobSpec& spec);

}  // namespace howdah::core
