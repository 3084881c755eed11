// Fetches the outputs of a job: `howdah outputs`, and `howdah run` at the end.
#pragma once

#include <string>

#include "howdah/backend/cluster.h"

namespace howdah::cli::commands {

// Copies the kept files to DIRECTORY/ROLE-INDEX/..., and prints how many there are. Returns whether there are any.
Result<bool> FetchOutputs(backend::Cluster& cluster, const JobId& id, const std::string& directory);

}  // namespace howdah::cli::commands
