// Orders of the core. Imperative: the shell carries out each, in order, and answers with events only.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"

namespace howdah::core {

// Request containers. together: a gang; a backend that can grant all of them at once does so or waits.
struct RequestContainers {
  struct Ask {
    int role = 0;
    int count = 0;
    friend bool operator==(const Ask&, const Ask&) = default;
  };
  std::vector<Ask> asks;
  bool together = false;
  bool optional = false;  // the job runs without them: other requests come first
};
// Cancel every request that has not been granted.
struct CancelRequests {};
// Start an executor for the task in the container.
struct LaunchExecutor {
  ContainerId container;
  TaskId task;
};
// Release the container: a connected executor is asked to exit, and killed if it does not soon. ContainerExited always
// follows.
struct ReleaseContainer {
  ContainerId container;
};
// Kill everything that runs in the container, at once.
struct KillContainer {
  ContainerId container;
};
// Start the task's processes. Executors are sent the current peer group (Job::peers()) and the exports of roles
// (Job::exports()), encoded once for all that start in the same Step.
struct StartTask {
  ContainerId container;
  TaskId task;
  int attempt = 0;
  int generation = 0;
  int slot = 0;  // its index in the peer group: lower than the task's own if ranked tasks before it are missing
};
// Send the job's stop signal to the attempt's processes now, SIGKILL after grace. Each report that they are saving a
// checkpoint restarts the grace, until limit has passed since the first stop. probe_first: sample their stacks before
// that, for kProbeLimit at most (StackSampled).
struct StopTask {
  ContainerId container;
  int attempt = 0;
  Duration grace{};
  Duration limit{};  // not less than grace
  bool probe_first = false;
};
// The task, which has rank 0, is to leave its generation as soon as it can, and all others with it: a larger one is
// possible. Answered by RendezvousReported: each waits for its slot in the next generation, or this one is unreachable.
struct RequestRendezvous {
  TaskId task;
  int attempt = 0;
};
// The attempt, which waits, has this slot in the generation, and goes on.
struct Rejoin {
  TaskId task;
  int attempt = 0;
  int generation = 0;
  int slot = 0;  // as StartTask's
};
// Tasks fail there: request containers on other nodes for so long, if the backend has any.
struct AvoidNode {
  std::string node;
  Duration limit{};
};
struct Record {
  Change change;
};
// The job is about to finish, and no container is held. Find the newest checkpoint, and pass the journal, with `final`
// as its last entry, to everything that must have it before the final state is visible. Answered by FinishPrepared.
struct PrepareFinish {
  JobChanged final;
};
// The last action of a job: no container is held any more. Its Record comes just before it.
struct FinishJob {
  JobState state = JobState::kFailed;
  int exit_code = 1;
};

using Action =
    std::variant<RequestContainers, CancelRequests, LaunchExecutor, ReleaseContainer, KillContainer, StartTask,
                 StopTask, RequestRendezvous, Rejoin, AvoidNode, Record, FinishJob, PrepareFinish>;

}  // namespace howdah::core
