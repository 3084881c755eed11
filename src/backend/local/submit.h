// Submits a job to the local backend: creates its directory and starts its AM. The AM is detached from the client.
#pragma once

#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/backend/local/local_cluster.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// Returns when clients can reach the AM. A failed submission leaves no files and no processes. If the process ends
// during the submission, the next submission on this machine removes the files.
Result<JobId> SubmitLocally(const LocalOptions& options, const jobspec::JobSpec& spec,
                            const backend::SubmitOptions& submit);

// Returns the submitter's variables that tasks of the local backend inherit: PATH HOME USER LOGNAME SHELL LANG LC_* TZ
// TMPDIR LD_LIBRARY_PATH VIRTUAL_ENV CONDA_PREFIX, and those in `env_from`.
jobspec::EnvVars Inherited(const jobspec::EnvVars& environment, const std::vector<std::string>& env_from);

}  // namespace howdah::backend::local
