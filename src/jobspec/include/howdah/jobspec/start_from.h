// Begins a job with a later role (`howdah run --from`).
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::jobspec {

// Removes the roles that must finish before `role` can start, directly or through other roles, as if they had finished.
// Returns kUsage, and leaves the job unchanged, if there is no such role, if it waits for no role to finish, or if a
// removed role has `exports` for a role that stays, and `env` does not set them instead.
Status StartFrom(JobSpec& spec, const std::string& role);

}  // namespace howdah::jobspec
