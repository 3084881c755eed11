// Changes the size of a role of a running job.
#pragma once

#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::cli::commands {

// Orders the new number of tasks and prints that. command: for the job's journal, as in "howdah scale".
Status ScaleRole(backend::Cluster& cluster, const JobId& id, const std::string& role, int instances,
                 const std::string& command);

}  // namespace howdah::cli::commands
