// The application master's loop around core::Job: post, step, log, perform, flush; and resume after an AM's death.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "howdah/am/loop/ports.h"
#include "howdah/core/heartbeats.h"
#include "howdah/core/job.h"

namespace howdah::am::loop {

// Not thread-safe. A pass over the queue steps all queued events. Recovery depends on the order within a pass:
//   1. each event is stepped alone, in the order of Post;
//   2. an event is durable in the event log before any of its actions is performed;
//   3. the journal is flushed once per pass, when the queue is empty, so that readers see complete steps;
//   4. the timer is armed once per pass.
//
// A full file system does not end the job, because running tasks do not need the event log. While an event cannot be
// logged, its actions wait, later events wait in memory, and the write is repeated every kRetryInterval. Once the write
// has succeeded, core::OrdersDelayed moves the time limits of the delayed actions, such as the grace period of a stop.
// The job fails after kNoSpaceLimit, or when more than kMostWaiting events wait. It fails at once if a stop was
// requested and the space of the reserve is not enough.
class JobLoop {
 public:
  // submitted, seed: passed on to core::Job.
  JobLoop(const jobspec::JobSpec& spec, const core::FrameworkRules& rules, Instant submitted, uint64_t seed,
          Ports ports);

  // Queues an event. May be called during a pass.
  void Post(core::Event event);
  // Runs one pass: steps all queued events. Called by the implementation of Timers, after PassSoon or PassAfter.
  void RunPass();

  // Replays one event of the previous AM. The caller replays all of its events, in order, and then posts
  // core::AmResumed, so that the core repeats every order that may have been lost. The journal already has the first
  // `recorded` entries that the whole replay produces. Only the entries after these are written.
  void Replay(const LoggedEvent& past, size_t recorded);
  // The number of journal entries that the replay has produced. If it is less than `recorded`, events are missing, and
  // the job must not continue, because it would start tasks that are already running.
  size_t replayed_entries() const { return replayed_entries_; }

  // After Stop the loop steps and writes nothing.
  void Stop() { stopped_ = true; }

  const core::Job& job() const { return job_; }
  // The number of events stepped, without replayed ones. It is the same for all actions of one step.
  uint64_t steps() const { return steps_; }

  static constexpr Duration kRetryInterval = std::chrono::seconds(1);
  static constexpr Duration kNoSpaceLimit = std::chrono::minutes(10);
  static constexpr size_t kMostWaiting = 64 << 10;  // about 16 MiB of memory

 private:
  struct Posted {
    core::Event event;
    Instant at;
  };
  // The state while a file system is full.
  struct NoSpace {
    Instant since;
    std::vector<core::Action> actions;         // actions of the newest step, whose event is not logged yet
    std::map<ContainerId, Posted> heartbeats;  // the newest heartbeat of each container
  };

  void Step(const Posted& posted);
  Status Log(const core::Event& event, bool changed);
  void PerformAll(const std::vector<core::Action>& actions);
  void Fail(const Error& error);
  // Fails, or waits if the error is kNoSpace. actions: as in NoSpace.
  void OnWriteError(const Error& error, std::vector<core::Action> actions);
  void Wait(const Posted& posted);
  // Frees the reserve, because a stop was requested while the file system is full.
  void PrepareStop();
  // Repeats the write. Returns true if everything could be written.
  bool TryAgain();

  Ports ports_;
  core::Job job_;
  core::Heartbeats heartbeats_;  // the heartbeats that are not logged yet
  std::deque<Posted> queue_;
  Instant now_;  // time of the newest step; it never decreases
  uint64_t steps_ = 0;
  size_t replayed_entries_ = 0;
  bool pass_wanted_ = false;
  bool stopped_ = false;
  bool stop_requested_ = false;  // a stop was requested while the file system was full
  std::optional<NoSpace> no_space_;
};

}  // namespace howdah::am::loop
