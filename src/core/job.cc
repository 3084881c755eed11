#include "howdah/core/job.h"

#include <algorithm>
#include <utility>

#include "howdah/base/text.h"
#include "invariants.h"
#include "reason.h"
#include "require.h"
#include "units.h"

namespace howdah::core {

Allocation::Allocation(Units& units) : containers(units.context), requests(units), assembly(units), placements(units) {}

Membership::Membership(Units& units) : scaling(units), growth(units), coordinators(units) {}

Units::Units(jobspec::JobSpec spec, FrameworkRules rules, Instant submitted, uint64_t seed)
    : context{.spec = std::move(spec),
              .rules = std::move(rules),
              .submitted = submitted,
              .together = policy::StartsTogether(context.spec.start, context.rules.needs_whole_cluster),
              .random = policy::Random(seed),
              .now = submitted,
              .event_time = submitted},
      roster(context),
      recorder(context, roster, phase),
      allocation(*this),
      attempts(*this),
      monitor(*this),
      recovery(*this),
      ending(*this),
      unfinished_roles(*this),
      unready_roles(*this),
      token_lifetime(context, recorder),
      membership(*this),
      rendezvous(*this) {
  for (Role& role : roster.roles()) {
    const jobspec::Instances& instances = role.spec().instances;
    while (role.size() < instances.max) membership.scaling.AddTask(role, /*member=*/role.size() < instances.min);
  }
}

// Passes each event to the unit that handles it (Units). Then Settle() performs the actions that follow from the new
// state, such as starting tasks or ending the job.
class Job::Impl {
 public:
  Impl(jobspec::JobSpec spec, FrameworkRules rules, Instant submitted, uint64_t seed)
      : units(std::move(spec), std::move(rules), submitted, seed) {}

  StepResult Step(const Event& event, Instant now);

  Units units;

 private:
  void On(const AmStarted& e);
  void On(const AmResumed& e);
  void On(const RequestsDelayed& e);
  void On(const RequestsRefused& e);
  void On(const HeartbeatReceived& e);
  void On(const ExecutorDisconnected& e);
  void On(const Ticked& e);
  void On(const TaskProgressed& e) { units.monitor.On(e); }
  void On(const TaskServes& e) { units.monitor.On(e); }
  void On(const TaskHung& e) { units.monitor.On(e); }
  void On(const StackSampled& e) { units.monitor.On(e); }
  void On(const RendezvousReported& e) { units.rendezvous.On(e); }
  void On(const ScaleRequested& e) { units.membership.scaling.On(e); }
  void On(const StopRequested& e) { units.ending.On(e); }
  void On(const FinishPrepared& e) { units.ending.On(e); }
  void On(const TokensIssued& e) { units.token_lifetime.On(e); }
  void On(const TensorBoardReported& e) { units.recorder.TensorBoard(e); }
  template <typename ContainerEvent>
  requires requires(Placements placements, ContainerEvent e) { placements.On(e); }
  void On(const ContainerEvent& e) { units.allocation.placements.On(e); }
  template <typename AttemptEvent>
  void On(const AttemptEvent& e) {
    units.attempts.On(e);
  }

