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

// The requirements of a framework on its roles; the application takes it from howdah::frameworks.
struct FrameworkRules {
  // By role. Ranked tasks restart together: when one fails, all of them start in the next generation. A role that is
  // not ranked restarts only the failed task.
  std::vector<bool> restarts_together;
  // A task needs the endpoints of all others before it can start, even with `start: free`.
  bool needs_whole_cluster = false;
  // By role. Its tasks coordinate the others, and reach them only where they were when the coordinator started: it
  // starts when all are registered, and restarts, from its checkpoint, when one has moved. The others find each other
  // through it.
  std::vector<bool> coordinators;
  // The task with rank 0 starts the processes of all; the other tasks only hold containers. Its success ends the job.
  bool first_rank_decides = false;
  // Tasks reach each other by their names: no index between others is missing.
  bool no_gaps = false;
  // The ranked tasks depend on a server in the AM: after an AM failover they restart, unless all have joined their
  // peers (RendezvousReported).
  bool needs_am = false;
};

// By role, by slot (StartTask): where each task can be reached; port 0: not known (yet). Without the tasks that are no
// members of the generation.
using PeerGroup = std::vector<std::vector<HostPort>>;

struct StepResult {
  std::vector<Action> actions;
  // false: nothing changed but the times of the last heartbeats. A replica of the Job can be brought to the same state
  // without the event, if HeartbeatReceived, with its own time, comes before the next Ticked that changes something,
  // and before the ContainerExited of its container.
  bool changed = true;
};

// One owner (the AM's loop, or the simulator), one thread, not copyable.
class Job {
 public:
  // submitted: when the job was submitted (local) or the AM registered (YARN): `timeouts.gang` counts from there.
  // seed: for jitter.
  Job(jobspec::JobSpec spec, FrameworkRules rules, Instant submitted, uint64_t seed);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Total: every event is legal in every state. now must not go back; an earlier time counts as unchanged.
  StepResult Step(const Event& event, Instant now);

  // When Step(Ticked) is wanted next; nullopt: nothing waits for time.
  std::optional<Instant> NextDeadline() const;

  // Valid until the next Step.
  const PeerGroup& peers() const;
  const Exports& exports() const;
  const jobspec::JobSpec& spec() const;
  bool finished() const;

  // Aborts if the job is in a state that must not be. Step() calls the cheap part always (O(1) or O(what changed));
  // this is the whole of it, for tests and the simulator.
  void CheckInvariants() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::core
