// What is done with a job, wherever it was read from.
#pragma once

#include <functional>
#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/jobspec/job_file.h"
#include "connection.h"

namespace howdah::cli {

struct RunOptions {
  bool keep = false;  // the working directories stay
  bool json = false;  // prints the final status as JSON
  // Called as the status may have changed, until the job has ended; what it returns is shown as lines, if any. May be
  // empty.
  std::function<std::string(backend::Cluster& place, const JobId& id, const journal::JobView& view)> on_status;
};

// Submits it to the place, and follows it to its end; Ctrl-C stops it. The exit code is the job's.
int RunJob(Shell& shell, const jobspec::JobSpec& spec, const RunOptions& options);

// Prints what submitting it would do; the exit code says whether it would be done.
int ShowPlan(Shell& shell, const jobspec::ParsedJob& job, bool json);

}  // namespace howdah::cli
