// The exit statuses that YARN gives to containers. One table has the meaning of each status, and whether a restart
// after it is charged to the task. Pure.
#pragma once

#include <string_view>

namespace howdah::backend::yarn {

// org.apache.hadoop.yarn.api.records.ContainerExitStatus and ContainerExecutor.ExitCode.LOST. Other values are exit
// codes of the container's own process.
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
  std::string_view of_am;    // a predicate: "was preempted for another queue"
  bool charged;              // if false, an infrastructure failure, which is not charged to the task or the AM
  bool preempted;            // YARN took the container, or its resources, for others
};

// Returns the row of a status. For a code that YARN does not define, returns a row that is charged and has no texts.
ContainerExitMeaning MeaningOf(int exit_status);

}  // namespace howdah::backend::yarn
