// The job core: everything that is decided about a job is decided here. Pure: no clock, no socket, no file.
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

// What a framework says about its roles; the application fills it in from howdah::frameworks.
struct FrameworkRules {
  // By role. Ranked tasks belong together: when one fails all ranked tasks start again in the next generation. A role
  // that is not ranked starts its failed task again alone.
  std::vector<bool> restarts_together;
  // A task needs the endpoints of all others before it can start, even with `start: free`.
  bool needs_whole_cluster = false;
  // By role. A task of it directs the others, and reaches them only where they were when it started: it starts when all
  // are there, and again, from its checkpoint, when one of them has moved. The others get to know of each other by it.
  std::vector<bool> coordinators;
  // The task with rank 0 starts what the others only hold a place for: its success ends the job, successfully.
  bool first_rank_decides = false;
  // Tasks reach each other by their names: none is missing between others.
  bool no_gaps = false;
  // The ranked tasks that run need something of the AM that dies with it: after another AM has taken over they start
  // again, unless all have told that they have met (RendezvousReported).
  bool needs_am = false;
};

// By role, by place (StartTask): where each task can be reached; port 0 where it is not known (yet). Tasks that do not
// belong to the world are left out.
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

  // Total: every event is legal in every state. now must not go back; if it does it is taken as unchanged.
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
