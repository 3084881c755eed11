#include "attempts.h"

#include <algorithm>
#include <utility>

#include "howdah/base/bytes.h"
#include "howdah/base/exit_status.h"
#include "howdah/core/progress.h"
#include "howdah/core/results.h"
#include "reason.h"
#include "require.h"
#include "units.h"

namespace howdah::core {
namespace {

using Kind = Cause::Kind;
using Run = Attempt::Run;

// The time beyond the grace within which an executor must end an attempt. After it, the container is killed.
constexpr Duration kStopSlack = std::chrono::seconds(5);
constexpr char kStoppedText[] = "the application master died before it had recorded the stop";

// Whether one more result of this size would make the results of the job's current attempts exceed the limit.
bool ExceedsJobLimit(const Roster& roster, int bytes) {
  int64_t total = bytes;
  for (const Role& role : roster.roles()) {
    for (const Task& task : role.tasks()) total += task.results.Total();
  }
  return total > kJobResultsLimit;
}

Diagnosis LargeResults(int bytes) {
  Diagnosis diagnosis;
  diagnosis.cause = "its result of " + FormatBytes(bytes) + " would exceed the limit of " +
                    FormatBytes(kJobResultsLimit) + " for all results of a job";
  diagnosis.advice = kLargeResultAdvice;
  return diagnosis;
}

}  // namespace

Attempts::Attempts(Units& units)
    : context_(units.context),
      roster_(units.roster),
      recorder_(units.recorder),
      units_(units),
      queued_(units.context.spec.roles.size()),
      exports_(units.context.spec.roles.size()) {}

void Attempts::On(const TaskStarted& e) {
  Task* task = Find(e.container, e.attempt);
  if (task == nullptr || task->attempt.run() != Run::kStarting) return;
  task->attempt.MarkRunning(context_.Plausible(e.at));
  task->Become(TaskState::kRunning);
  task->SetStarted(true);
  task->placement.ForgetLaunchFailures();
  recorder_.Started(*task, e);
  const auto& timeout = roster_.SpecOf(*task).timeout;
  if (timeout && !task->attempt.stop()) Arm(*task, context_.now + *timeout);
  if (roster_.SpecOf(*task).ready) units_.ending.Revisit();
  units_.recovery.MarkRunning();
}

void Attempts::On(const RankExited& e) {
  Task* task = Find(e.container, e.attempt);
  if (task == nullptr) return;
  Attempt& attempt = task->attempt;
  const bool awaited = units_.rendezvous.IsAwaited(*task);
  const Instant at = context_.Plausible(e.at);
  if (!attempt.CountExit(e.local_rank, at)) return;
  const bool large = e.result_bytes && ExceedsJobLimit(roster_, *e.result_bytes);
  if (e.result_bytes && !large) task->results.Set(e.local_rank, attempt.ranks().exited.size(), *e.result_bytes);
  // A process that exited before the stop order exited by itself, even if its exit is reported after the order.
  const bool by_itself = !e.by_stop_order() && (!attempt.stop() || at < attempt.stop()->at);
  if (e.during_stop && !attempt.stop()) {
    attempt.SetExit(e.exit);
    NoteFailure(*task, FailureOf(*task, Kind::kOutdated, at, {kStoppedText, /*infrastructure=*/true}));
  } else if (e.exit.success() && e.diagnosis.cause.empty() && !(awaited && by_itself) && !(large && by_itself)) {
    if (by_itself) attempt.CountCleanExit();
    if (!attempt.exit()) attempt.SetExit(e.exit);
    const bool exports = task->id.index == 0 && e.local_rank == 0 && by_itself;
    if (exports) exports_[static_cast<size_t>(task->id.role)] = e.exports;
  } else if (by_itself) {
    RankExited failed = e;
    if (large && e.exit.success() && e.diagnosis.cause.empty()) failed.diagnosis = LargeResults(*e.result_bytes);
    CountFailedRank(*task, failed, at, awaited);
  } else if (!attempt.exit() || attempt.exit()->success()) {
    attempt.SetExit(e.exit);
  }
  // Stop the attempt's remaining processes, because they cannot continue in another generation without the process that
  // has exited.
  if (attempt.ranks().left > 0 && units_.phase.Drains(*task) && !units_.rendezvous.Rejoins(*task)) Stop(*task);
  if (attempt.ranks().left == 0 && !attempt.stop()) {
    Arm(*task, context_.now + context_.spec.checkpoint.grace + kStopSlack);
  }
}

void Attempts::CountFailedRank(Task& task, const RankExited& e, Instant at, bool awaited) {
  Failure failure = task.NewFailure(Kind::kExit, at);
  failure.exit = e.exit;
  Diagnosis diagnosis = e.diagnosis;
  if (e.exit.success() && awaited) diagnosis.cause = "it ended while the other ranked tasks waited for it";
  NoteFailure(task, Diagnosed(task, std::move(failure), diagnosis));
}

void Attempts::On(const TaskStartFailed& e) {
  Task* task = Find(e.container, e.attempt);
  if (task == nullptr || task->attempt.run() != Run::kStarting) return;
  const Instant at = context_.Plausible(e.at);
  task->attempt.SetExit(e.exit_code ? std::optional(ExitStatus{.code = e.exit_code}) : std::nullopt);
  task->attempt.EndRanks();
  if (!task->attempt.stop() || at < task->attempt.stop()->at) {
    Failure failure = task->NewFailure(Kind::kNotStarted, at);
    failure.exit.code = e.exit_code;
    NoteFailure(*task, Diagnosed(*task, std::move(failure), e.diagnosis));
  }
  Close(*task, at);
}

void Attempts::On(const TaskEnded& e) {
  Task* task = Find(e.container, e.attempt);
  if (task == nullptr) return;
  const Attempt& attempt = task->attempt;
  const Instant at = attempt.ranks().left == 0 ? attempt.ranks().last_exit : context_.Plausible(e.at);
  const bool unexplained = !attempt.failure() && !attempt.ranks().all_clean() && !attempt.stop();
  task->attempt.EndRanks();
  task->progress.left_files = e.left_files;
  if (unexplained) NoteFailure(*task, task->NewFailure(Kind::kNoStatus, at));
  Close(*task, at);
}

void Attempts::On(const TaskSaving& e) {
  Task* task = Find(e.container, e.attempt);
  if (task == nullptr || !task->attempt.stop()) return;
  task->attempt.stop_order().Extend(context_.now);
  Arm(*task, task->attempt.stop()->due + kStopSlack);
}

// Delays the limits that depend on the late orders. All other limits are unchanged.
void Attempts::On(const OrdersDelayed& e) {
  const Duration by = e.until - context_.performed();
  if (by <= Duration::zero()) return;
  context_.orders_until = e.until;
  roster_.ForEach([&](Task& task) {
    const auto& stop = task.attempt.stop();
    if (task.attempt.is_open() && stop && stop->newest == context_.now) task.attempt.DelayStop(by);
  });
  units_.allocation.containers.DelayLimits(by);
  for (const JobTimer timer : {JobTimer::kGang, JobTimer::kRejoin}) context_.timers.Delay(timer, by);
}

void Attempts::FireTask(Task& task) {
  const Attempt& attempt = task.attempt;
  if (attempt.run() == Run::kRunning && attempt.ranks().left > 0 && !attempt.stop()) {
    Failure failure = task.NewFailure(Kind::kTaskTimeout, context_.now);
    failure.what = DurationToText(*roster_.SpecOf(task).timeout);
    NoteFailure(task, std::move(failure));
  } else if (attempt.is_open()) {
    Container* container = task.placement.container();
    if (container != nullptr) units_.allocation.containers.Kill(*container);
  } else if (task.backing_off()) {
    task.SetBackingOff(false);
    if (task.placement.connected()) Queue(task);
  }
}

Task* Attempts::Find(const ContainerId& id, int attempt) {
  Container* container = units_.allocation.containers.Heard(id);
  if (container == nullptr || container->task() == nullptr) return nullptr;
  Task* task = container->task();
  return task->attempt.is_open() && task->attempt.number() == attempt ? task : nullptr;
}

void Attempts::Queue(Task& task) {
  if (!task.backing_off()) queued_[static_cast<size_t>(task.id.role)].push_back(task.id.index);
}

void Attempts::StartQueued() {
  for (Role& role : roster_.roles()) {
    std::vector<int>& queued = queued_[role.number()];
    const Assembly& assembly = units_.allocation.assembly;
    if (queued.empty() || assembly.IsForming(role) || !units_.phase.MayStart(role.ranked())) continue;
    if (!assembly.DependenciesHold(role)) continue;
    if (role.coordinator() && !units_.membership.coordinators.MayStart()) continue;
    for (const int index : std::exchange(queued, {})) {
      if (static_cast<size_t>(index) >= role.tasks().size()) continue;
      Task& task = role.tasks()[static_cast<size_t>(index)];
      const bool ready = task.state() == TaskState::kReady && task.placement.connected() && !task.attempt.is_open();
      if (ready && task.seat.stays() && !task.done() && !task.backing_off()) Start(task);
    }
  }
}

void Attempts::Start(Task& task) {
  Require(task.placement.connected() && !task.done() && !task.seat.leaving(),
          "a task is started that cannot or need not start");
  Require(!task.attempt.is_open(), "an attempt starts while another one of the task has not ended");
  Require(units_.allocation.assembly.DependenciesHold(roster_.RoleOf(task)),
          "a task is started before its role may start");
  Require(task.attempt.number() >= task.ledger.next_attempt, "two attempts of a task have the same number");
  task.ledger.next_attempt = task.attempt.number() + 1;
  if (roster_.RoleOf(task).coordinator()) units_.membership.coordinators.Forget();
  const int generation = units_.phase.generation();
  task.results = {};
  task.progress = {};
  task.attempt.Begin(generation, std::max(1, roster_.SpecOf(task).processes));
  task.rendezvous.Enter(generation, RendezvousState::Step::kNone);
  if (task.id.index == 0) exports_[static_cast<size_t>(task.id.role)].clear();
  const ContainerId& container = task.placement.container()->id();
  context_.Emit(StartTask{container, task.id, task.attempt.number(), generation, task.seat.slot()});
}

void Attempts::BackOff(Task& task, Duration pause) {
  task.SetBackingOff(true);
  Arm(task, context_.now + pause);
}

void Attempts::CancelBackOff(Task& task) {
  task.attempt.timer().Disarm();
  task.SetBackingOff(false);
}

void Attempts::Stop(Task& task, Duration grace, bool exactly) {
  if (!task.placement.connected()) return;  // its container is being killed
  const Duration limit = exactly ? grace : std::max(grace, LongestGrace(context_.spec.checkpoint));
  const bool probe = units_.monitor.NeedsProbe(task);
  const Instant probed = context_.performed() + (probe ? kProbeLimit : Duration::zero());
  if (!task.attempt.stop()) task.attempt.OrderStop(context_.now, grace);
  const Attempt::StopOrder& stop = *task.attempt.stop();
  if (probed + grace >= stop.due && probed + limit >= stop.limit) return;
  task.attempt.stop_order().Tighten(context_.now, probed + grace, probed + limit);
  Arm(task, stop.due + kStopSlack);
  context_.Emit(StopTask{task.placement.container()->id(), task.attempt.number(), grace, limit, probe});
}

void Attempts::Resend(const Task& task) {
  const Attempt& attempt = task.attempt;
  if (!attempt.is_open()) return;
  const ContainerId& container = task.placement.container()->id();
  if (!attempt.stop()) {
    context_.Emit(StartTask{container, task.id, attempt.number(), attempt.generation(), task.seat.slot()});
  } else {
    const Duration left = std::max(Duration::zero(), attempt.stop()->due - context_.now);
    const Duration limit = std::max(left, attempt.stop()->limit - context_.now);
    context_.Emit(StopTask{container, attempt.number(), left, limit});
  }
}

Failure Attempts::FailureOf(const Task& task, Kind kind, Instant at, const Loss& loss) const {
  Failure failure = task.NewFailure(kind, at);
  failure.what = loss.how;
  failure.not_charged = loss.infrastructure && !roster_.SpecOf(task).restart.charge_infrastructure;
  failure.preempted = loss.preempted;
  return failure;
}

// Adds the diagnosis to the failure, and the verdict that follows from a restart rule or a node fault.
Failure Attempts::Diagnosed(Task& task, Failure failure, const Diagnosis& diagnosis) const {
  using Then = jobspec::RestartRule::Then;
  const auto& earlier = task.attempt.failure();
  // Count one node fault per attempt, although several of its processes may report one.
  const bool known = earlier && earlier->diagnosis.node_fault;
  if (diagnosis.node_fault && !known) ++task.ledger.infrastructure;
  const bool node_fault = diagnosis.node_fault && task.ledger.infrastructure <= Ledger::kMostInfrastructure;
  const jobspec::RoleSpec& role = roster_.SpecOf(task);
  failure.diagnosis = diagnosis;
  failure.verdict = policy::RuleFor(role.restart, diagnosis.rule, node_fault, !diagnosis.no_restart.empty());
  failure.not_charged = failure.verdict == Then::kRestartFree || failure.verdict == Then::kElsewhere;
  if (failure.verdict && diagnosis.rule) {
    failure.ruled_by = RuledByText(role, *diagnosis.rule);
  } else if (!diagnosis.no_restart.empty()) {
    failure.ruled_by = "not restarted: " + diagnosis.no_restart;
  }
  return failure;
}

void Attempts::NoteFailure(Task& task, Failure failure) {
  Attempt& attempt = task.attempt;
  const bool first = !attempt.failure();
  if (!first && !CameFirst(failure, *attempt.failure())) return;
  if (failure.exit.code || failure.exit.signal) attempt.SetExit(failure.exit);
  attempt.Fail(std::move(failure));
  units_.recovery.React(task);
  if (!first) return;
  const Kind kind = attempt.failure()->kind;
  const bool may_run =
      attempt.failure()->planned() || kind == Kind::kExit || kind == Kind::kTaskTimeout || kind == Kind::kHung;
  if (may_run && attempt.ranks().left > 0) Stop(task);
}

void Attempts::Close(Task& task, Instant at) {
  Attempt& attempt = task.attempt;
  Require(attempt.is_open(), "an attempt ends twice");
  task.TakeUsage();
  attempt.End();
  const bool clean = attempt.ranks().all_clean();
  // All processes had succeeded before the stop order reached them, so the attempt has not failed.
  if (attempt.failure() && attempt.failure()->planned() && clean) attempt.ForgetFailure();
  if (const auto& failure = attempt.failure()) {
    const bool lost = failure->kind == Kind::kLost || failure->kind == Kind::kReclaimed;
    task.Become(lost ? TaskState::kLost : failure->kind == Kind::kOutdated ? TaskState::kStopped : TaskState::kFailed);
  } else {
    task.Become(clean ? TaskState::kSucceeded : TaskState::kStopped);
  }
  Containers& containers = units_.allocation.containers;
  Container* container = task.placement.container();
  if (container != nullptr && container->is(Container::Phase::kKilled)) {
    containers.Detach(task);
  } else if (container != nullptr && container->reclaimed()) {
    units_.recovery.GoesOn(task) ? containers.Replace(task) : containers.ReleaseFrom(task);
  }
  recorder_.Ended(task, at);
  Settle(task);
}

// Decides what to do with a task after its attempt has ended.
void Attempts::Settle(Task& task) {
  if (task.seat.leaving()) {
    units_.membership.scaling.Remove(task);
  } else if (units_.phase.ending()) {
    units_.ending.EndTask(task);
  } else if (task.state() == TaskState::kSucceeded || !units_.phase.Drains(task)) {
    units_.recovery.GoesOn(task) ? units_.recovery.RestartAlone(task) : MarkDone(task);
  }
}

void Attempts::MarkDone(Task& task) {
  task.SetDone(true);
  units_.ending.Revisit();
  if (!units_.recovery.MayRestart(task)) units_.allocation.containers.ReleaseFrom(task);
}

void Attempts::Arm(Task& task, Instant due) {
  context_.timers.Arm(task.attempt.timer(), {TimerKey::Owner::kTask, task.id.role, task.id.index}, due);
}

}  // namespace howdah::core
