// Reads the credentials and the Hadoop configuration that the client passed to a container.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::backend::yarn::am {

Result<hadoop::rpc::Credentials> ReadCredentials(const std::string& path);

// Reads the credentials of this process's container.
Result<hadoop::rpc::Credentials> OwnCredentials(const hadoop::conf::Environment& environment);

// Reads the configuration that the client staged at this path. The node's own configuration may be missing or describe
// another cluster.
Result<hadoop::conf::Configuration> ReadStagedConfiguration(const hadoop::conf::Environment& environment,
                                                            const std::string& path);

}  // namespace howdah::backend::yarn::am
