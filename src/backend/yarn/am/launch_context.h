// The launch context with which a NodeManager starts an executor. Pure.
#pragma once

#include <string>

#include "howdah/backend/yarn/am_start.h"
#include "howdah/base/ids.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn::am {

struct LaunchedTask {
  ContainerId container;
  std::string role;
  int index = 0;
  std::string am_address;  // "10.0.0.7:40123"
};

// Returns a launch context for `howdah-agent task --yarn`, with the files of the task's role. credentials: the encoded
// credentials of the executor. access: the rights of the job. A NodeManager checks those of the launch context.
::hadoop::yarn::ContainerLaunchContextProto LaunchContext(const AmStart& start, const std::string& credentials,
                                                          const jobspec::Access& access, const LaunchedTask& task);

}  // namespace howdah::backend::yarn::am
