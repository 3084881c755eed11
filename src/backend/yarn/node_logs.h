// Logs of containers out of NodeManagers' web pages: what is not gathered, or not yet.
#pragma once

#include "cluster.h"
#include "log_store.h"

namespace howdah::yarnplace {

// Hands on a log file from `offset` on; false: no NodeManager of that name has it.
Result<bool> ReadNodeLog(Cluster& cluster, const LogFilePlace& place, int64_t offset,
                         const LogStore::OnBytes& on_bytes);

// Whether the ResourceManager has given the node up, so that what only it has will not come soon.
bool IsLost(Cluster& cluster, const std::string& node);

}  // namespace howdah::yarnplace
