#include "recovery.h"

#include <algorithm>
#include <utility>

#include "reason.h"
#include "require.h"
#include "units.h"

namespace howdah::core {
namespace {

using Then = jobspec::RestartRule::Then;

// The time limit for ranked tasks that rejoin to detect that their peers are gone.
constexpr Duration kRejoinLimit = std::chrono::minutes(1);
constexpr char kAllRestart[] = "all tasks are restarted";

bool IsFree(const Task& task) { return task.attempt.failure() && task.attempt.failure()->not_charged; }
bool IsFinal(const Task& task) { return task.attempt.failure() && task.attempt.failure()->final(); }

// Whether the executor of some running ranked task is disconnected, while no failure of that task is known. Such a task
// has probably failed first, because its node may be gone.
bool SomeRankedSilent(Roster& roster) {
  bool silent = false;
  roster.ForEach([&](const Task& task) {
    const Container* container = task.placement.container();
    silent |= task.ranked && task.attempt.is_open() && !task.attempt.failure() && container != nullptr &&
              container->disconnected();
  });
  return silent;
}

}  // namespace

Recovery::Recovery(Units& units)
    : context_(units.context), roster_(units.roster), recorder_(units.recorder), phase_(units.phase), units_(units) {}

int Recovery::BudgetOf(const Task& task) const {
  return std::max(0, roster_.SpecOf(task).restart.max - task.ledger.charged);
}

bool Recovery::FailsJob(const Task& task) const {
  return policy::FailsJob(roster_.RoleOf(task).kind(), roster_.SpecOf(task).on_failure, task.id.index == 0);
}

bool Recovery::MayRestart(const Task& task) const {
  return phase_.Drains(task) || JobBudget() > 0 || (task.ranked && roster_.ranked().budget > 0);
}

Remedy Recovery::Decide(const Task& task) const {
  const auto& failure = task.attempt.failure();
  const bool maybe_consequence = failure && (failure->diagnosis.consequence || SomeRankedSilent(roster_));
  return policy::Decide({.kind = roster_.RoleOf(task).kind(),
                         .on_failure = roster_.SpecOf(task).on_failure,
                         .ranked = task.ranked,
                         .budget = BudgetOf(task),
                         .ranked_budget = roster_.ranked().budget > 0,
                         .job_budget = JobBudget(),
                         .first_index = task.id.index == 0,
                         .not_charged = IsFree(task),
                         .final = IsFinal(task),
                         .maybe_consequence = maybe_consequence});
}

bool Recovery::RestartsAfterSuccess(Task& task) {
  if (!roster_.SpecOf(task).restart.always || task.ranked || phase_.Drains(task)) return false;
  task.ForgetOldCharges(context_.now);
  return BudgetOf(task) > 0;
}

bool Recovery::GoesOn(Task& task) {
  if (task.seat.leaving() || phase_.ending()) return false;
  if (task.state() == TaskState::kSucceeded) return RestartsAfterSuccess(task);
  if (phase_.Drains(task)) return true;
  // The task restarts alone, or its failure is accepted. Every other remedy has begun a drain or the end of the job.
  const auto& failure = task.attempt.failure();
  const auto remedy = failure ? failure->remedy : std::nullopt;
  Require(remedy == Remedy::kRestartTask || remedy == Remedy::kAccept,
          "an attempt ended, and its remedy neither restarts nor accepts it");
  return remedy == Remedy::kRestartTask;
}

void Recovery::React(Task& task) {
  if (phase_.ending() || task.seat.leaving()) return;
  for (Role& role : roster_.roles()) {
    if (!role.spec().restart.window) continue;
    for (Task& any : role.tasks()) any.ForgetOldCharges(context_.now);
  }
  const Remedy remedy = Decide(task);
  task.attempt.SetRemedy(remedy);
  if (phase_.Drains(task) && !(IsFinal(task) && remedy == Remedy::kFailJob)) return;
  switch (remedy) {
    case Remedy::kRestartTask:
    case Remedy::kAccept:
      return;
    case Remedy::kRestartRanked:
      return BeginDrain({.scope = Scope::kRanked},
                        FailureReason(roster_.SpecOf(task).name, task.id.index, *task.attempt.failure()));
    case Remedy::kRestartJob:
      return BeginDrain({.scope = Scope::kAll},
                        FailureReason(roster_.SpecOf(task).name, task.id.index, *task.attempt.failure()));
    case Remedy::kFailJob:
      return units_.ending.Begin({.origin = Ending::Origin::kFailure});
  }
}

// Counts the task's failure against its node. The failure must not be a consequence of another failure.
void Recovery::BlameNode(const Task& task) {
  const auto& failure = task.attempt.failure();
  const std::string& node = task.placement.node();
  if (!failure || failure->planned() || task.placement.preempted() || node.empty()) return;
  const bool faulty = failure->verdict == Then::kElsewhere;
  const std::string why = faulty ? nodes_.Faulty(node, context_.now) : nodes_.Failed(node, context_.now);
  if (why.empty()) return;
  SendAvoidedNodes();
  recorder_.Advise(phase_.running() ? JobChanged::Type::kRunning : JobChanged::Type::kRecovering, why);
}

void Recovery::SendAvoidedNodes() {
  for (auto& [node, left] : nodes_.Avoided(context_.now)) context_.Emit(AvoidNode{node, left});
}

// Charges the task for a restart, unless the restart is free, and returns the pause before the restart. A free restart
// has no pause after a lost container, but has one after a failure of the task's own processes. The pause after a
// success is never doubled.
Duration Recovery::Charge(Task& task) {
  const Duration first = roster_.SpecOf(task).restart.backoff;
  if (!IsFree(task)) {
    task.Charge(context_.now);
    if (!task.attempt.failure()) return first;  // `restart.always`
    return policy::Backoff(first, task.ledger.charged);
  }
  return task.attempt.failure()->verdict ? policy::Backoff(first, ++task.ledger.free) : Duration::zero();
}

void Recovery::RestartAlone(Task& task) {
  BlameNode(task);
  const Duration pause = Charge(task);
  if (pause > Duration::zero()) units_.attempts.BackOff(task, pause);
  Revive(task);
}

// Prepares the task for its next start, under a new attempt number if the last one was used.
void Recovery::Revive(Task& task) {
  Containers& containers = units_.allocation.containers;
  Container* container = task.placement.container();
  const bool moves = container != nullptr && nodes_.Avoided(container->node(), context_.now);
  const bool changes = moves || task.attempt.used() || core::IsFinal(task.state());
  task.attempt.Renumber(task.attempt.number() + task.attempt.used());
  task.attempt.ForgetFailure();
  task.SetStack("");
  task.SetDone(false);
  if (moves) containers.Replace(task);
  container = task.placement.container();
  if (container == nullptr) {
    task.Become(TaskState::kPending);
    units_.allocation.requests.Want(task);
  } else {
    // The container is being killed. The task requests another container once this one is gone.
    const bool going = container->is(Container::Phase::kKilled);
    task.Become(task.placement.connected() ? TaskState::kReady : going ? TaskState::kPending : TaskState::kAllocated);
  }
  if (changes) recorder_.Placed(task);
  if (!task.placement.connected()) units_.membership.growth.AwaitReplacement(task);
  if (task.placement.connected()) units_.attempts.Queue(task);
}

void Recovery::BeginDrain(Phase::Drain drain, const Reason& why) {
  const bool ranked_only = drain.scope == Scope::kRanked, rejoin = drain.rejoin;
  phase_.BeginDrain(std::move(drain));
  units_.ending.DisarmRoles();
  StopScope();
  if (rejoin && ranked_only && roster_.ranked().rendezvous.joined > 0) {
    context_.timers.Arm(JobTimer::kRejoin, context_.performed() + kRejoinLimit);
    units_.rendezvous.LeaveTogether();
  }
  recorder_.Recovering(why, ranked_only ? units_.rendezvous.HowTheyRecover() : kAllRestart);
}

void Recovery::DrainRanked(const Reason& why, bool rejoin) {
  BeginDrain({.scope = Scope::kRanked, .why = why, .rejoin = rejoin}, why);
}

void Recovery::StopScope() {
  const Scope scope = phase_.drain().scope;
  roster_.ForEach([&](Task& task) {
    if (scope == Scope::kRanked && !task.ranked) return;
    if (!task.attempt.is_open()) {
      units_.attempts.CancelBackOff(task);
    } else if (task.attempt.ranks().left > 0 && !units_.rendezvous.Rejoins(task)) {
      units_.attempts.Stop(task);
    }
  });
}

bool Recovery::DrainIsOver() const {
  if (!phase_.draining()) return false;
  const Tally& scope = roster_.Of(phase_.drain().scope);
  return scope.open == scope.rendezvous.rejoining;
}

// The task with the failure that explains the drain. Other failures in the scope may be consequences of it.
Task* Recovery::FirstFailure() {
  Task* first = nullptr;
  roster_.ForEach([&](Task& task) {
    const auto& failure = task.attempt.failure();
    if (task.seat.leaving() || !failure || !phase_.Drains(task)) return;
    if (failure->verdict == Then::kElsewhere) BlameNode(task);
    const bool counts = FailsJob(task) || (task.ranked && BudgetOf(task) > 0) || IsFree(task);
    if (!counts || IsFinal(task)) return;
    if (first == nullptr || CameFirst(*failure, *first->attempt.failure())) first = &task;
  });
  return first;
}

// If the ranked task that failed first has no restart left, restarts or fails the whole job and returns true.
bool Recovery::WidenToJob(const Task& first, const Reason& why) {
  if (phase_.drain().scope == Scope::kAll || IsFree(first) || BudgetOf(first) > 0) return false;
  if (JobBudget() <= 0) {
    units_.ending.Begin({.origin = Ending::Origin::kFailure});
    return true;
  }
  phase_.WidenDrain();
  StopScope();
  recorder_.Recovering(why, kAllRestart);
  return true;
}

void Recovery::FinishDrain() {
  if (roster_.ranked().rendezvous.rejoining > 0 && !units_.rendezvous.SomeStateStays()) {
    phase_.StopRejoins();
    return StopScope();
  }
  Task* first = FirstFailure();
  const Reason why = first != nullptr ? units_.monitor.HowFailed(*first) : phase_.drain().why;
  if (first != nullptr && WidenToJob(*first, why)) return;
  const Scope scope = phase_.drain().scope;
  if (first != nullptr) BlameNode(*first);
  Duration pause{};
  if (scope == Scope::kAll) {
    ++job_restarts_;
    roster_.ResetBudgets();
    if (first != nullptr) pause = policy::Backoff(roster_.SpecOf(*first).restart.backoff, job_restarts_);
  } else if (first != nullptr) {
    pause = Charge(*first);
  }
  context_.timers.Disarm(JobTimer::kRejoin);
  BeginGeneration(scope, pause, why);
}

void Recovery::BeginGeneration(Scope scope, Duration pause, const Reason& why) {
  const bool backoff = pause > Duration::zero();
  phase_.BeginGeneration({.scope = scope, .everyone = scope == Scope::kRanked || context_.together}, backoff);
  units_.rendezvous.BeginGeneration();
  const Tally& ranked = roster_.ranked();
  std::string scope_text = scope == Scope::kAll ? "all tasks restart" : "all ranked tasks restart";
  if (ranked.rendezvous.rejoining > 0) {
    scope_text = std::to_string(ranked.rendezvous.rejoining) + " of " + std::to_string(ranked.tasks) +
                 " ranked tasks continue without a restart,";
  }
  recorder_.Recovering(why, scope_text + " as generation " + std::to_string(phase_.generation()) +
                                (backoff ? " in " + FormatDuration(pause) : ""));
  roster_.ForEach([&](Task& task) {
    if ((scope == Scope::kRanked && !task.ranked) || !task.seat.stays()) return;
    if (scope == Scope::kAll) task.placement.ForgetLaunchFailures();
    task.SetStarted(false);
    task.SetBackingOff(false);
    if (task.counts().rendezvous.rejoining == 0) Revive(task);
  });
  context_.timers.Disarm(JobTimer::kGang);  // the next generation has the whole allocation timeout
  units_.ending.Revisit();                  // arms the `outlive` limits again: some roles may still be done
  if (backoff) context_.timers.Arm(JobTimer::kBackoff, context_.now + pause);
}

void Recovery::MarkRunning() {
  if (phase_.kind() != Phase::Kind::kForming || phase_.holds() || units_.rendezvous.forming()) return;
  phase_.Run();
  recorder_.Running();
  if (running_since_) return;
  running_since_ = context_.now;
  const auto& limit = context_.spec.timeouts.run;
  if (limit) context_.timers.Arm(JobTimer::kRun, context_.now + *limit);
}

}  // namespace howdah::core
