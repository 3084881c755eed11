#include "howdah/am/loop/job_loop.h"

#include <algorithm>
#include <utility>

namespace howdah::am::loop {

JobLoop::JobLoop(const jobspec::JobSpec& spec, const core::FrameworkRules& rules, Instant submitted, uint64_t seed,
                 Ports ports)
    : ports_(ports), job_(spec, rules, submitted, seed), now_(submitted) {}

void JobLoop::Post(core::Event event) {
  queue_.push_back(std::move(event));
  if (std::exchange(drain_wanted_, true)) return;
  ports_.timers.DrainSoon();
}

void JobLoop::Drain() {
  while (!queue_.empty() && !stopped_) {
    const core::Event event = std::move(queue_.front());
    queue_.pop_front();
    Step(event);
  }
  drain_wanted_ = false;
  if (stopped_) return;
  if (const Status flushed = ports_.journal.Flush(); !flushed.ok()) return Fail(flushed.error());
  ports_.performer.OnDrained();
  ports_.timers.Arm(job_.NextDeadline());
}

void JobLoop::Step(const core::Event& event) {
  now_ = std::max(now_, ports_.clock.Now());
  ++steps_;
  const auto [actions, changed] = job_.Step(event, now_);
  if (const Status logged = Log(event, changed); !logged.ok()) return Fail(logged.error());
  for (const core::Action& action : actions) {
    if (stopped_) return;
    if (const auto* record = std::get_if<core::Record>(&action)) {
      ports_.journal.Add({now_, record->change});
    } else {
      ports_.performer.Perform(action);
    }
  }
}

Status JobLoop::Log(const core::Event& event, bool changed) {
  if (const auto* heartbeat = std::get_if<core::HeartbeatReceived>(&event)) heartbeats_.Record(*heartbeat, now_);
  if (!changed) return {};
  std::vector<LoggedEvent> events;
  for (auto& [at, heartbeat] : heartbeats_.TakeBefore(event)) events.push_back({std::move(heartbeat), at});
  events.push_back({event, now_});
  return ports_.event_log.Append(events);
}

void JobLoop::Resume(const std::vector<LoggedEvent>& past, size_t recorded) {
  size_t entries = 0;
  for (const LoggedEvent& logged : past) {
    now_ = logged.at;
    const std::vector<core::Action> actions = job_.Step(logged.event, logged.at).actions;
    for (const core::Action& action : actions) {
      const auto* record = std::get_if<core::Record>(&action);
      if (record != nullptr && ++entries > recorded) ports_.journal.Add({logged.at, record->change});
    }
    ports_.performer.Replayed(logged, actions);
  }
}

void JobLoop::Fail(const Error& error) {
  Stop();
  ports_.performer.OnFailed(error);
}

}  // namespace howdah::am::loop
