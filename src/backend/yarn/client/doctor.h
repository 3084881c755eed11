// `howdah doctor --on yarn`: checks the agent, the configuration, the ResourceManager and the file system.
#pragma once

#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/client/yarn_cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/result.h"

namespace howdah::backend::yarn::client {

// cluster: the opened client, or the error of opening it.
std::vector<backend::Finding> CheckSetup(const YarnOptions& options, const Result<HadoopClient*>& cluster);

}  // namespace howdah::backend::yarn::client
