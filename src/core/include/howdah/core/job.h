// The job core: makes every decision about a job. Pure: no clock, no socket, no file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/core/action.h"
#include "howdah/core/event.h"
#include "howdah/core/exports.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// The requirements of a framework on its roles. Callers get them from howdah::frameworks.
struct FrameworkRules {
  // By role: whether its tasks are ranked. Ranked tasks restart together: when one fails, all of them start again in
  // the next generation. A role that is not ranked restarts only the failed task.
  std::vector<bool> restarts_together;
  // A task cannot start before it has the endpoints of all other tasks, even with `start: free`.
  bool needs_whole_cluster = false;
  // By role: whether its tasks are coordinators. A coordinator reads the addresses of the other tasks only when it
  // starts. So it starts once all tasks are registered, and restarts from its checkpoint when the address of a task has
  // changed. The other tasks find each other through the coordinator.
  std::vector<bool> coordinators;
  // The task with rank 0 starts the processes of all ranks, and its success ends the job. The other tasks only hold
  // containers.
  bool first_rank_decides = false;
  // Tasks reach each other by their names, so the members of a role must have consecutive indices.
  bool no_gaps = false;
  // The ranked tasks depend on a server in the AM: after an AM failover they restart, unless all have joined their
  // peers (RendezvousReported).
  bool needs_am = false;
};

// The address of each member of the generation, by role and by slot (StartTask). Port 0: the address is not known.
using PeerGroup = std::vector<std::vector<HostPort>>;

struct StepResult {
  std::vector<Action> actions;
  // false: the event only recorded a heartbeat, or had no effect. A replica of the Job then reaches the same state
  // without the event. One condition: each HeartbeatReceived is replayed, with its own time, before the next Ticked
  // that changes something and before the ContainerExited of its container.
  bool changed = true;
};

// Not thread-safe and not copyable. The owner is the AM's loop or the simulator.
class Job {
 public:
  // submitted: when the job was submitted (local) or the AM registered (YARN). `timeouts.gang` counts from this time.
  // seed: for jitter.
  Job(jobspec::JobSpec spec, FrameworkRules rules, Instant submitted, uint64_t seed);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Accepts every event in every state. `now` should not go back; if it does, the time of the last Step applies.
  StepResult Step(const Event& event, Instant now);

  // The time at which Step(Ticked) must be called next. Returns nullopt if the job has no deadline.
  std::optional<Instant> NextDeadline() const;

  // Valid until the next Step.
  const PeerGroup& peers() const;
  const Exports& exports() const;
  const jobspec::JobSpec& spec() const;
  bool finished() const;

  // Aborts the process if the state of the job is inconsistent. Every Step() runs the cheap checks. This function runs
  // all checks, for tests and the simulator.
  void CheckInvariants() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::core
