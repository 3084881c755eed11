#include "growth.h"

#include <algorithm>
#include <utility>

#include "reason.h"
#include "units.h"

namespace howdah::core {

Growth::Growth(Units& units)
    : context_(units.context), roster_(units.roster), recorder_(units.recorder), units_(units) {}

void Growth::DismissOptional() {
  for (Role& role : roster_.roles()) {
    const Tally::Optional& optional = role.tally().optional;
    if (optional.starting + optional.joinable == 0 || MayGrow(role)) continue;
    for (Task& task : role.tasks()) {
      if (task.seat.member() || task.seat.leaving() || task.placement.container() == nullptr) continue;
      units_.allocation.containers.ReleaseFrom(task);
      units_.allocation.placements.Unplace(task);
    }
  }
}

// Tasks join in the order of their indices, because each task receives the addresses of the tasks before it.
void Growth::JoinUnranked() {
  for (Role& role : roster_.roles()) {
    if (role.ranked() || role.tally().optional.joinable == 0) continue;
    for (Task& task : role.tasks()) {
      if (task.counts().optional.starting > 0) break;
      if (task.counts().optional.joinable == 0) continue;
      Join(task);
      units_.membership.coordinators.Report(task, "was added on " + task.placement.node());
    }
    GoOnWithoutOverdue(role);
  }
}

void Growth::Join(Task& task) {
  task.seat.Join();
  units_.attempts.Queue(task);
}

bool Growth::Forms(const Role& role) const {
  return role.ranked() && (units_.allocation.assembly.IsForming(role) || units_.phase.holds());
}

bool Growth::AnyForms() const {
  const auto& roles = roster_.roles();
  return std::any_of(roles.begin(), roles.end(), [this](const Role& role) { return Forms(role); });
}

void Growth::ArmSettle() {
  if (context_.timers.IsArmed(JobTimer::kSettle)) return;
  context_.timers.Arm(JobTimer::kSettle, context_.now + context_.spec.timeouts.settle);
}

void Growth::ResetSettle() {
  context_.timers.Disarm(JobTimer::kSettle);
  settled_ = false;
}

bool Growth::IsComplete() {
  const Tally::Optional forming = roster_.Sum([this](const Role& role) { return Forms(role); }).optional;
  const policy::Candidates candidates{forming.joinable, forming.starting, forming.pending, settled_};
  const bool can_join_later = roster_.ranked().rendezvous.rejoining > 0;
  if (!policy::ShouldWait(candidates) || can_join_later) return true;
  ArmSettle();
  return false;
}

std::vector<Task*> Growth::Joinable(Role& role) const {
  std::vector<Task*> joinable;
  if (role.tally().optional.joinable == 0) return joinable;
  for (Task& task : role.tasks()) {
    if (task.counts().optional.joinable > 0) {
      joinable.push_back(&task);
    } else if (context_.rules.no_gaps && !task.seat.member()) {
      break;
    }
  }
  return joinable;
}

void Growth::FormGeneration() {
  if (!AnyForms()) return;
  ResetSettle();
  for (Role& role : roster_.roles()) {
    if (!Forms(role)) continue;
    for (Task* task : Joinable(role)) Join(*task);
    AssignSlots(role);
  }
}

// Assigns the slots by index. Exception: tasks that rejoin get lower slots than tasks that start, and keep the order of
// their last slots, because rank 0 sends its state to the other ranks.
void Growth::AssignSlots(Role& role) {
  std::vector<Task*> members;
  for (Task& task : role.tasks()) {
    if (task.seat.stays()) members.push_back(&task);
  }
  std::stable_sort(members.begin(), members.end(), [](const Task* a, const Task* b) {
    const int a_rejoins = a->counts().rendezvous.rejoining, b_rejoins = b->counts().rendezvous.rejoining;
    const bool both = a_rejoins > 0 && b_rejoins > 0;
    return both ? a->seat.slot() < b->seat.slot() : a_rejoins > b_rejoins;
  });
  for (size_t i = 0; i < members.size(); ++i) members[i]->seat.MoveTo(static_cast<int>(i));
}

void Growth::GrowRanked() {
  if (AnyForms()) return;
  const Tally& ranked = roster_.ranked();
  const bool runs = units_.phase.running() && ranked.started > 0 && ranked.open > 0;
  const bool whole = runs && ranked.unregistered == 0;
  if (ranked.optional.joinable == 0 || !whole) return ResetSettle();
  policy::Candidates candidates{0, ranked.optional.starting, ranked.optional.pending, settled_};
  std::string why;
  for (Role& role : roster_.roles()) {
    const int members = role.tally().tasks;
    const int joinable = role.ranked() ? static_cast<int>(Joinable(role).size()) : 0;
    if (joinable == 0) continue;
    candidates.joinable += joinable;
    why += (why.empty() ? "" : ", ") + role.spec().name + " grows from " + std::to_string(members) + " to " +
           std::to_string(members + joinable);
  }
  if (!policy::ShouldGrow(candidates)) {
    if (!settled_) ArmSettle();
    return;
  }
  const Reason reason{why, Cause{Cause::Kind::kGrown}};
  if (!units_.rendezvous.LeaveFor(reason)) units_.recovery.DrainRanked(reason);
}

void Growth::ArmMissing(Task& task, Instant due) {
  const TimerKey key{TimerKey::Owner::kMissing, task.id.role, task.id.index};
  context_.timers.Arm(task.placement.replacement_timer(), key, due);
}

void Growth::AwaitReplacement(Task& task) {
  if (!task.attempt.used() && task.attempt.number() == roster_.first_attempt())
    return;  // the task waits for its first container
  const bool can_join_later = roster_.ranked().rendezvous.rejoining > 0;
  const bool at_once = task.placement.preempted() || can_join_later;
  const Duration limit = policy::ReplacementLimit(roster_.SpecOf(task).instances, context_.spec.timeouts, at_once);
  const Instant due = context_.now + limit;
  if (task.placement.replacement_timer().due() <= due) return;  // the wait is already limited
  task.placement.MissSince(context_.now);
  ArmMissing(task, due);
}

void Growth::FireMissing(Task& task) {
  if (units_.phase.ending() || task.done() || !task.seat.stays() || task.placement.connected() ||
      units_.phase.Drains(task))
    return;
  // The task cannot start before its backoff is over, so check again at that time.
  if (task.backing_off()) return ArmMissing(task, task.attempt.timer().due());
  if (CanGoOnWithout(task)) return GoOnWithout(task);
  const bool preempted = task.placement.preempted() && units_.recovery.running_since();
  const policy::WaitLimit wait = policy::WaitLimitFor(context_.spec.timeouts, preempted);
  task.placement.SetOverdue(true);
  if (!wait.limit) return;
  const Instant last = task.placement.missing_since() + *wait.limit;
  if (context_.now < last) return ArmMissing(task, last);
  const Role& role = roster_.RoleOf(task);
  const Assembly& assembly = units_.allocation.assembly;
  // A container in which an executor starts has its own limit, and so has an incomplete gang.
  if (task.placement.container() != nullptr || assembly.StartsAsGroup(role) || !assembly.IsOpen(role)) return;
  FailMissing(task, wait);
}

void Growth::FailMissing(Task& task, const policy::WaitLimit& wait) {
  Failure failure = task.NewFailure(Cause::Kind::kNotReady, context_.now);
  failure.node.clear();
  failure.what = NotReplacedText(wait, recorder_.backend_wait().reason);
  task.Become(TaskState::kLost);
  task.attempt.SetExit(std::nullopt);
  task.attempt.Fail(std::move(failure));
  recorder_.Ended(task, context_.now);
  if (!units_.recovery.FailsJob(task)) return units_.attempts.MarkDone(task);
  units_.ending.Begin({.state = JobState::kFailed,
                       .exit_code = 3,
                       .reason = FailureReason(roster_.SpecOf(task).name, task.id.index, *task.attempt.failure())});
}

bool Growth::CanGoOnWithout(const Task& task) const {
  Role& role = roster_.RoleOf(task);
  if (task.ranked && !Forms(role)) return false;  // running tasks depend on this task
  const bool last = std::none_of(role.tasks().begin() + task.id.index + 1, role.tasks().end(),
                                 [](const Task& other) { return other.seat.stays(); });
  const int could_run = role.tally().tasks + static_cast<int>(Joinable(role).size());
  return policy::CanShrink(role.spec().instances, could_run) && (last || !context_.rules.no_gaps);
}

void Growth::GoOnWithoutOverdue(Role& role) {
  for (Task& task : role.tasks()) {
    const bool missing = task.placement.overdue() && task.seat.stays() && !task.done() && !units_.phase.Drains(task);
    if (missing && CanGoOnWithout(task)) GoOnWithout(task);
  }
}

// The job continues with the other tasks of the role. The task joins again when it gets a container.
void Growth::GoOnWithout(Task& task) {
  Role& role = roster_.RoleOf(task);
  for (Task* joinable : Joinable(role)) Join(*joinable);
  const bool can_join_later = roster_.ranked().rendezvous.rejoining > 0;
  const Duration limit = can_join_later ? Duration::zero() : context_.spec.timeouts.replacement;
  const std::string reason = GoesOnWithoutText(task.placement.preempted(), limit, role.tally().tasks - 1);
  task.placement.SetOverdue(false);
  task.placement.ForgetLaunchFailures();
  if (task.placement.container() == nullptr) {
    task.Become(TaskState::kStopped);
    recorder_.Stopped(task, reason);
    recorder_.Removed(task);
    task.Become(TaskState::kPending);
  }
  task.seat.GiveUp();
  units_.allocation.requests.Want(task);
  units_.ending.Revisit();
}

void Growth::LoseOptional(Task& task, const Loss& loss, int replacements) {
  const Failure failure = units_.attempts.FailureOf(task, Cause::Kind::kNotReady, context_.now, loss);
  units_.allocation.placements.Unplace(task, FailureText(roster_.NameOf(task), failure));
  if (!loss.infrastructure && task.placement.CountLaunchFailure() > replacements) units_.membership.scaling.Leave(task);
}

}  // namespace howdah::core
