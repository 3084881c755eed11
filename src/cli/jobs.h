// What is done with a job, wherever it was read from.
#pragma once

#include "howdah/spec/job_file.h"
#include "shell.h"

namespace howdah::cli {

// Submits it to the place, and follows it to its end; Ctrl-C stops it. The exit code is the job's.
int RunJob(Shell& shell, const spec::JobSpec& spec, bool keep, bool json);

// Prints what submitting it would do; the exit code says whether it would be done.
int ShowPlan(Shell& shell, const spec::ParsedJob& job, bool json);

}  // namespace howdah::cli
