// Reads the environment variables that a NodeManager sets for a container.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/yarn/ids.h"

namespace howdah::backend::yarn::am {

struct ContainerEnvironment {
  hadoop::yarn::ContainerId container;
  std::string node_host;                // NM_HOST
  std::string token_file;               // HADOOP_TOKEN_FILE_LOCATION
  std::string proxy_base;               // APPLICATION_WEB_PROXY_BASE: "/proxy/application_…"; only set for an AM
  std::vector<std::string> log_dirs;    // LOG_DIRS: the log directories of this container
  std::vector<std::string> local_dirs;  // LOCAL_DIRS: the application's directories on this node
  std::string user;
};

// Returns kFailed with the names of the variables that are missing or malformed.
Result<ContainerEnvironment> ReadContainerEnvironment(
    const std::function<std::optional<std::string>(const std::string& name)>& environment);

}  // namespace howdah::backend::yarn::am
