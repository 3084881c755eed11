// Facts the core is told. Past tense: each has happened, and the core cannot refuse it. Every event is legal in every
// state; one that is stale (an older attempt, an unknown container) or repeated changes nothing.
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

// The AM runs and may ask for containers. The first event of a job. An AM that begins the job anew after another has
// died says which generation this is, and from where attempts are counted, so that none has the number of one before.
struct AmStarted {
  std::string node;
  int attempt = 0;
  int generation = 0;
  int first_task_attempt = 0;
};
// This AM goes on with the job of one that died, and has been told again everything that one was told. Whether its last
// orders were carried out is not known: they are given again, and each must be harmless the second time.
struct AmResumed {
  int attempt = 0;  // of the place's count of AMs
  std::string how;  // how the one before died: a clause, "was killed by signal 9 (SIGKILL)"; empty: it is not known
};

// --- from the place ---

struct ContainerGranted {
  ContainerId container;
  int role = 0;  // of the ask that it answers
  std::string node;
};
// The executor's process tree in the container has ended, or the container itself is gone. The last of a container.
struct ContainerExited {
  ContainerId container;
  std::string how;  // a clause: "its executor was killed by signal 9 (SIGKILL)"; empty: it ended as it was told to
  // The task is not to blame (its node was lost, the scheduler took the container): it costs no restart.
  bool infrastructure = false;
  // The place took it for others: nothing may come instead of it for long.
  bool preempted = false;
};
// The place is going to take the container back: whoever runs in it may still save what it has done.
struct ReclaimAnnounced {
  ContainerId container;
  std::string why;         // a clause: "the scheduler preempts it"
  bool preempted = false;  // as ContainerExited's
};
// How far a container has come in which nothing has connected yet, for people; once it has, that changes nothing.
struct ContainerStarting {
  ContainerId container;
  std::string startup_stage;  // a clause: "after 12s its files were still being brought to node7"
};
// What the asks wait for, in one sentence; empty: nothing any more.
struct RequestsDelayed {
  std::string reason;
};
// The place can never give what was asked.
struct RequestsRefused {
  std::string reason;
};

// --- from executors ---

// Also when it has connected again, to this AM or to one after it: what it was ordered is ordered again.
struct ExecutorRegistered {
  ContainerId container;
  HostPort endpoint;  // the reserved port of the task
  // The newest attempt that it was ordered to start; -1: none. Higher than the job's own: it was started by an AM whose
  // last orders are not known any more.
  int attempt = -1;
  std::string callback;  // how an AM after this one reaches it; no business of the job's
};
// It connected and was sent away: it can never serve this job.
struct ExecutorRefused {
  ContainerId container;
  std::string why;  // a clause: "the application master is Howdah 1.2, its executor is 1.1"
};
// Any sign of life that says nothing else. It may be told late, with the time at which it was heard.
struct HeartbeatReceived {
  ContainerId container;
};
// The connection to the executor broke. Its container may still run: nothing is concluded before the heartbeat limit.
struct ExecutorDisconnected {
  ContainerId container;
};
struct TaskStarted {
  ContainerId container;
  int attempt = 0;
  std::vector<int> pids;  // by local rank
  Instant at;             // when the first process was created
};
// One process of a task has ended; others of the task may still run. With a cause it has failed even if it exited with
// 0: what its role is to do is not done.
struct RankExited {
  ContainerId container;
  int attempt = 0;
  int local_rank = 0;
  ExitStatus exit;
  Instant at;
  Diagnosis diagnosis;
  jobspec::EnvVars exports =
      {};  // what it printed for its role's `exports`; a variable that it did not print is missing
  // A signal killed it when its executor had told it to stop: clocks of two machines need not agree on what was first.
  bool by_stop_order = false;
};
// What the processes of an attempt say of their progress has changed: all of it, as it is now.
struct TaskProgressed {
  ContainerId container;
  int attempt = 0;
  TaskProgress progress;
};
// The attempt, while it is being stopped, says that it is still saving a checkpoint: its executor has given it the
// grace anew.
struct TaskSaving {
  ContainerId container;
  int attempt = 0;
};
// The attempt has shown no sign of life for as long as ProgressLimit says; its processes still run.
struct TaskHung {
  ContainerId container;
  int attempt = 0;
  Instant at;            // when that was noticed
  Instant since;         // its last sign of life
  std::string activity;  // what that was, a noun: "output"
  std::string stack;     // where its processes stand, a clause: "all_reduce (train.py:40)"; empty: not known
};
// Where the processes of an attempt stood that was to be looked at before it is stopped (StopTask::look).
struct StackSampled {
  ContainerId container;
  int attempt = 0;
  std::string stack;  // as TaskHung's
};
// How far a ranked task is with meeting the others, where its framework lets processes go from one world to the next
// without starting again.
struct RendezvousReported {
  enum class Step {
    kReady,        // all its processes wait for the others of the world that they were started for
    kJoined,       // they are connected with all others, and will go on in another world when this one breaks
    kRejoining,    // they have left their world, and wait for their place in the next (Rejoin)
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
  std::optional<int> exit_code;  // as a shell would say it: 127 not found, 126 not executable
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

using Event =
    std::variant<AmStarted, AmResumed, ContainerGranted, ContainerStarting, ContainerExited, ReclaimAnnounced,
                 RequestsDelayed, RequestsRefused, ExecutorRegistered, ExecutorRefused, HeartbeatReceived,
                 ExecutorDisconnected, TaskStarted, RankExited, TaskStartFailed, TaskEnded, TaskProgressed, TaskSaving,
                 TaskHung, StackSampled, RendezvousReported, ScaleRequested, StopRequested, Ticked>;

}  // namespace howdah::core
