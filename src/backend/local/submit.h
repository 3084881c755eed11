// Submitting to the local place: the job's directory is made, and its AM started, detached from the client.
#pragma once

#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/backend/local/local_cluster.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// Returns once the AM runs and can be reached. Nothing is left of a submission that failed.
Result<JobId> SubmitLocally(const LocalOptions& options, const jobspec::JobSpec& spec,
                            const backend::SubmitOptions& submit);

// What tasks of the local place inherit of the submitter's environment: PATH HOME USER LOGNAME SHELL LANG LC_* TZ
// TMPDIR LD_LIBRARY_PATH VIRTUAL_ENV CONDA_PREFIX, and `env_from`.
jobspec::EnvVars Inherited(const jobspec::EnvVars& environment, const std::vector<std::string>& env_from);

}  // namespace howdah::backend::local
