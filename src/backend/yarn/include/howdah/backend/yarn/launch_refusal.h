// Explains why a node refused to run a container. Pure.
#pragma once

#include <string>

namespace howdah::backend::yarn {

struct LaunchRefusal {
  // The node's own words with the setting that an administrator must change, such as "User ann not found; ...". Empty
  // if the diagnostics contain no known refusal.
  std::string text;
  // The cluster does not permit the container, so other nodes would refuse it, too.
  bool of_cluster = false;
};

// Finds the refusal in the diagnostics of a container or an AM. The texts are those of container-executor
// (container-executor.c, docker-util.c, mount-utils.c), of org.apache.hadoop.yarn.server.nodemanager and of docker, in
// Hadoop 2.10 to 3.5.
LaunchRefusal FindLaunchRefusal(const std::string& diagnostics);

}  // namespace howdah::backend::yarn
