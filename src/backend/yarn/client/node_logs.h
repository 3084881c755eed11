// Logs of containers out of NodeManagers' web pages: what is not gathered, or not yet.
#pragma once

#include "howdah/backend/yarn/hadoop_client.h"
#include "log_store.h"

namespace howdah::backend::yarn::client {

// Hands on a log file from `offset` on; false: no NodeManager of that name has it.
Result<bool> ReadNodeLog(HadoopClient& cluster, const LogFileLocation& place, int64_t offset,
                         const LogStore::OnBytes& on_bytes);

// Whether the ResourceManager has given the node up, so that what only it has will not come soon.
bool IsNodeLost(HadoopClient& cluster, const std::string& node);

}  // namespace howdah::backend::yarn::client
