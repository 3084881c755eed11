#include "howdah/am/loop/job_loop.h"

#include <algorithm>
#include <utility>

namespace howdah::am::loop {

JobLoop::JobLoop(const jobspec::JobSpec& spec, const core::FrameworkRules& rules, Instant submitted, uint64_t seed,
                 Ports ports)
    : ports_(ports), job_(spec, rules, submitted, seed), now_(submitted) {}

void JobLoop::Post(core::Event event) {
  Posted posted{std::move(event), ports_.clock.Now()};
  if (no_space_) return Wait(posted);
  queue_.push_back(std::move(posted));
  if (std::exchange(pass_wanted_, true)) return;
  ports_.timers.PassSoon();
}

void JobLoop::RunPass() {
  pass_wanted_ = true;  // events posted from now on belong to this pass
  if (no_space_ && !stopped_ && !TryAgain()) {
    pass_wanted_ = false;
    return;
  }
  while (!queue_.empty() && !stopped_ && !no_space_) {
    const Posted posted = std::move(queue_.front());
    queue_.pop_front();
    Step(posted);
  }
  pass_wanted_ = false;
  if (stopped_ || no_space_) return;
  if (const Status flushed = ports_.journal.Flush(); !flushed.ok()) return OnWriteError(flushed.error(), {});
  ports_.performer.OnPassDone();
  ports_.timers.Arm(job_.NextDeadline());
}

// The time of the step is the time at which the event was posted, because the event may have waited for space.
void JobLoop::Step(const Posted& posted) {
  now_ = std::max(now_, posted.at);
  ++steps_;
  auto [actions, changed] = job_.Step(posted.event, now_);
  if (const Status logged = Log(posted.event, changed); !logged.ok()) {
    OnWriteError(logged.error(), std::move(actions));
    if (no_space_ && std::holds_alternative<core::StopRequested>(posted.event)) PrepareStop();
    return;
  }
  PerformAll(actions);
}

void JobLoop::PerformAll(const std::vector<core::Action>& actions) {
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

void JobLoop::Replay(const LoggedEvent& past, size_t recorded) {
  now_ = past.at;
  const std::vector<core::Action> actions = job_.Step(past.event, past.at).actions;
  for (const core::Action& action : actions) {
    const auto* record = std::get_if<core::Record>(&action);
    if (record != nullptr && ++replayed_entries_ > recorded) ports_.journal.Add({past.at, record->change});
  }
  ports_.performer.Replayed(past, actions);
}

void JobLoop::Fail(const Error& error) {
  Stop();
  ports_.performer.OnFailed(error);
}

// --- full file systems ---

void JobLoop::OnWriteError(const Error& error, std::vector<core::Action> actions) {
  if (error.code != ErrorCode::kNoSpace || stop_requested_) return Fail(error);
  no_space_ = NoSpace{ports_.clock.Now(), std::move(actions), {}};
  // Events of this pass that have not been stepped wait together with the events that are posted later.
  for (const Posted& posted : std::exchange(queue_, {})) Wait(posted);
  ports_.performer.OnNoSpace(error);
  ports_.timers.PassAfter(kRetryInterval);
}

void JobLoop::Wait(const Posted& posted) {
  // Drop ticks: deadlines are checked after the waiting events have been stepped. Before that, a container whose
  // heartbeats wait here would seem silent.
  if (std::holds_alternative<core::Ticked>(posted.event)) return;
  if (const auto* heartbeat = std::get_if<core::HeartbeatReceived>(&posted.event)) {
    no_space_->heartbeats.insert_or_assign(heartbeat->container, posted);
    return;
  }
  queue_.push_back(posted);
  if (std::holds_alternative<core::StopRequested>(posted.event)) PrepareStop();
}

void JobLoop::PrepareStop() {
  if (std::exchange(stop_requested_, true)) return;
  ports_.performer.FreeReserve();
  ports_.timers.PassSoon();
}

bool JobLoop::TryAgain() {
  Status written = ports_.event_log.Append({});
  if (written.ok()) written = ports_.journal.Flush();
  const Duration full_for = ports_.clock.Now() - no_space_->since;
  if (!written.ok()) {
    const bool hopeless = stop_requested_ || full_for >= kNoSpaceLimit || queue_.size() > kMostWaiting;
    if (written.error().code != ErrorCode::kNoSpace) {
      Fail(written.error());
    } else if (hopeless) {
      Fail({ErrorCode::kNoSpace, written.error().message + ", for " + FormatDuration(full_for)});
    } else {
      ports_.timers.PassAfter(kRetryInterval);
    }
    return false;
  }
  NoSpace before = std::move(*no_space_);
  no_space_.reset();
  for (auto& [container, heartbeat] : before.heartbeats) queue_.push_back(std::move(heartbeat));
  std::stable_sort(queue_.begin(), queue_.end(), [](const Posted& a, const Posted& b) { return a.at < b.at; });
  ports_.performer.OnSpace(full_for);
  PerformAll(before.actions);
  // Step this event before those that waited, because their orders are late, too. Its time is that of the newest step,
  // so that the waiting events keep their own times.
  const Instant until = std::min(ports_.clock.Now(), now_ + kNoSpaceLimit);
  if (until > now_) queue_.push_front({core::OrdersDelayed{until}, now_});
  return true;
}

}  // namespace howdah::am::loop
