// The application master's loop around core::Job: post, step, log, perform, flush; and resume after an AM's death.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "howdah/am/loop/ports.h"
#include "howdah/core/heartbeats.h"
#include "howdah/core/job.h"

namespace howdah::am::loop {

// One thread. Recovery depends on the order within a drain:
//   1. each event is stepped alone, in the order of Post;
//   2. an event is durable in the event log before any of its actions is performed;
//   3. the journal is flushed once per drain, when the queue is empty, so that readers see complete steps;
//   4. the timer is armed once per drain.
class JobLoop {
 public:
  // submitted, seed: passed on to core::Job.
  JobLoop(const jobspec::JobSpec& spec, const core::FrameworkRules& rules, Instant submitted, uint64_t seed,
          Ports ports);

  // Queues an event. May be called during a drain.
  void Post(core::Event event);
  // Steps all queued events. Called by the owner of Timers, after DrainSoon.
  void Drain();

  // Brings the core to the state of the previous AM by replaying its events `past`. Writes the resulting journal
  // entries, except the first `recorded`, which the journal already has. The caller then posts core::AmResumed, after
  // which the core repeats every order that may have been lost.
  void Resume(const std::vector<LoggedEvent>& past, size_t recorded);

  // After Stop the loop steps and writes nothing.
  void Stop() { stopped_ = true; }

  const core::Job& job() const { return job_; }
  // The number of events stepped, without replayed ones. It is the same for all actions of one step.
  uint64_t steps() const { return steps_; }

 private:
  void Step(const core::Event& event);
  Status Log(const core::Event& event, bool changed);
  void Fail(const Error& error);

  Ports ports_;
  core::Job job_;
  core::Heartbeats heartbeats_;  // heartbeats that are not logged yet
  std::deque<core::Event> queue_;
  Instant now_;  // time of the newest step; it never decreases
  uint64_t steps_ = 0;
  bool drain_wanted_ = false;
  bool stopped_ = false;
};

}  // namespace howdah::am::loop
