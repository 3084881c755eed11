// What roles hand on to those that wait for their end: variables, found in their output (the job file's `exports`).
#pragma once

#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// By role: the variables that its task of index 0 has printed, in the order of its `exports`. Empty until it succeeds.
using Exports = std::vector<jobspec::EnvVars>;

// The variables that tasks of the role find, of all roles whose end it waits for: in the order of the file, so that of
// two with one name the later role's is the last.
jobspec::EnvVars ExportsFor(const jobspec::JobSpec& spec, const Exports& exports, int role);

}  // namespace howdah::core
