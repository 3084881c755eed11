// Checks jobs before submission and prints every problem on stderr.
#pragma once

#include <functional>
#include <variant>

#include "howdah/client/connection.h"
#include "howdah/client/job_request.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::cli::commands {

// Returns the job. If it has problems, prints them and returns the exit code. Problems of the file (exit code 2) are
// printed before those of the backend (exit code 3).
Result<std::variant<jobspec::JobSpec, int>> AdmittedJob(client::Connection& connection,
                                                        const client::JobRequest& request);

// Same as AdmittedJob, for a job that has already been parsed.
Result<std::variant<jobspec::JobSpec, int>> Admit(client::Connection& connection, jobspec::ParsedJob job);

// Prints problems, or hints, one per line. Below a syntax error follows its excerpt.
void PrintProblems(const std::vector<keyfile::Problem>& problems);

// Submits the job, with a progress bar if the upload takes long. before_start: as in backend::SubmitOptions.
Result<JobId> Submit(backend::Cluster& cluster, const jobspec::JobSpec& spec, bool keep,
                     std::function<void()> before_start = nullptr);

}  // namespace howdah::cli::commands
