// Variables that a role exports to the roles that start after it has finished (the job file's `exports`).
#pragma once

#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// By role: the variables that the role's task with index 0 has printed, in the order of the role's `exports`. Empty
// until process 0 of that task exits with 0.
using Exports = std::vector<jobspec::EnvVars>;

// The variables that tasks of the role receive: the exports of all roles that the role waits for directly (`after ...
// finished`), in the order of the job file. If two roles export the same name, the value of the later role comes last.
jobspec::EnvVars ExportsFor(const jobspec::JobSpec& spec, const Exports& exports, int role);

}  // namespace howdah::core
