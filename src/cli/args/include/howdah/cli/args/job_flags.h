// The flags and arguments that describe a job.
#pragma once

#include "howdah/cli/args/syntax.h"
#include "howdah/client/job_request.h"

namespace howdah::cli::args {

// Declares the arguments of run, submit and plan: a job file and the flags that change it, or the flags that describe a
// job without a job file.
void AddJobRequest(Syntax& syntax, client::JobRequest& request);
// Returns the help text of --framework.
std::string FrameworkHelp();
// Whether the command also takes a job file, so that the help of a flag must exclude this combination.
enum class JobFile { kPossible, kNone };
// Declares the flags for size and environment of each task, for a job without a file.
void AddTaskFlags(Syntax& syntax, client::JobRequest& request, JobFile file);
void AddSource(Syntax& syntax, client::JobRequest& request, const std::string& help, JobFile file);

}  // namespace howdah::cli::args