  void Settle();
  void FireTaskTimer(const TimerQueue::Entry& entry);
  void FireJobTimer(JobTimer timer);
};

Job::Job(jobspec::JobSpec spec, FrameworkRules rules, Instant submitted, uint64_t seed)
    : impl_(std::make_unique<Impl>(std::move(spec), std::move(rules), submitted, seed)) {}
Job::~Job() = default;
StepResult Job::Step(const Event& event, Instant now) { return impl_->Step(event, now); }
std::optional<Instant> Job::NextDeadline() const {
  return finished() ? std::nullopt : impl_->units.context.timers.Next();
}
const PeerGroup& Job::peers() const { return impl_->units.roster.Peers(); }
const Exports& Job::exports() const { return impl_->units.attempts.exports(); }
const jobspec::JobSpec& Job::spec() const { return impl_->units.context.spec; }
bool Job::finished() const { return impl_->units.ending.finished(); }
void Job::CheckInvariants() const { CheckAll(impl_->units); }

StepResult Job::Impl::Step(const Event& event, Instant now) {
  Context& context = units.context;
  context.event_time = now;
  context.now = std::max(context.now, now);
  if (units.ending.finished() && !std::holds_alternative<AmResumed>(event)) return {};
  units.roster.BeginStep();
  context.changed = !std::holds_alternative<HeartbeatReceived>(event) && !std::holds_alternative<Ticked>(event);
  std::visit([this](const auto& e) { On(e); }, event);
  const bool settled = std::holds_alternative<HeartbeatReceived>(event) ||
                       std::holds_alternative<ExecutorDisconnected>(event) ||
                       std::holds_alternative<TaskProgressed>(event);
  if (!settled) Settle();
  CheckStep(units);
  Require(context.changed || context.actions.empty(), "an event that changes nothing has an action");
  return {std::exchange(context.actions, {}), context.changed};
}

// Performs the actions that follow from an event. The order of the steps matters:
// - Ending comes first: a job that is ending does nothing else, and finishes when it holds no container.
// - Requested sizes apply before the outcome is judged, because a role may be done only after it became smaller.
// - The outcome is judged before a drain is finished, so that a job that has succeeded or failed restarts nothing.
//   Judging and finishing a drain can cause work for the earlier steps, so these three steps repeat until nothing
//   changes.
// - Roles open and close before the requests are updated, because a closed role requests nothing.
// - Optional tasks that can no longer join are dismissed before the requests are updated, so that their containers are
//   not replaced.
// - A gang is launched when its last container is granted, and starts when its last task is registered. Between these
//   two steps, tasks join roles that are not ranked, because the gang waits for such tasks.
// - Coordinators process membership changes before the gang starts, so that a coordinator that must restart is stopped
//   first.
// - A complete generation starts (StartComplete) before a larger one is considered (GrowRanked).
// - Tasks start after all steps that may prevent a start. Tasks that rejoin get their slots after the other tasks have
//   started.
void Job::Impl::Settle() {
  for (;;) {
    if (units.phase.ending()) {
      if (units.allocation.containers.empty()) units.ending.Prepare();
      return;
    }
    if (units.phase.queued()) return;
    units.membership.scaling.ApplyRequests();
    if (units.ending.Judge()) continue;
    if (!units.recovery.DrainIsOver()) break;
    units.recovery.FinishDrain();
  }
  units.allocation.assembly.OpenRoles();
  units.membership.growth.DismissOptional();
  units.allocation.requests.Update();
  units.allocation.assembly.LaunchComplete();
  units.membership.growth.JoinUnranked();
  units.membership.coordinators.Update();
  units.allocation.assembly.StartComplete();
  units.membership.growth.GrowRanked();
  units.attempts.StartQueued();
  units.rendezvous.Rejoin();
}

void Job::Impl::On(const AmStarted& e) {
  if (!units.phase.queued() || units.phase.ending()) return;
  units.phase.Form(e.generation);
  units.recorder.AmStarted(e);
  units.roster.SetFirstAttempt(e.first_task_attempt);
  units.roster.ForEach([this](Task& task) {
    if (task.seat.member()) units.recorder.Placed(task);
  });
  units.allocation.assembly.Begin();
  units.ending.Revisit();  // a job may have no task to wait for
}

void Job::Impl::On(const AmResumed& e) {
  units.ending.Resume();  // also in the phase Queued: a job can end before its AM has started it
  if (units.ending.finished() || units.phase.queued()) return;
  Containers& containers = units.allocation.containers;
  units.recorder.Resumed(e, containers.size());
  containers.ForEach([&](Container& container) { containers.Resend(container); });
  units.recovery.SendAvoidedNodes();
  units.allocation.requests.Resend();
  if (!units.context.rules.needs_am || units.phase.ending() || units.roster.ranked().open == 0) return;
  if (units.rendezvous.SurvivesAm()) return;
  if (units.phase.draining()) {
    units.phase.StopRejoins();
    return units.recovery.StopScope();
  }
  units.recovery.DrainRanked(
      {"the application master died, and with it the rendezvous of the ranked tasks", Cause{Cause::Kind::kAmDeath}},
      /*rejoin=*/false);
}

void Job::Impl::On(const RequestsDelayed& e) {
  constexpr size_t kLongestSentence = 700;  // the reasons of backends contain many figures
  // `pending` does not count optional tasks, because the job does not wait for them.
  const bool waits = units.roster.all().pending > 0;
  units.recorder.WaitForBackend(waits ? RequestsDelayed{OneLine(e.reason, kLongestSentence), e.queued}
                                      : RequestsDelayed());
  units.recorder.Waiting();
}

void Job::Impl::On(const RequestsRefused& e) {
  if (units.phase.ending()) return;
  units.ending.Begin({.state = JobState::kFailed, .exit_code = 3, .reason = {e.reason, Cause{Cause::Kind::kRefused}}});
}

// The AM may report a heartbeat late, after newer events.
void Job::Impl::On(const HeartbeatReceived& e) {
  Containers& containers = units.allocation.containers;
  Container* container = containers.Find(e.container);
  if (container == nullptr) return;
  containers.HeartbeatAt(*container, units.context.event_time);
  if (e.usage) container->SetUsage(*e.usage);
}

void Job::Impl::On(const ExecutorDisconnected& e) {
  Containers& containers = units.allocation.containers;
  if (Container* container = containers.Find(e.container)) containers.Disconnected(*container);
}

void Job::Impl::On(const Ticked&) {
  Timers& timers = units.context.timers;
  while (const auto entry = timers.Pop(units.context.now)) {
    switch (entry->key.owner) {
      case TimerKey::Owner::kJob: {
        const auto timer = static_cast<JobTimer>(entry->key.first);
        if (!timers.IsDue(timer, *entry)) break;
        units.context.changed = true;
        FireJobTimer(timer);
        break;
      }
      case TimerKey::Owner::kContainer:
        if (!units.allocation.containers.IsDue(*entry)) break;
        units.context.changed |= units.allocation.placements.FireContainer(*entry);
        break;
      case TimerKey::Owner::kRole:
        units.context.changed |= units.ending.FireRole(*entry);
        break;
      case TimerKey::Owner::kTask:
      case TimerKey::Owner::kMissing:
        FireTaskTimer(*entry);
        break;
    }
  }
}

void Job::Impl::FireTaskTimer(const TimerQueue::Entry& entry) {
  Task* task = units.roster.Find({entry.key.first, entry.key.second});
  if (task == nullptr) return;
  const bool of_attempt = entry.key.owner == TimerKey::Owner::kTask;
  Timer& timer = of_attempt ? task->attempt.timer() : task->placement.replacement_timer();
  if (!units.context.timers.IsDue(timer, entry)) return;
  units.context.changed = true;
  of_attempt ? units.attempts.FireTask(*task) : units.membership.growth.FireMissing(*task);
}

void Job::Impl::FireJobTimer(JobTimer timer) {
  if (units.phase.ending()) return;
  switch (timer) {
    case JobTimer::kGang:
      return units.allocation.assembly.FireGang();
    case JobTimer::kHold:
      return units.allocation.assembly.FireHold();
    case JobTimer::kHoldNotice:
      return units.allocation.assembly.FireHoldNotice();
    case JobTimer::kRequestAgain:
      return units.allocation.assembly.FireRequestAgain();
    case JobTimer::kBackoff:
      return units.phase.EndBackoff();
    case JobTimer::kRun:
      return units.ending.FireRunLimit();
    case JobTimer::kSettle:
      return units.membership.growth.FireSettle();
    case JobTimer::kMembership:
      return;  // Coordinators::Update checks the time
    case JobTimer::kRejoin:
      return units.rendezvous.FireRejoinLimit();
    case JobTimer::kUnfinishedRoles:
      return units.unfinished_roles.Fire();
    case JobTimer::kUnreadyRoles:
      return units.unready_roles.Fire();
    case JobTimer::kTokens:
      return units.token_lifetime.Fire();
    case JobTimer::kCount:
      return;
  }
}

}  // namespace howdah::core
