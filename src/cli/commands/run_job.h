// Runs a job that has been checked, or prints its plan.
#pragma once

#include <functional>
#include <string>

#include "howdah/client/connection.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::cli::commands {

struct RunOptions {
  bool keep = false;                          // whether to keep the tasks' working directories
  bool json = false;                          // whether to print the final status as JSON
  bool timestamps = false;                    // whether to begin each line of output with the time of its arrival
  std::string outputs_directory = "outputs";  // where to put the outputs of the job
  // Called when the status may have changed, until the job has ended. The returned lines are printed. May be empty.
  std::function<std::string(backend::Cluster& cluster, const JobId& id, const journal::JobView& view)> on_status;
};

// Submits the job and follows it to its end. Ctrl-C stops the job. Returns the job's exit code.
Result<int> RunJob(client::Connection& connection, const jobspec::JobSpec& spec, const RunOptions& options);

// Prints what submitting the job would do. The exit code shows whether it would be accepted.
Result<int> ShowPlan(client::Connection& connection, const jobspec::ParsedJob& job, bool json);

}  // namespace howdah::cli::commands
