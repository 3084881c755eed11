// Actions: the orders of the core. The shell (the AM) carries them out in the order of the list, and reports results
// only as events. Names of actions are imperative.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"

namespace howdah::core {

// Request containers. together: the containers are for a gang. A backend that supports atomic grants grants none of
// them before it can grant all.
struct RequestContainers {
  struct Ask {
    int role = 0;
    int count = 0;
    friend bool operator==(const Ask&, const Ask&) = default;
  };
  std::vector<Ask> asks;
  bool together = false;
  bool optional = false;  // the job can run without these containers, so other requests come first
};
// Cancel every request that has not been granted.
struct CancelRequests {};
// Start an executor for the task in the container.
struct LaunchExecutor {
  ContainerId container;
  TaskId task;
};
// Release the container: a connected executor is asked to exit. A KillContainer follows if it does not exit soon, and
// ContainerExited always.
struct ReleaseContainer {
  ContainerId container;
  // The task goes on in another container. So the outputs in this one are not stored, because they would overwrite
  // those of the other container, which may be stored earlier.
  bool replaced = false;
};
// Kill everything that runs in the container, at once.
struct KillContainer {
  ContainerId container;
};
// Start the task's processes. The AM sends the executor the current peer group (Job::peers()) and the exports of roles
// (Job::exports()), encoded once for all tasks that start in the same Step.
struct StartTask {
  ContainerId container;
  TaskId task;
  int attempt = 0;
  int generation = 0;
  int slot = 0;  // the task's position in its role's peer group, which may differ from the task's index
};
// Send the job's stop signal to the attempt's processes now, and SIGKILL after `grace`. Each report that a checkpoint
// is being saved restarts the grace, until `limit` has passed since the first stop. probe_first: sample the stacks of
// the processes before the stop signal, for at most kProbeLimit. A StackSampled event reports the stacks.
struct StopTask {
  ContainerId container;
  int attempt = 0;
  Duration grace{};
  Duration limit{};  // not less than grace
  bool probe_first = false;
};
// Ask the task with rank 0 to leave its generation, because a larger generation is possible. All other ranks then leave
// the generation, too. The answer is RendezvousReported: kRejoining from each task that waits for its slot in the next
// generation, or kUnreachable from the asked task.
struct RequestRendezvous {
  TaskId task;
  int attempt = 0;
};
// Let an attempt that waits for the next generation (kRejoining) continue in that generation, in this slot.
struct Rejoin {
  TaskId task;
  int attempt = 0;
  int generation = 0;
  int slot = 0;  // as in StartTask
};
// Avoid a node on which tasks fail: for the duration `limit`, request containers on other nodes if possible.
struct AvoidNode {
  std::string node;
  Duration limit{};
};
struct Record {
  Change change;
};
// The job is about to finish, and holds no container. Find the newest checkpoint. Write everything that must be
// complete before the final state is visible, such as the job's history, from the journal with `final` as its last
// entry. The answer is FinishPrepared.
struct PrepareFinish {
  JobChanged final;
};
// The last action of a job, when it no longer holds any container. The Record of the final state comes immediately
// before.
struct FinishJob {
  JobState state = JobState::kFailed;
  int exit_code = 1;
};

using Action =
    std::variant<RequestContainers, CancelRequests, LaunchExecutor, ReleaseContainer, KillContainer, StartTask,
                 StopTask, RequestRendezvous, Rejoin, AvoidNode, Record, FinishJob, PrepareFinish>;

}  // namespace howdah::core
