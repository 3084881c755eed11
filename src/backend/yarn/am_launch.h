// What a NodeManager is told to start a task's executor. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "am_start.h"
#include "howdah/base/ids.h"
#include "howdah/hadoop/yarn.pb.h"
#include "howdah/hadooprpc/token.h"
#include "howdah/spec/job_spec.h"

namespace howdah::yarnplace {

// The command of a task's container. Every part is of letters, digits and "._:-[]": bash reads it twice on the way.
std::string TaskCommand(const JobId& job, const std::string& container, const std::string& role, int index,
                        const std::string& am_address);

// What an executor is given of the AM's credentials: tokens of file systems and the executors' identity. Neither the
// token with which the AM speaks to the ResourceManager nor its own keys.
hadooprpc::Credentials ExecutorCredentials(const hadooprpc::Credentials& of_am);

hadoop::yarn::ContainerLaunchContextProto TaskContext(const YarnAmStart& start, const std::string& role,
                                                      const std::string& command,
                                                      const hadooprpc::Credentials& credentials);

// YARN's docker runtime as it is asked for in a container's environment (DockerLinuxContainerRuntime).
std::vector<std::pair<std::string, std::string>> DockerEnvironment(const spec::Docker& docker);

}  // namespace howdah::yarnplace
