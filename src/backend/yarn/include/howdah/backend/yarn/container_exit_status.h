// The exit statuses of YARN's containers. A table has the meaning of each status, and whether a restart after it is
// charged. Pure.
#pragma once

#include <string_view>

namespace howdah::backend::yarn {

// The values of org.apache.hadoop.yarn.api.records.ContainerExitStatus and ContainerExecutor.ExitCode.LOST. Other
// values are exit codes of the container's own process.
enum class ContainerExitStatus : int {
  kSuccess = 0,
  kAborted = -100,
  kDisksFailed = -101,
  kPreempted = -102,
  kExceededVirtualMemory = -103,
  kExceededMemory = -104,
  kKilledByAppMaster = -105,
  kKilledByResourceManager = -106,
  kKilledAfterAppCompletion = -107,
  kKilledByContainerScheduler = -108,
  kKilledForExcessLogs = -109,
  kInvalid = -1000,
  kLost = 154,
};

struct ContainerExitMeaning {
  ContainerExitStatus status;
  std::string_view of_task;  // a clause for people: "disks of the node failed"
  std::string_view of_am;    // a predicate about the AM: "was preempted for another queue"
  bool charged;              // false for infrastructure failures, after which a restart is free
  bool preempted;            // YARN stopped the container to use its resources for other applications
};

// Returns the meaning of a status. A status that YARN does not define counts as a
// failure of the task (`charged`), and its texts are empty.
ContainerExitMeaning MeaningOf(int exit_status);

}  // namespace howdah::backend::yarn
