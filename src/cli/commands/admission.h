// A job that may be submitted: its file is right, and the place can give what it asks.
#pragma once

#include <variant>

#include "syntax.h"
#include "howdah/jobspec/job_file.h"
#include "connection.h"

namespace howdah::cli {

// The job, or the exit code once everything that is wrong has been told: problems of the file (2) before those of the
// place (3).
std::variant<jobspec::JobSpec, int> AdmittedJob(Shell& shell, const JobArguments& arguments);

// The same for a job that has been read already.
std::variant<jobspec::JobSpec, int> Admit(Shell& shell, jobspec::ParsedJob job);

// Submits it, showing how far its files are copied where that takes long.
Result<JobId> SubmitShowing(backend::Cluster& place, const jobspec::JobSpec& spec, bool keep);

}  // namespace howdah::cli
