// The list of jobs: `howdah list`, and `howdah status` without an id.
#pragma once

#include "howdah/base/result.h"
#include "howdah/client/connection.h"

namespace howdah::cli::commands {

struct ListArguments {
  bool json = false, all = false;  // all: whether to list finished jobs, too
};

// Prints the jobs of the chosen backend, newest first. Returns the exit code.
Result<int> ListJobs(client::Connection& connection, const ListArguments& arguments);

}  // namespace howdah::cli::commands
