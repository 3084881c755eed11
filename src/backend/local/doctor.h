// `howdah doctor` on this machine: checks the agent, HOWDAH_HOME, the machine's limits, and the jobs.
#pragma once

#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/local/local_cluster.h"

namespace howdah::backend::local {

std::vector<backend::Finding> CheckSetup(const LocalOptions& options);

}  // namespace howdah::backend::local
