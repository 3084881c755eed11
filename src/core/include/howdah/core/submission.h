// The first line of a job's journal.
#pragma once

#include <string>

#include "howdah/core/change.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// The submission of a job. on: the backend, "local" or "yarn". user, host: who submits the job, and on which machine.
JobSubmitted SubmissionOf(const jobspec::JobSpec& spec, const std::string& id, const std::string& on,
                          const std::string& user, const std::string& host);

}  // namespace howdah::core
