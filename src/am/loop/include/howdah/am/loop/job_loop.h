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

// One thread. The order within a drain is what makes recovery possible:
//   1. each event is stepped alone, in the order of Post;
//   2. it is durable in the event log before any of its actions is performed;
//   3. the journal is flushed once per drain, when the queue is empty, so that readers see a step whole;
//   4. the timer is armed once per drain.
class JobLoop {
 public:
  // submitted, seed: as core::Job takes them.
  JobLoop(const jobspec::JobSpec& spec, const core::FrameworkRules& rules, Instant submitted, uint64_t seed,
          Ports ports);

  // Queues an event, also from within a drain.
  void Post(core::Event event);
  // Called by the owner of Timers, after DrainSoon.
  void Drain();

  // Brings the core to the state that the AM before this one had reached. Journal entries that follow from `past` are
  // written, except the first `recorded`, which the journal has. The caller posts core::AmResumed afterwards, upon
  // which the core repeats every order that may have been lost.
  void Resume(const std::vector<LoggedEvent>& past, size_t recorded);

  // Nothing is stepped or written any more.
  void Stop() { stopped_ = true; }

  const core::Job& job() const { return job_; }
  // How many events have been stepped, replayed ones not counted: actions of one step share this number.
  uint64_t steps() const { return steps_; }

 private:
  void Step(const core::Event& event);
  Status Log(const core::Event& event, bool changed);
  void Fail(const Error& error);

  Ports ports_;
  core::Job job_;
  core::Heartbeats heartbeats_;  // not logged yet
  std::deque<core::Event> queue_;
  Instant now_;  // of the newest step: time never goes back
  uint64_t steps_ = 0;
  bool drain_wanted_ = false;
  bool stopped_ = false;
};

}  // namespace howdah::am::loop
