// Events: the facts that the core receives. Their names are in the past tense, because a fact has happened and cannot
// be refused. Every event is legal in every state. A stale event (about an older attempt or an unknown container) or a
// repeated event changes nothing.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/base/host_port.h"
#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "howdah/core/states.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// The first event of a job: the AM runs and may request containers. An AM that restarts the job of an AM that died
// passes the generation and the first attempt number to use, so that no number is used twice.
struct AmStarted {
  std::string node;
  int attempt = 0;
  int generation = 0;
  int first_task_attempt = 0;
  std::string tracking_url = {};  // the URL of the job's status page; empty if there is none
};
// This AM has taken over a job by replaying the events of the AM that died. The last orders of the dead AM may have
// been lost. The core therefore repeats them, so each order must be harmless if it is carried out twice.
struct AmResumed {
  int attempt = 0;  // the number of the AM's attempt, as the backend counts attempts
  std::string how;  // how the last AM died: a clause, "was killed by signal 9 (SIGKILL)"; empty if not known
  std::string tracking_url = {};  // as in AmStarted
};

// --- from the backend ---

struct ContainerGranted {
  ContainerId container;
  int role = 0;  // the role that the container was requested for; -1 if it was not requested
  std::string node;
  // The backend may grant more than was requested. nullopt only in event logs of versions that did not record it: then
  // the journal does not contain the container.
  std::optional<Resources> granted = {};
};
// The last event of a container: the executor's process tree in it has ended, or the container itself is gone.
struct ContainerExited {
  ContainerId container;
  std::string how;  // a clause: "its executor was killed by signal 9 (SIGKILL)"; empty if it ended as ordered
  // An infrastructure failure (its node was lost, the container was preempted): the restart is not charged.
  bool infrastructure = false;
  // The scheduler gave the container to another job, so a replacement may take long.
  bool preempted = false;
  // The cluster does not permit it, and would refuse every other container of the task for the same reason.
  bool refused = false;
};
// The container in which the application master runs, on a backend that has one.
struct AmContainerReported {
  ContainerId container;
  std::string node;
  Resources granted;
  Instant since;  // the time at which the backend granted it
};
// The backend will take the container back soon. Until then its task may save a checkpoint.
struct ReclaimAnnounced {
  ContainerId container;
  std::string why;         // a clause: "the scheduler is preempting it"
  bool preempted = false;  // as in ContainerExited
};
// The startup stage of a launched container, as text for users. Ignored once the executor has connected.
struct ContainerStarting {
  ContainerId container;
  std::string startup_stage;  // a clause: "localizing files on node7, 4.0s after the launch"
};
// The job has delegation tokens, which its cluster accepts until this time.
struct TokensIssued {
  Instant until;
  std::string by;        // as in TokensChanged
  bool renewed = false;  // they replace those of the submission
};
// The reason why requests are pending, in one sentence. Empty when no request is pending any more.
struct RequestsDelayed {
  std::string reason;
  // Other jobs are ahead in the queue, so the backend requests nothing yet. timeouts.gang does not limit this wait.
  bool queued = false;
};
// The backend can never satisfy the requests.
struct RequestsRefused {
  std::string reason;
};

// --- from executors ---

// An executor has connected to this AM or, after a failover, to a later one. If the executor was connected before, the
// core repeats its orders.
struct ExecutorRegistered {
  ContainerId container;
  HostPort endpoint;  // the reserved port of the task
  // The newest attempt that the executor was ordered to start; -1 if there is none. If the core does not know this
  // number yet, the attempt is orphaned: an AM ordered its start, and died before it had recorded the order.
  int attempt = -1;
  std::string callback;  // the callback address for a later AM; the core ignores it
};
// An executor has connected, and the AM has refused it because it can never serve this job.
struct ExecutorRefused {
  ContainerId container;
  std::string why;  // a clause: "the application master is Howdah 1.2, its executor is 1.1"
};
// An executor has sent a message that shows only that it is alive, and perhaps its task's usage. The core may receive
// the event late, with the time at which the message arrived.
struct HeartbeatReceived {
  ContainerId container;
  std::optional<Usage> usage = {};  // the newest sample of its task's usage; nullopt if there is none yet
};
// The connection to the executor broke. The container may still run, and counts as lost only after the heartbeat limit.
struct ExecutorDisconnected {
  ContainerId container;
};
// An executor that was ordered to exit has begun to store files of its task, and exits when they are stored.
struct ExecutorStoring {
  ContainerId container;
};
struct TaskStarted {
  ContainerId container;
  int attempt = 0;
  std::vector<int> pids;  // by local rank
  Instant at;             // the time at which the first process was created
  Duration filling{};     // how long the order to start waited for the files of the working directory
};
// One process of a task has exited; other processes of the task may still run. A process with a diagnosed cause has
// failed, even if it exited with 0.
struct RankExited {
  ContainerId container;
  int attempt = 0;
  int local_rank = 0;
  ExitStatus exit;
  Instant at;
  Diagnosis diagnosis;
  // The variables that the process printed for the `exports` of its role. A variable that was not printed is missing.
  jobspec::EnvVars exports = {};
  // The process exited after its executor had ordered it to stop. The core cannot derive this from timestamps, because
  // the clocks of the machines differ. If the core knows of no order, an AM that has died ordered the stop.
  bool during_stop = false;
  // The size of the process's result, which is stored with the job; nullopt if it has none.
  std::optional<int> result_bytes = {};

