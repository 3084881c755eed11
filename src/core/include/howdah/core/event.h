// Facts that the core receives. Past tense: each has happened, and cannot be refused. Every event is legal in every
// state; a stale one (an older attempt, an unknown container) or a repeated one changes nothing.
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

// The AM runs and may request containers. The first event of a job. An AM that restarts the job of one that died gives
// the generation, and the first attempt number, so that no number is used twice.
struct AmStarted {
  std::string node;
  int attempt = 0;
  int generation = 0;
  int first_task_attempt = 0;
  std::string tracking_url = {};  // of the job's status page; empty: there is none
};
// This AM has taken over a job by replaying the events of the AM that died. Whether its last orders were carried out is
// not known: they are repeated, and each must be harmless the second time.
struct AmResumed {
  int attempt = 0;  // of the AM, as the backend counts
  std::string how;  // how the last AM died: a clause, "was killed by signal 9 (SIGKILL)"; empty: not known
  std::string tracking_url = {};  // as AmStarted's
};

// --- from the backend ---

struct ContainerGranted {
  ContainerId container;
  int role = 0;  // of the request
  std::string node;
};
// The executor's process tree in the container has ended, or the container itself is gone. Its last event.
struct ContainerExited {
  ContainerId container;
  std::string how;  // a clause: "its executor was killed by signal 9 (SIGKILL)"; empty: it ended as ordered
  // An infrastructure failure (its node was lost, the container was preempted): the restart is not charged.
  bool infrastructure = false;
  // The scheduler gave it to another job: a replacement may take long.
  bool preempted = false;
};
// The backend will take the container back soon: its task may still save a checkpoint.
struct ReclaimAnnounced {
  ContainerId container;
  std::string why;         // a clause: "the scheduler preempts it"
  bool preempted = false;  // as ContainerExited's
};
// How far the start of a container is whose executor has not connected yet, for people. Ignored after that.
struct ContainerStarting {
  ContainerId container;
  std::string startup_stage;  // a clause: "after 12s its files were still being brought to node7"
};
// Why requests are pending, in one sentence; empty: they are not any more.
struct RequestsDelayed {
  std::string reason;
};
// The backend can never satisfy the requests.
struct RequestsRefused {
  std::string reason;
};

// --- from executors ---

// Also when it connects again, to this AM or a later one: its orders are repeated.
struct ExecutorRegistered {
  ContainerId container;
  HostPort endpoint;  // the reserved port of the task
  // The newest attempt that it was ordered to start; -1: none. Higher than the job's own: an orphaned attempt, started
  // by an AM that died before it had recorded the order.
  int attempt = -1;
  std::string callback;  // the callback address for a later AM; the core ignores it
};
// It connected and was refused: it can never serve this job.
struct ExecutorRefused {
  ContainerId container;
  std::string why;  // a clause: "the application master is Howdah 1.2, its executor is 1.1"
};
// Any message without other content. It may be reported late, with the time at which it arrived.
struct HeartbeatReceived {
  ContainerId container;
  std::optional<Usage> usage = {};  // what its task uses, the newest sample; none: no sample yet
};
// The connection to the executor broke. Its container may still run: the heartbeat limit decides.
struct ExecutorDisconnected {
  ContainerId container;
};
struct TaskStarted {
  ContainerId container;
  int attempt = 0;
  std::vector<int> pids;  // by local rank
  Instant at;             // when the first process was created
};
// One process of a task has exited; others of the task may still run. With a cause it has failed even if it exited with
// 0.
struct RankExited {
  ContainerId container;
  int attempt = 0;
  int local_rank = 0;
  ExitStatus exit;
  Instant at;
  Diagnosis diagnosis;
  jobspec::EnvVars exports =
      {};  // what it printed for its role's `exports`; a variable that it did not print is missing
  // A signal killed it after its executor had ordered it to stop. The times cannot show that: clocks differ.
  bool by_stop_order = false;
};
// The progress that the processes of an attempt report has changed: all of it, as it is now.
struct TaskProgressed {
  ContainerId container;
  int attempt = 0;
  TaskProgress progress;
};
// The attempt, while it is being stopped, reports that it is saving a checkpoint: its executor has restarted the grace.
struct TaskSaving {
  ContainerId container;
  int attempt = 0;
};
// The attempt has shown no activity for the time of ProgressLimit; its processes still run.
struct TaskHung {
  ContainerId container;
  int attempt = 0;
  Instant at;            // of the detection
  Instant since;         // its last activity
  std::string activity;  // the kind of that, a noun: "output"
  std::string stack;     // where its processes are, a clause: "all_reduce (train.py:40)"; empty: not known
};
// Where the processes of an attempt were when their stacks were sampled before a stop (StopTask::probe_first).
struct StackSampled {
  ContainerId container;
  int attempt = 0;
  std::string stack;  // as TaskHung's
};
// How far a ranked task is with the rendezvous, if its framework lets processes go on in the next generation without a
// restart.
struct RendezvousReported {
  enum class Step {
    kReady,        // all its processes wait for their peers of the generation that they were started in
    kJoined,       // they are connected to all peers, and can go on in another generation when this one breaks
    kRejoining,    // they have left their generation, and wait for their slot in the next (Rejoin)
    kUnreachable,  // it could not be asked to leave (RequestRendezvous)
  };
  TaskId task;
  int attempt = 0;
  Step step = Step::kReady;
};
// The command of a task could not be started at all (not found, not executable, working directory not made). Nothing of
// the attempt runs; no RankExited or TaskEnded follows.
struct TaskStartFailed {
  ContainerId container;
  int attempt = 0;
  Instant at;
  std::optional<int> exit_code;  // a shell's: 127 not found, 126 not executable
  Diagnosis diagnosis;
};
// Nothing that the attempt started is left, in whatever session. The last of an attempt.
struct TaskEnded {
  ContainerId container;
  int attempt = 0;
  Instant at;
};

// --- from people and the clock ---

struct ScaleRequested {
  int role = 0;
  int instances = 0;
  std::string by;
};
struct StopRequested {
  std::string by;                 // "ann on gateway3 with `howdah kill`"
  std::optional<Duration> grace;  // overrides the job's
};
// Time has passed: at or after Job::NextDeadline().
struct Ticked {};

// --- from the AM's own services ---

// The job's TensorBoard serves, or will not: exactly one of the two is set.
struct TensorBoardReported {
  std::string url;
  std::string advice;  // why there is none, and what to do about it
};
// The answer to PrepareFinish.
struct FinishPrepared {
  // The newest file or directory in checkpoint.dir.
  struct Checkpoint {
    std::string name;
    Instant written;
  };
  std::optional<Checkpoint> checkpoint = {};  // none: nothing was found
  std::string problem = {};                   // what could not be done, a clause; empty: nothing
};

using Event = std::variant<AmStarted, AmResumed, ContainerGranted, ContainerStarting, ContainerExited, ReclaimAnnounced,
                           RequestsDelayed, RequestsRefused, ExecutorRegistered, ExecutorRefused, HeartbeatReceived,
                           ExecutorDisconnected, TaskStarted, RankExited, TaskStartFailed, TaskEnded, TaskProgressed,
                           TaskSaving, TaskHung, StackSampled, RendezvousReported, ScaleRequested, StopRequested,
                           Ticked, TensorBoardReported, FinishPrepared>;

}  // namespace howdah::core
