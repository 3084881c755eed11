// The flags and arguments that describe a job.
#pragma once

#include "howdah/cli/args/syntax.h"
#include "howdah/client/job_request.h"

namespace howdah::cli::args {

// A job file with changes, or a job without a file: for run, submit and plan.
void AddJobRequest(Syntax& syntax, client::JobRequest& request);
// The size and environment of each task of a job without a file.
void AddTaskFlags(Syntax& syntax, client::JobRequest& request);
void AddSource(Syntax& syntax, client::JobRequest& request, const std::string& help);

}  // namespace howdah::cli::args
