#include "howdah/backend/yarn/container_exit_status.h"

namespace howdah::backend::yarn {
namespace {

using enum ContainerExitStatus;

constexpr ContainerExitMeaning kMeanings[] = {
    {kSuccess, "", "", true, false},
    {kAborted, "container lost", "was lost with its node", false, false},
    {kDisksFailed, "disks of the node failed", "was lost because the disks of its node failed", false, false},
    {kPreempted, "preempted by YARN", "was preempted for another queue", false, true},
    {kExceededVirtualMemory, "container exceeded its virtual memory limit and was killed by YARN",
     "was killed by YARN for exceeding its virtual memory limit", true, false},
    {kExceededMemory, "container exceeded its memory limit and was killed by YARN",
     "was killed by YARN for exceeding its memory limit", true, false},
    {kKilledByAppMaster, "container stopped by the application master", "was stopped by an application master", true,
     false},
    {kKilledByResourceManager, "container killed by the ResourceManager", "was killed by the ResourceManager", false,
     false},
    {kKilledAfterAppCompletion, "container killed when the application ended", "was killed when the application ended",
     true, false},
    {kKilledByContainerScheduler, "container killed by the scheduler of its node",
     "was killed by the scheduler of its node", false, true},
    {kKilledForExcessLogs, "container wrote more logs than the node allows", "wrote more logs than its node allows",
     true, false},
    {kInvalid, "container could not be started", "could not be started", true, false},
    {kLost, "exit status unknown because the NodeManager was restarted",
     "exited with an unknown status because the NodeManager was restarted", true, false},
};

}  // namespace

ContainerExitMeaning MeaningOf(int exit_status) {
  for (const ContainerExitMeaning& meaning : kMeanings) {
    if (static_cast<int>(meaning.status) == exit_status) return meaning;
  }
  return {static_cast<ContainerExitStatus>(exit_status), "", "", true, false};
}

}  // namespace howdah::backend::yarn
