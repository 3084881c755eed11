// Reads the environment variables that a NodeManager sets for a container, and the credentials and the Hadoop
// configuration that the client passed to it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/rpc/token.h"
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

Result<hadoop::rpc::Credentials> ReadCredentials(const std::string& path);

// Reads the credentials of this process's container, with the newer tokens that it has received. The container's
// directory must be the current directory.
Result<hadoop::rpc::Credentials> OwnCredentials(const hadoop::conf::Environment& environment);
// The path of newer tokens in a container's directory. The file exists only if the job has outlived the tokens of its
// submission.
inline constexpr char kNewerTokens[] = "howdah/newer.tokens";
bool HasNewerTokens();
// Stores newer tokens in the container's directory, for OwnCredentials.
Status WriteNewerTokens(const hadoop::rpc::Credentials& newer);

// Reads the configuration that the client staged at this path. The node's own configuration may be missing or describe
// another cluster.
Result<hadoop::conf::Configuration> ReadStagedConfiguration(const hadoop::conf::Environment& environment,
                                                            const std::string& path);

}  // namespace howdah::backend::yarn::am
