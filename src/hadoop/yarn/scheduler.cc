#include "howdah/hadoop/yarn/scheduler.h"

#include <algorithm>
#include <array>
#include <utility>

#include "howdah/hadoop/rpc/token_proto.h"
#include "scheduler_answers.h"

namespace howdah::hadoop::yarn {
namespace {

using namespace std::chrono_literals;
using namespace ::hadoop::yarn;

constexpr Duration kTryAgain = 500ms;

// Whether the ResourceManager understood the request but can never satisfy it.
bool IsRejection(const Error& error) {
  static constexpr std::array<std::string_view, 4> kRejections = {
      "InvalidResourceRequestException", "InvalidLabelResourceRequestException",
      "InvalidResourceBlacklistRequestException", "SchedulerInvalidResoureRequestException"};
  return std::any_of(kRejections.begin(), kRejections.end(), [&](auto name) { return Is(error, name); });
}

}  // namespace

Duration PauseWhileExpecting(Duration since_event) {
  if (since_event < 3s) return 50ms;
  if (since_event < 10s) return 100ms;
  if (since_event < 30s) return 250ms;
  if (since_event < 2min) return 500ms;
  return 1s;
}

Duration PauseWhenIdle(Duration expiry) { return std::clamp<Duration>(expiry / 3, 10ms, 1s); }

Scheduler::Scheduler(boost::asio::io_context& loop, std::unique_ptr<SchedulerCalls> calls, SchedulerSink& sink,
                     SchedulerOptions options)
    : calls_(std::move(calls)),
      sink_(sink),
      options_(std::move(options)),
      allocation_(options_.allocation),
      timer_(loop) {}

Instant Scheduler::Now() const {
  return Instant(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

void Scheduler::After(Duration pause, void (Scheduler::*then)()) {
  const uint64_t use = ++timer_use_;
  timer_.expires_after(pause);
  timer_.async_wait([this, use, then, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (!error && !alive.expired() && use == timer_use_) (this->*then)();
  });
}

void Scheduler::Register() {
  state_ = State::kRegistering;
  last_reached_ = Now();
  SendRegister();
}

void Scheduler::Resume(int32_t response_id) {
  allocation_.Resume(response_id);
  registered_once_ = true;
  facts_changed_ = !options_.tracking_url.empty();
  state_ = State::kHeartbeating;
  last_reached_ = last_event_ = Now();
  Plan();
}

void Scheduler::SendRegister() {
  RegisterApplicationMasterRequestProto request;
  request.set_host(options_.host);
  request.set_rpc_port(options_.rpc_port);
  if (!options_.tracking_url.empty()) request.set_tracking_url(options_.tracking_url);
  facts_changed_ = false;
  calling_ = true;
  calls_->Call("registerApplicationMaster", request.SerializeAsString(),
               [this, alive = std::weak_ptr(alive_)](Result<std::string> bytes) {
                 if (!alive.expired()) OnRegisterAnswer(std::move(bytes));
               });
}

void Scheduler::OnRegisterAnswer(Result<std::string> bytes) {
  calling_ = false;
  if (state_ == State::kStopped) return;
  auto response = Read<RegisterApplicationMasterResponseProto>("registerApplicationMaster", bytes);
  const bool already = !response && IsRegisteredAlready(response.error());
  if (!response && !already) {
    const Error error = response.error().While("registering the application master");
    if (IsAttemptRejected(error)) return ReportLost(error);
    if (ReportUnreachable(error)) return;
    return After(kTryAgain, &Scheduler::SendRegister);
  }
  OnReached();
  allocation_.Resync();
  state_ = State::kHeartbeating;
  last_event_ = Now();
  // If the error is "already registered", the answer to an earlier registration was lost.
  if (!std::exchange(registered_once_, true)) {
    sink_.OnRegistered(already ? std::nullopt : std::make_optional(std::move(*response)));
  }
  if (state_ == State::kHeartbeating && !calling_) SendHeartbeat();
}

void Scheduler::Ask(int key, const Shape& shape, int count) {
  allocation_.Ask(key, shape, count);
  last_event_ = Now();
  Plan();
}

void Scheduler::CancelAll() {
  allocation_.CancelAll();
  Plan();
}

void Scheduler::Release(const ContainerId& id) {
  allocation_.Release(id);
  Plan();
}

void Scheduler::AdoptSurplus(const ContainerId& id, const std::string& node) {
  allocation_.AdoptSurplus(id, node);
  Plan();
}

void Scheduler::NodeFailed(const std::string& node) {
  allocation_.NodeFailed(node, Now());
  Plan();
}

void Scheduler::Avoid(const std::string& host, Duration limit) {
  allocation_.Avoid(host, Now(), limit);
  Plan();
}

void Scheduler::SetNodes(std::vector<KnownNode> nodes) {
  allocation_.SetNodes(std::move(nodes));
  Plan();
}

void Scheduler::SetExpecting(bool expecting) {
  if (expecting_ == expecting) return;
  expecting_ = expecting;
  if (expecting) last_event_ = Now();
  Plan();
}

void Scheduler::SetProgress(float progress) {
  if (std::exchange(progress_, progress) == progress) return;
  facts_changed_ = true;
  Plan();
}

// Schedules the next heartbeat. The pause depends on the present state.
void Scheduler::Plan() {
  if (state_ != State::kHeartbeating || calling_ || unreachable_) return;
  const Instant now = Now();
  Duration pause = PauseWhenIdle(options_.expiry);
  if (allocation_.HasChanges(now) || facts_changed_) {
    pause = kMinPause;
  } else if (allocation_.outstanding() > 0 || expecting_) {
    pause = std::min(pause, PauseWhileExpecting(now - last_event_));
  }
  After(std::max<Duration>(last_call_ + pause - now, 0ms), &Scheduler::SendHeartbeat);
}

void Scheduler::SendHeartbeat() {
  if (state_ != State::kHeartbeating || calling_) return;
  last_call_ = Now();
  AllocateRequestProto request = allocation_.Request(last_call_);
  request.set_progress(progress_);
  if (!options_.tracking_url.empty()) request.set_tracking_url(options_.tracking_url);
  facts_changed_ = false;
  calling_ = true;
  calls_->Call("allocate", request.SerializeAsString(),
               [this, alive = std::weak_ptr(alive_)](Result<std::string> bytes) {
                 if (!alive.expired()) OnHeartbeatAnswer(std::move(bytes));
               });
}

void Scheduler::OnHeartbeatAnswer(Result<std::string> bytes) {
  calling_ = false;
  if (state_ != State::kHeartbeating) return;
  const auto response = Read<AllocateResponseProto>("allocate", bytes);
  if (!response) return OnHeartbeatFailure(response.error());
  const std::weak_ptr<bool> alive = alive_;
  OnReached();
  const auto ordered = [&](AMCommandProto command) {
    return response->has_a_m_command() && response->a_m_command() == command;
  };
  if (ordered(AM_SHUTDOWN)) {
    return ReportLost(Failed("the ResourceManager ordered the application master to shut down"));
  }
  Take(*response);
  if (alive.expired() || state_ != State::kHeartbeating) return;
  if (ordered(AM_RESYNC)) {
    state_ = State::kRegistering;
    return SendRegister();
  }
  Plan();
}

void Scheduler::Take(const AllocateResponseProto& response) {
  const std::weak_ptr<bool> alive = alive_;
  if (response.has_am_rm_token() && response.am_rm_token().identifier() != am_rm_token_) {
    am_rm_token_ = response.am_rm_token().identifier();
    calls_->SetToken(hadoop::rpc::FromProto(response.am_rm_token()));
  }
  const Allocation::Effects effects = allocation_.Apply(response);
  if (!effects.granted.empty() || !effects.completed.empty()) last_event_ = Now();
  sink_.OnAnswer(response);
  for (const auto& completed : effects.completed) {
    if (alive.expired() || state_ != State::kHeartbeating) return;
    sink_.OnCompleted(completed);
  }
  for (const auto* containers : {&effects.granted, &effects.surplus}) {
    for (const auto& granted : *containers) {
      if (alive.expired() || state_ != State::kHeartbeating) return;
      sink_.OnGranted(granted);
    }
  }
}

void Scheduler::OnHeartbeatFailure(const Error& error) {
  const Error call_error = error.While("the heartbeat to the ResourceManager");
  if (Is(error, "ApplicationMasterNotRegisteredException")) {
    state_ = State::kRegistering;
    return SendRegister();
  }
  if (IsRegisteredAgain(error)) {
    OnReached();
    allocation_.Resync();
    return After(kTryAgain, &Scheduler::SendHeartbeat);
  }
  if (IsAttemptRejected(error) || Is(error, "InvalidApplicationMasterRequestException")) return ReportLost(call_error);
  if (IsRejection(error)) {
    const std::weak_ptr<bool> alive = alive_;
    OnReached();
    sink_.OnRejected(call_error, allocation_.Rejected());
    if (!alive.expired()) Plan();
    return;
  }
  if (ReportUnreachable(call_error)) return;
  After(kTryAgain, &Scheduler::SendHeartbeat);
}

void Scheduler::OnReached() {
  last_reached_ = Now();
  if (std::exchange(unreachable_, false)) sink_.OnUnreachable("");
}

// Reports that the ResourceManager is unreachable. Returns true if the scheduler has stopped as a result: either the
// outage has exceeded the limit, or the sink has stopped or destroyed the scheduler.
bool Scheduler::ReportUnreachable(const Error& error) {
  if (Now() - last_reached_ >= options_.give_up) {
    ReportLost(Error{ErrorCode::kUnavailable, "the ResourceManager could not be reached for " +
                                                  FormatDuration(options_.give_up) + ": " + error.message});
    return true;
  }
  const std::weak_ptr<bool> alive = alive_;
  if (!std::exchange(unreachable_, true)) sink_.OnUnreachable(error.message);
  return alive.expired() || state_ == State::kStopped;
}

void Scheduler::ReportLost(const Error& error) {
  Stop();
  sink_.OnLost(error);
}

void Scheduler::Stop() {
  state_ = State::kStopped;
  ++timer_use_;
  timer_.cancel();
}

}  // namespace howdah::hadoop::yarn
