// Docker as YARN's container executor wants it told: by variables of the launch context.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn::client {

// DockerLinuxContainerRuntime's variables; none if the job names no image.
std::vector<std::pair<std::string, std::string>> DockerEnvironment(const jobspec::Docker& docker);

}  // namespace howdah::backend::yarn::client
