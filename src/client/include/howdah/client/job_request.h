// The job that run, submit and plan are about.
#pragma once

#include <string>
#include <vector>

#include "syntax.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::cli {

// Reads the job file, or makes one of the flags. The result's problems are all that is wrong with it; an error is wrong
// usage, or a file that cannot be read.
Result<jobspec::ParsedJob> ReadJob(const JobArguments& arguments);

// The submitting environment: its variables, its files, relative paths from the current directory.
jobspec::SubmitHost SurroundingsHere(std::string file_name);

// Tells the problems on stderr, a line each.
void TellProblems(const std::vector<jobspec::Problem>& problems);

}  // namespace howdah::cli
