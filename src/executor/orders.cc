// What the AM orders, and what follows when it is gone.
#include <algorithm>
#include <utility>

#include "executor.h"
#include "howdah/os/files/files.h"
#include "say.h"

namespace howdah::executor {
namespace {

// How long the last messages to the AM may take.
constexpr auto kFarewellLimit = std::chrono::seconds(2);
constexpr Duration kLingerLimit = std::chrono::seconds(10);
// Where programs of the task find the AM; howdah-agent's own.
constexpr char kAmVariable[] = "HOWDAH_AM";

}  // namespace

void Executor::OnMessage(const wire::ToExecutor& message) {
  if (message.has_welcome()) {
    if (!message.welcome().refused().empty()) {
      Say("the application master refuses this executor: " + message.welcome().refused());
      return Finish(1);
    }
    alone_since_.reset();
    await_am_ = Duration(message.welcome().await_am_micros());
    heartbeat_ = std::chrono::milliseconds(std::max(message.welcome().heartbeat_millis(), 1));
    ScheduleHeartbeat();
  }
  if (message.has_start()) OnStart(message.start(), message.cluster());
  if (message.has_stop()) OnStop(message.stop());
  if (message.has_watch_logs()) logs_.OnWatch(message.watch_logs().on());
  if (message.has_pull_log()) logs_.OnPull(message.pull_log());
  if (message.has_print()) OnPrint(message.print());
  if (message.has_open_tunnel()) tunnels_.Open(message.open_tunnel().id());
  if (message.has_leave()) OnLeave(message.leave());
}

void Executor::OnStart(const wire::Start& start, const wire::Cluster& cluster) {
  if (exit_code_ || attempt_ || pending_ || start.attempt() <= last_attempt_) return;  // repeated, or too late
  last_attempt_ = start.attempt();
  const RankPlace place{start.attempt(), start.generation(), 0, start.place()};
  auto endpoints = ReadCluster(cluster, plan_.spec, {plan_.task.role, start.place()});
  if (!endpoints) {
    return FailStart(place, {std::nullopt, "the application master sent a table of endpoints that makes no sense"}, "");
  }
  const auto port = static_cast<uint16_t>(std::min<uint32_t>(start.rendezvous().port(), UINT16_MAX));
  PendingStart pending{
      place, {std::move(*endpoints), {start.rendezvous().host(), port}, ReadExports(cluster, plan_.spec, plan_.task)}};
  if (workspace_) return StartAttempt(pending);
  pending_ = std::move(pending);
}

void Executor::OnStop(const wire::Stop& stop) {
  if (attempt_ && attempt_->number() == stop.attempt()) {
    if (stop.look() && !attempt_->stopping()) return StopAfterLook(stop);
    return attempt_->Stop(Duration(stop.grace_micros()), Duration(stop.limit_micros()));
  }
  if (pending_ && pending_->place.attempt == stop.attempt()) pending_.reset();
  // It never was, or has ended: the AM is told (again), and no late Start of it is followed.
  last_attempt_ = std::max(last_attempt_, stop.attempt());
  SendEnded(stop.attempt());
}

// Of an attempt that has ended nothing is written any more: its sizes have been told.
void Executor::OnPrint(const wire::Print& print) {
  const bool one_of_ours = print.local_rank() >= 0 && print.local_rank() < plan_.role().processes;
  if (!attempt_ || attempt_->number() != print.attempt() || !one_of_ours) return;
  const auto out = os::files::OpenForAppend(plan_.logs({print.attempt(), place_.generation, print.local_rank()}).out);
  if (!out.ok()) return Say(out.error().message);
  std::string lines = print.text();
  while (!lines.empty() && lines.back() == '\n') lines.pop_back();
  if (const Status written = os::files::AppendLine(out->get(), lines, "stdout"); !written.ok()) {
    Say(written.error().message);
  }
}

void Executor::OnLeave(const wire::Leave& leave) {
  const bool first = !exit_code_;
  if (!first && !lingering_) return;
  exit_code_ = exit_code_.value_or(0);
  pending_.reset();
  if (first && leave.linger_micros() > 0) Linger(std::min(Duration(leave.linger_micros()), kLingerLimit));
  if (leave.linger_micros() == 0) lingering_ = false;
  if (attempt_) return attempt_->Stop(Duration(0));
  if (!lingering_) Finish(*exit_code_);
}

void Executor::Linger(Duration limit) {
  lingering_ = true;
  farewell_.expires_after(limit);
  farewell_.async_wait([this](const boost::system::error_code& error) {
    if (error || !std::exchange(lingering_, false)) return;
    if (!attempt_) Finish(*exit_code_);
  });
}

void Executor::OnClosed(const std::string& why) {
  connected_ = false;
  heartbeat_timer_.cancel();
  if (exit_code_ && !attempt_) return loop_.stop();
  if (exit_code_) return;
  if (AwaitedFor() > Duration::zero()) return AwaitAm(why);
  Say("the connection to the application master at " + plan_.options.am_address + " is lost: " + why);
  exit_code_ = 1;
  pending_.reset();
  if (!attempt_) return loop_.stop();
  attempt_->Stop(plan_.spec.checkpoint.grace,
                 core::LongestGrace(plan_.spec.checkpoint));  // nobody is left who could order otherwise
}

Duration Executor::AwaitedFor() const {
  return alone_since_ ? std::max(Duration::zero(), await_am_ - (clock_.Now() - *alone_since_)) : await_am_;
}

// The processes of the task go on meanwhile, and their ends are kept to be told.
void Executor::AwaitAm(const std::string& why) {
  if (!alone_since_) {
    alone_since_ = clock_.Now();
    Say("the connection to the application master at " + plan_.options.am_address + " is lost (" + why +
        "); another one is awaited for " + DurationToText(await_am_));
  }
  Register();
}

// Whatever the old connection looks like: the AM at its other end has been replaced.
void Executor::OnCallback(const std::string& am_address) {
  if (exit_code_ || am_address == plan_.options.am_address) return;
  Say("another application master has called, from " + am_address);
  plan_.options.am_address = am_address;
  if (const auto known = plan_.options.agent_variables.find(kAmVariable);
      known != plan_.options.agent_variables.end()) {
    known->second = am_address;
  }
  alone_since_ = alone_since_.value_or(clock_.Now());
  heartbeat_timer_.cancel();
  tunnels_.Close();
  Register();
}

// What is queued is sent first; OnClosed ends the loop.
void Executor::Finish(int exit_code) {
  exit_code_ = exit_code;
  if (!connected_) return loop_.stop();
  link_->Finish();
  farewell_.expires_after(kFarewellLimit);
  farewell_.async_wait([this](const boost::system::error_code& error) {
    if (!error) loop_.stop();
  });
}

}  // namespace howdah::executor