  // The order ended the process. A process that exits with a code during a stop may have failed before the order
  // reached it.
  bool by_stop_order() const { return during_stop && exit.signal; }
};
// The readiness probe of the attempt has succeeded (RoleSpec::ready). Sent at most once per attempt and connection.
struct TaskServes {
  ContainerId container;
  int attempt = 0;
};
// The progress of an attempt has changed. `progress` is the complete current progress, not only the change.
struct TaskProgressed {
  ContainerId container;
  int attempt = 0;
  TaskProgress progress;
};
// An attempt that is being stopped has reported that it is saving a checkpoint. Its executor has restarted the grace.
struct TaskSaving {
  ContainerId container;
  int attempt = 0;
};
// The attempt has shown no activity for the duration that ProgressLimit returns. Its processes still run.
struct TaskHung {
  ContainerId container;
  int attempt = 0;
  Instant at;            // the time at which the hang was detected
  Instant since;         // the time of the last activity
  std::string activity;  // the kind of the last activity, a noun: "output"
  std::string stack;     // the stack location of its processes: "all_reduce (train.py:40)"; empty if not known
};
// The stacks of an attempt's processes were sampled before it was stopped (StopTask::probe_first).
struct StackSampled {
  ContainerId container;
  int attempt = 0;
  std::string stack;  // as in TaskHung
};
// A ranked task has reached a step of the rendezvous. Sent only for a framework whose processes can continue in the
// next generation without a restart.
struct RendezvousReported {
  enum class Step {
    kReady,      // all processes of the task wait for their peers in the generation that they were started in
    kJoined,     // the processes are connected to all peers, and can continue in another generation if this one breaks
    kRejoining,  // the processes have left their generation, and wait for their slot in the next one (Rejoin)
    kUnreachable,  // the request to leave could not be delivered to the task (RequestRendezvous)
  };
  TaskId task;
  int attempt = 0;
  Step step = Step::kReady;
};
// The command of a task could not be started: it was not found or is not executable, or its working directory could not
// be made. No process of the attempt runs, and no RankExited or TaskEnded follows.
struct TaskStartFailed {
  ContainerId container;
  int attempt = 0;
  Instant at;
  std::optional<int> exit_code;  // as a shell would return: 127 not found, 126 not executable
  Diagnosis diagnosis;
};
// The last event of an attempt: no process that it started is left, in any session.
struct TaskEnded {
  ContainerId container;
  int attempt = 0;
  Instant at;
  std::optional<LeftFiles> left_files = {};  // nullopt if there are none
};

// --- from people and the clock ---

struct ScaleRequested {
  int role = 0;
  int instances = 0;
  std::string by;
};
struct StopRequested {
  std::string by;                 // "ann on gateway3 with `howdah kill`"
  std::optional<Duration> grace;  // overrides the job's grace
};
// Time has passed; sent at or after Job::NextDeadline().
struct Ticked {};

// --- from the AM's loop ---

// The orders of the newest step, and of all further steps before `until`, are performed only at `until`, because the
// file system of the event log was full.
struct OrdersDelayed {
  Instant until;
};

// --- from the AM's own services ---

// The job's TensorBoard is available (url), or will not be (advice). Exactly one of the two is set.
struct TensorBoardReported {
  std::string url;
  std::string advice;  // why it is not available, and what to do about it
};
// The answer to PrepareFinish.
struct FinishPrepared {
  // The newest file or directory in checkpoint.dir.
  struct Checkpoint {
    std::string name;
    Instant written;
  };
  std::optional<Checkpoint> checkpoint = {};  // nullopt if nothing was found
  std::string problem = {};                   // a clause about what failed; empty if nothing failed
};

using Event =
    std::variant<AmStarted, AmResumed, ContainerGranted, ContainerStarting, ContainerExited, AmContainerReported,
                 TokensIssued, ReclaimAnnounced, RequestsDelayed, RequestsRefused, ExecutorRegistered, ExecutorRefused,
                 HeartbeatReceived, ExecutorDisconnected, TaskStarted, TaskServes, RankExited, TaskStartFailed,
                 TaskEnded, TaskProgressed, TaskSaving, TaskHung, StackSampled, RendezvousReported, ScaleRequested,
                 StopRequested, Ticked, OrdersDelayed, TensorBoardReported, FinishPrepared, ExecutorStoring>;

}  // namespace howdah::core
