#include "assembly.h"

#include <algorithm>

#include "reason.h"
#include "require.h"
#include "units.h"

namespace howdah::core {

Assembly::Assembly(Units& units)
    : context_(units.context), roster_(units.roster), units_(units), roles_(units.context.spec.roles.size()) {
  const std::vector<std::vector<int>> finished_first = policy::FinishDependencies(context_.spec);
  for (size_t r = 0; r < roles_.size(); ++r) {
    roles_[r].after = policy::DependenciesOf(context_.spec, context_.spec.roles[r]);
    roles_[r].finished_first = finished_first[r];
  }
}

void Assembly::Begin() {
  hold_limit_ = policy::HoldLimit(context_.spec.timeouts.hold, context_.random);
  incomplete_since_ = context_.submitted;
  if (context_.together) context_.timers.Arm(JobTimer::kGang, context_.submitted + context_.spec.timeouts.gang);
}

bool Assembly::StartsAsGroup(const Role& role) const {
  return IsOpen(role) && (IsForming(role) || units_.phase.HoldsEveryone(role.ranked()));
}

Tally Assembly::StartingAsGroup() const {
  return roster_.Sum([this](const Role& role) { return StartsAsGroup(role); });
}

Tally Assembly::Assembling() const {
  return roster_.Sum([this](const Role& role) { return IsAssembling(role); });
}

bool Assembly::AnyAssembling() const {
  return std::any_of(roles_.begin(), roles_.end(),
                     [](const RoleGang& role) { return role.stage == Stage::kAssembling; });
}

bool Assembly::DependenciesHold(const Role& role) const {
  const auto& after = roles_[role.number()].after;
  return std::all_of(after.begin(), after.end(), [this](const policy::Dependency& dependency) {
    const Tally& tally = roster_.roles()[static_cast<size_t>(dependency.role)].tally();
    return policy::IsSatisfied({tally.tasks, tally.started, tally.serving, tally.done}, dependency.until);
  });
}

bool Assembly::FinishDependenciesHold(const Role& role) const {
  const auto& first = roles_[role.number()].finished_first;
  return std::all_of(first.begin(), first.end(),
                     [this](int other) { return roster_.roles()[static_cast<size_t>(other)].all_done(); });
}

// Opens each role whose finish-dependencies have finished. If a finish-dependency starts again, closes the role and
// releases the containers in which no attempt of the role runs.
void Assembly::OpenRoles() {
  for (Role& role : roster_.roles()) {
    const bool holds = FinishDependenciesHold(role);
    if (IsOpen(role) && !holds) CloseRole(role);
    if (IsOpen(role) || !holds) continue;
    Stage& stage = roles_[role.number()].stage;
    stage = Stage::kOpen;
    if (role.tally().started > 0 || role.tally().open > 0) continue;  // its tasks started before the role was closed
    if (context_.together) stage = Stage::kForming;
    if (context_.spec.start == jobspec::StartMode::kGang && role.tally().pending > 0) stage = Stage::kAssembling;
  }
}

void Assembly::CloseRole(Role& role) {
  roles_[role.number()].stage = Stage::kClosed;
  if (units_.allocation.requests.of(role) > 0) units_.allocation.requests.CancelAll();
  ReleaseIdle(role);
}

// Releases those containers of the role in which no attempt runs.
void Assembly::ReleaseIdle(Role& role) {
  for (Task& task : role.tasks()) {
    if (task.placement.container() == nullptr || IsFinal(task.state()) || task.attempt.is_open()) continue;
    units_.allocation.containers.Replace(task);
    units_.allocation.placements.Unplace(task);
  }
}

// Launches the gang once all of its containers are granted.
void Assembly::LaunchComplete() {
  if (paused_ || !AnyAssembling() || Assembling().pending > 0) return;
  for (RoleGang& role : roles_) {
    if (role.stage == Stage::kAssembling) role.stage = Stage::kForming;
  }
  context_.timers.Disarm(JobTimer::kHold);
  context_.timers.Disarm(JobTimer::kHoldNotice);
  units_.recorder.WaitFor("");
  units_.recorder.WaitForBackend({});
  units_.recorder.Waiting();
  roster_.ForEach([this](Task& task) {
    Container* container = task.placement.container();
    if (container != nullptr && container->is(Container::Phase::kHeld)) units_.allocation.containers.Launch(*container);
  });
}

// Starts the assembled gangs once all of their tasks are registered. Waits longer while the generation waits for tasks
// that could join it.
void Assembly::StartComplete() {
  const Phase& phase = units_.phase;
  if (StartingAsGroup().unregistered == 0) {
    context_.timers.Disarm(JobTimer::kGang);
    if (phase.holds()) context_.timers.Disarm(JobTimer::kHold);
    if (!phase.holds() || phase.kind() == Phase::Kind::kForming) {
      if (!units_.membership.growth.IsComplete()) return;
      units_.membership.growth.FormGeneration();
      units_.phase.ReleaseHold();
    }
    for (RoleGang& role : roles_) {
      if (role.stage == Stage::kForming) role.stage = Stage::kOpen;
    }
  } else if (units_.recorder.backend_wait().queued) {
    context_.timers.Disarm(JobTimer::kGang);  // begins when no other job is ahead any more
  } else if (!context_.timers.IsArmed(JobTimer::kGang)) {
    // A later generation, like the first one, may hold its containers only for a limited time while a container is
    // missing. The limit is longer for a later generation, because its containers are already set up and a release
    // would lose that work.
    incomplete_since_ = context_.now;
    context_.timers.Arm(JobTimer::kGang, context_.now + context_.spec.timeouts.gang);
    if (AnyAssembling()) return;
    last_grant_ = context_.now;
    const Duration limit = policy::HoldLimit(context_.spec.timeouts.gang / 2, context_.random);
    context_.timers.Arm(JobTimer::kHold, context_.now + std::max(hold_limit_, limit));
  }
}

void Assembly::HoldUntil(Duration limit) {
  last_grant_ = context_.now;
  context_.timers.Arm(JobTimer::kHold, context_.now + limit);
  context_.timers.Arm(JobTimer::kHoldNotice, context_.now + limit / 2);
}

void Assembly::Granted() {
  units_.recorder.WaitFor("");
  HoldUntil(hold_limit_);
}

// All gangs that wait form again, because their tasks may receive each other's addresses. If ranked tasks run, which
// have the address of the lost task, they restart together with it instead.
void Assembly::FormAgain(const Role& lost) {
  const auto waits = [this](const Role& role) {
    return StageOf(role) == Stage::kOpen && role.tally().started + role.tally().open == 0 && !DependenciesHold(role);
  };
  if (!context_.together || !waits(lost) || (lost.ranked() && roster_.ranked().started > 0)) return;
  for (const Role& role : roster_.roles()) {
    if (waits(role)) roles_[role.number()].stage = Stage::kForming;
  }
}

void Assembly::Refill() {
  if (units_.phase.HoldsRankedOnly() || !AssembleAgain()) return;
  HoldUntil(hold_limit_);
}

// If the gang is incomplete and nothing runs in its containers, assembles the gang again, as at the start of the job.
// Returns whether it did so.
bool Assembly::AssembleAgain() {
  const Tally gang = StartingAsGroup();
  const bool holds_others = gang.pending > 0 && gang.pending < gang.tasks;
  if (context_.spec.start != jobspec::StartMode::kGang || AnyAssembling() || !holds_others || gang.started > 0 ||
      gang.open > 0)
    return false;
  for (const Role& role : roster_.roles()) {
    if (StartsAsGroup(role)) roles_[role.number()].stage = Stage::kAssembling;
  }
  return true;
}

void Assembly::FireHold() {
  if (paused_) return;
  AnyAssembling() || AssembleAgain() ? ReleasePartial() : units_.rendezvous.GiveUp();
}

void Assembly::ReleasePartial() {
  const Tally gang = Assembling();
  const int held = gang.tasks - gang.pending;
  if (held == 0 || gang.pending == 0) return;
  Require(gang.open == 0, "a container with a running attempt is released");
  units_.allocation.requests.CancelAll();
  for (Role& role : roster_.roles()) {
    if (IsAssembling(role)) ReleaseIdle(role);
  }
  const Duration pause = policy::RequestAgainIn(round_++, context_.random);
  paused_ = true;
  context_.timers.Arm(JobTimer::kRequestAgain, context_.now + pause);
  units_.recorder.WaitFor(ReleasedText(held, gang.tasks, context_.now - last_grant_, pause));
  units_.recorder.Waiting();
  hold_limit_ = policy::HoldLimit(context_.spec.timeouts.hold, context_.random);
}

void Assembly::FireHoldNotice() {
  const Tally gang = Assembling();
  if (paused_ || gang.pending == 0 || gang.pending == gang.tasks) return;
  const Instant until = last_grant_ + hold_limit_;
  if (context_.now >= until) return;  // too late to announce the release
  units_.recorder.WaitFor(
      HoldingText(gang.tasks - gang.pending, gang.tasks, context_.now - last_grant_, until - context_.now));
  units_.recorder.Waiting();
}

void Assembly::FireRequestAgain() {
  paused_ = false;
  units_.recorder.WaitFor("");
  units_.recorder.Waiting();
}

// Whether the job has run before and now needs containers to replace preempted ones.
bool Assembly::AwaitsPreempted() const {
  if (!units_.recovery.running_since()) return false;
  return std::any_of(roster_.roles().begin(), roster_.roles().end(), [this](const Role& role) {
    return StartsAsGroup(role) && std::any_of(role.tasks().begin(), role.tasks().end(), [](const Task& task) {
             return task.counts().pending > 0 && task.placement.preempted();
           });
  });
}

void Assembly::FireGang() {
  if (StartingAsGroup().unregistered == 0) return;
  if (!AwaitsPreempted()) return Fail();
  const policy::WaitLimit wait = policy::WaitLimitFor(context_.spec.timeouts, /*preempted=*/true);
  if (wait.limit && context_.now >= incomplete_since_ + *wait.limit) return Fail();
  const Instant due = wait.limit ? incomplete_since_ + *wait.limit : context_.now + context_.spec.timeouts.gang;
  context_.timers.Arm(JobTimer::kGang, due);
}

void Assembly::Fail() {
  Shortfall shortfall{.backend = units_.recorder.backend_wait().reason};
  roster_.ForEach([&](const Task& task) {
    if (!task.seat.stays() || task.done() || !StartsAsGroup(roster_.RoleOf(task))) return;
    const Container* container = task.placement.container();
    ++shortfall.wanted;
    if (task.placement.connected()) {
      ++shortfall.ready;
    } else if (container == nullptr) {
      shortfall.without_container.push_back(roster_.NameOf(task));
    } else if (container->is(Container::Phase::kHeld)) {
      ++shortfall.held;
    } else {
      const std::string& node = task.placement.node();
      const std::string& stage = container->startup_stage();
      shortfall.unconnected.push_back(roster_.NameOf(task) + (node.empty() ? "" : " on " + node) +
                                      (stage.empty() ? "" : ": " + stage));
    }
  });
  const policy::WaitLimit wait = policy::WaitLimitFor(context_.spec.timeouts, AwaitsPreempted());
  units_.ending.Begin({.state = JobState::kFailed,
                       .exit_code = 3,
                       .reason = {GangTimeoutText(wait, shortfall), Cause{Cause::Kind::kGangTimeout}}});
}

}  // namespace howdah::core
