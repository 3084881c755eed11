// Variables that a role exports to the roles that start after it has finished (the job file's `exports`).
#pragma once

#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// By role: the variables that its task with index 0 has printed, in the order of its `exports`. Empty until it
// succeeds.
using Exports = std::vector<jobspec::EnvVars>;

// The variables for tasks of the role, from all roles that it starts after: in the order of the file, so that the last
// of two with the same name is the later role's.
jobspec::EnvVars ExportsFor(const jobspec::JobSpec& spec, const Exports& exports, int role);

}  // namespace howdah::core
