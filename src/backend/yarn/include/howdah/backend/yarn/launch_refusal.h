// Explains why a node refused to run a container. Pure.
#pragma once

#include <string>

namespace howdah::backend::yarn {

// Returns the node's own words with the setting that an administrator must change, such as "User ann not found; ...".
// Returns an empty text if the diagnostics of a container or an AM contain no known refusal. The texts are those of
// container-executor (container-executor.c, docker-util.c), of org.apache.hadoop.yarn.server.nodemanager and of docker,
// in Hadoop 2.10 to 3.5.
std::string DescribeLaunchRefusal(const std::string& diagnostics);

}  // namespace howdah::backend::yarn
