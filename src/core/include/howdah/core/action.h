// Orders the core gives. Imperative: the shell carries each out, in order, and answers with events only.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"

namespace howdah::core {

// Ask the place for containers. together: a gang; a place that can grant all of them at one stroke does so or waits.
struct RequestContainers {
  struct Ask {
    int role = 0;
    int count = 0;
    friend bool operator==(const Ask&, const Ask&) = default;
  };
  std::vector<Ask> asks;
  bool together = false;
  bool optional = false;  // the job goes on without them: they hold up nobody else
};
// Take back every ask that has not been granted.
struct CancelRequests {};
// Start an executor for the task in the container.
struct LaunchExecutor {
  ContainerId container;
  TaskId task;
};
// Give the container back: its executor is told to leave if it is connected, and killed if it is not gone soon. Always
// answered by ContainerExited in the end.
struct ReleaseContainer {
  ContainerId container;
};
// Kill whatever runs in the container, at once.
struct KillContainer {
  ContainerId container;
};
// Start the task's processes. Executors are sent the cluster as it is now (Job::peers()) and what roles have exported
// (Job::exports()), encoded once for all that start in the same Step.
struct StartTask {
  ContainerId container;
  TaskId task;
  int attempt = 0;
  int generation = 0;
  int slot = 0;  // the task's index in the cluster: a lower one than its own where ranked tasks before it are missing
};
// Send the job's stop signal to the attempt's processes now, SIGKILL after grace. While they say that they are saving a
// checkpoint each such word gives them the grace anew, until limit has passed since the first stop.
// look: before that, for kProbeLimit at most, it is told where they stand (StackSampled).
struct StopTask {
  ContainerId container;
  int attempt = 0;
  Duration grace{};
  Duration limit{};  // not less than grace
  bool probe_first = false;
};
// The task, which holds rank 0, is to leave its world as soon as it can, and all others with it: a larger one can be
// had. Answered by RendezvousReported: each waits for its place in the next world, or this one could not be asked.
struct RequestRendezvous {
  TaskId task;
  int attempt = 0;
};
// The attempt, which waits, has this place in the world of the generation, and goes on.
struct Rejoin {
  TaskId task;
  int attempt = 0;
  int generation = 0;
  int slot = 0;  // as StartTask's
};
// Tasks fail there: containers elsewhere are wanted, for so long, where the place has other nodes.
struct AvoidNode {
  std::string node;
  Duration limit{};
};
struct Record {
  Change change;
};
// The last action of a job: no container is held any more. Its Record comes just before it.
struct FinishJob {
  JobState state = JobState::kFailed;
  int exit_code = 1;
};

using Action = std::variant<RequestContainers, CancelRequests, LaunchExecutor, ReleaseContainer, KillContainer,
                            StartTask, StopTask, RequestRendezvous, Rejoin, AvoidNode, Record, FinishJob>;

}  // namespace howdah::core
