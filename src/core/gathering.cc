// A gang comes together, or gives back what it holds.
#include "job_impl.h"
#include "require.h"

namespace howdah::core {

// A gang of which every container is there is launched.
void Job::Impl::Fill() {
  if (gave_back_ || !filling() || Filling().lacking > 0) return;
  for (Role& role : roles_) role.fills = false;
  TimerOf(JobTimer::kHold).due = kNever;
  TimerOf(JobTimer::kHoldNotice).due = kNever;
  own_wait_.clear();
  place_wait_.clear();
  NoteWaiting();
  ForEachTask([this](Task& task) {
    if (task.container != nullptr && task.container->phase == Container::Phase::kHeld) Launch(*task.container);
  });
}

// A gang that lost a container before anything of it ran is incomplete again, and may not hold the others for ever.
void Job::Impl::Refill() {
  const bool first = !barrier_ || barrier_->scope == Scope::kAll;
  if (!first || !FillAgain()) return;
  last_grant_ = now_;
  Arm(JobTimer::kHold, now_ + hold_limit_);
  Arm(JobTimer::kHoldNotice, now_ + hold_limit_ / 2);
}

// Whether the gang that is to come together is incomplete, and holds containers in which nothing runs: then it is being
// filled from now on.
bool Job::Impl::FillAgain() {
  const auto of_gang = [&](const Role& role) { return Gathers(role); };
  const Tally gang = Sum(of_gang);
  const bool holds_others = gang.lacking > 0 && gang.lacking < gang.tasks;
  if (spec_.start != jobspec::StartMode::kGang || filling() || !holds_others || gang.started > 0 || gang.open > 0)
    return false;
  for (Role& role : roles_) role.fills = of_gang(role);
  return true;
}

void Job::Impl::GiveBack() {
  const Tally gang = Filling();
  const int held = gang.tasks - gang.lacking;
  if (held == 0 || gang.lacking == 0) return;
  Require(gang.open == 0, "containers are given back in which something runs");
  actions_.push_back(CancelRequests{});
  for (Role& role : roles_) role.asked = 0;
  for (Role& role : roles_) {
    if (role.fills) GiveBackIdle(role);
  }
  const Duration pause = AskAgainIn(fill_round_++, random_);
  gave_back_ = true;
  Arm(JobTimer::kAskAgain, now_ + pause);
  own_wait_ = GivenBackText(held, gang.tasks, now_ - last_grant_, pause);
  NoteWaiting();
  hold_limit_ = HoldLimit(spec_.timeouts.hold, random_);
}

// What its tasks hold, and nothing runs in it.
void Job::Impl::GiveBackIdle(Role& role) {
  for (Task& task : role.tasks) {
    if (task.container == nullptr || IsFinal(task.state) || task.run != Task::Run::kNone) continue;
    ReleaseFrom(task);
    Unplace(task);
  }
}

void Job::Impl::CloseRole(Role& role) {
  role.open = role.fills = role.gathers = false;
  if (role.asked > 0) {
    actions_.push_back(CancelRequests{});
    for (Role& other : roles_) other.asked = 0;
  }
  GiveBackIdle(role);
}

// The job has run, and lacks what was taken from it for others.
bool Job::Impl::AwaitsPreempted() const {
  if (!running_since_) return false;
  return std::any_of(roles_.begin(), roles_.end(), [this](const Role& role) {
    return Gathers(role) && std::any_of(role.tasks.begin(), role.tasks.end(),
                                        [](const Task& task) { return task.counted.lacking > 0 && task.taken; });
  });
}

// The gang is incomplete, and its limit is over.
void Job::Impl::FireGang() {
  if (Sum([this](const Role& role) { return Gathers(role); }).unregistered == 0) return;
  if (!AwaitsPreempted()) return FailGang();
  const Patience patience = PatienceFor(spec_.timeouts, true);
  if (patience.limit && now_ >= gang_since_ + *patience.limit) return FailGang();
  Arm(JobTimer::kGang, patience.limit ? gang_since_ + *patience.limit : now_ + spec_.timeouts.gang);
}

void Job::Impl::FailGang() {
  Shortfall shortfall{.place = place_wait_};
  ForEachTask([&](const Task& task) {
    if (task.leaving || task.done || !task.member || !Gathers(RoleOf(task))) return;
    ++shortfall.wanted;
    if (task.connected()) {
      ++shortfall.ready;
    } else if (task.container == nullptr) {
      shortfall.without_container.push_back(NameOf(task));
    } else if (task.container->phase == Container::Phase::kHeld) {
      ++shortfall.held;
    } else {
      const std::string& startup_stage = task.container->startup_stage;
      shortfall.unconnected.push_back(NameOf(task) + (task.node.empty() ? "" : " on " + task.node) +
                                      (startup_stage.empty() ? "" : ": " + startup_stage));
    }
  });
  BeginEnding({.state = JobState::kFailed,
               .exit_code = 3,
               .reason = GangTimeoutText(PatienceFor(spec_.timeouts, AwaitsPreempted()), shortfall),
               .grace = spec_.checkpoint.grace});
}

}  // namespace howdah::core
