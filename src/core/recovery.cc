#include <algorithm>
#include <utility>

#include "job_impl.h"
#include "require.h"

namespace howdah::core {

int Job::Impl::BudgetOf(const Task& task) const { return std::max(0, SpecOf(task).restart.max - task.paid); }

bool Job::Impl::CountsFor(const Task& task) const {
  return Counts(KindOf(task), SpecOf(task).on_failure, task.id.index == 0);
}

Remedy Job::Impl::RemedyFor(const Task& task) const {
  return Decide({.kind = KindOf(task),
                 .on_failure = SpecOf(task).on_failure,
                 .ranked = task.ranked,
                 .budget = BudgetOf(task),
                 .ranked_budget = ranked_.budget > 0,
                 .job_budget = JobBudget(),
                 .first = task.id.index == 0,
                 .excused = Excused(task),
                 .final = IsFinalByRule(task),
                 .doubtful = task.failure && (task.failure->diagnosis.consequence || SomeRankedSilent())});
}

bool Job::Impl::Excused(const Task& task) { return task.failure && task.failure->excused; }

bool Job::Impl::IsFinalByRule(const Task& task) {
  return task.failure && task.failure->then == jobspec::RestartRule::Then::kFail;
}

// A ranked task whose executor has lost its connection has probably failed first: its node may be gone.
bool Job::Impl::SomeRankedSilent() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const Container& container) {
    const bool open = container.task != nullptr && container.task->ranked && container.task->run != Task::Run::kNone;
    return open && container.disconnected && !container.task->failure;
  });
}

// What must happen at once because the task has failed; the rest waits for the end of its attempt (Close).
void Job::Impl::React(Task& task) {
  if (ending_ || task.leaving) return;
  const Remedy remedy = RemedyFor(task);
  if (Draining(task) && !(IsFinalByRule(task) && remedy == Remedy::kFailJob)) return;
  switch (remedy) {
    case Remedy::kAlone:
    case Remedy::kAccept:
      return;
    case Remedy::kTogether:
      BeginDrain({.scope = Scope::kRanked});
      NoteRecovering(FailureText(NameOf(task), *task.failure) + "; " + HowTheyRecover());
      return;
    case Remedy::kWholeJob:
      BeginDrain({.scope = Scope::kAll});
      NoteRecovering(FailureText(NameOf(task), *task.failure) + "; all tasks are stopped to start again");
      return;
    case Remedy::kFailJob:
      BeginEnding({.cause = Ending::Cause::kFailure, .grace = spec_.checkpoint.grace});
      return;
  }
}

// Of all failures the one that the others follow from, if any do.
void Job::Impl::BlameNode(const Task& task) {
  if (!task.failure || task.failure->planned() || task.taken || task.node.empty()) return;
  const bool to_blame = task.failure->then == jobspec::RestartRule::Then::kElsewhere;
  const std::string why = to_blame ? nodes_.Hurt(task.node, now_) : nodes_.Failed(task.node, now_);
  if (why.empty()) return;
  AvoidNodes();
  const bool runs = state_ == JobState::kRunning;
  Write(JobChanged{.type = runs ? JobChanged::Type::kRunning : JobChanged::Type::kRecovering, .advice = why});
}

void Job::Impl::AvoidNodes() {
  for (auto& [node, left] : nodes_.Avoided(now_)) actions_.push_back(AvoidNode{node, left});
}

// Enters a restart in the task's books; returns the pause before it. That its container was lost is no reason for one;
// what its own processes did is, even where it costs nothing.
Duration Job::Impl::Charge(Task& task) {
  const Duration first = SpecOf(task).restart.backoff;
  if (!Excused(task)) return Backoff(first, ++task.paid);
  return task.failure->then ? Backoff(first, ++task.forgiven) : Duration::zero();
}

void Job::Impl::RestartAlone(Task& task) {
  BlameNode(task);
  const Duration pause = Charge(task);
  if (pause > Duration::zero()) {
    task.backing_off = true;
    Arm(task, now_ + pause);
  }
  Revive(task);
}

// The task is to be started (again), under a new number if the old one was used.
void Job::Impl::Revive(Task& task) {
  const bool moves = task.container != nullptr && nodes_.Avoided(task.container->node, now_);
  const bool news = moves || task.attempt_used || IsFinal(task.state);
  task.attempt += task.attempt_used;
  task.attempt_used = false;
  task.failure.reset();
  task.stands.clear();
  task.done = false;
  if (moves) ReleaseFrom(task);
  if (task.container == nullptr) {
    task.state = TaskState::kPending;
    Want(task);
  } else {
    const bool going = task.container->phase == Container::Phase::kKilled;  // and it wants another one then
    task.state = task.connected() ? TaskState::kReady : going ? TaskState::kPending : TaskState::kAllocated;
  }
  Recount(task);
  if (news) NotePlaced(task);
  if (!task.connected()) AwaitAnother(task);
  if (task.connected() && !task.backing_off) RoleOf(task).ready.push_back(task.id.index);
}

void Job::Impl::BeginDrain(Drain drain) {
  drain_ = std::move(drain);
  for (Role& role : roles_) role.outlive_timer.due = kNever;
  StopScope(drain_->scope);
  if (!drain_->stay || drain_->scope != Scope::kRanked || ranked_.joined == 0) return;
  Arm(JobTimer::kMeet, now_ + kMeetLimit);
  if (ranked_.joined == ranked_.open) AskToLeave();  // else they notice that others are gone
}

void Job::Impl::StopScope(Scope scope) {
  ForEachTask([&](Task& task) {
    if (!In(scope, task)) return;
    if (task.run == Task::Run::kNone) {
      task.timer.due = kNever;
      task.backing_off = false;
    } else if (task.ranks_left > 0 && !Stays(task)) {
      Stop(task, spec_.checkpoint.grace);
    }
  });
}

// The job has failed, and no task alone is to blame.
void Job::Impl::FailOrStartAgain(Ending ending) {
  if (JobBudget() <= 0) {
    BeginEnding(std::move(ending));
    return;
  }
  if (drain_ && drain_->scope == Scope::kAll) return;
  std::optional<std::string> advice;
  const std::string why = ReasonOf(ending, &advice);
  BeginDrain({.scope = Scope::kAll, .why = why});
  NoteRecovering(why + "; all tasks are stopped to start again");
}

// All attempts of the scope have ended: only now it is known who failed first.
void Job::Impl::FinishDrain() {
  if (ranked_.waiting > 0 && !SomeStateStays()) {
    drain_->stay = false;
    return StopScope(drain_->scope);
  }
  Task* first = nullptr;
  ForEachTask([&](Task& task) {
    if (task.leaving || !task.failure || !In(drain_->scope, task)) return;
    if (task.failure->then == jobspec::RestartRule::Then::kElsewhere) BlameNode(task);
    const bool counts = CountsFor(task) || (task.ranked && BudgetOf(task) > 0) || Excused(task);
    if (!counts || IsFinalByRule(task)) return;
    if (first == nullptr || CameFirst(*task.failure, *first->failure)) first = &task;
  });
  const std::string why = first != nullptr ? HowFailed(*first) : drain_->why;
  const bool excused = first != nullptr && Excused(*first);
  if (drain_->scope == Scope::kRanked && first != nullptr && !excused && BudgetOf(*first) == 0) {
    if (JobBudget() <= 0) {
      BeginEnding({.cause = Ending::Cause::kFailure, .grace = spec_.checkpoint.grace});
      return;
    }
    drain_->scope = Scope::kAll;
    StopScope(Scope::kAll);
    NoteRecovering(why + "; all tasks are stopped to start again");
    return;
  }
  const Scope scope = drain_->scope;
  if (first != nullptr) BlameNode(*first);
  Duration pause{};
  if (scope == Scope::kAll) {
    ++job_restarts_;
    ForEachTask([](Task& task) { task.paid = 0; });
    for (Role& role : roles_) {
      for (Past& past : role.past) past.paid = 0;
    }
    if (first != nullptr) pause = Backoff(SpecOf(*first).restart.backoff, job_restarts_);
  } else if (first != nullptr) {
    pause = Charge(*first);
  }
  drain_.reset();
  TimerOf(JobTimer::kMeet).due = kNever;
  NextGeneration(scope, pause, why);
}

void Job::Impl::NextGeneration(Scope scope, Duration pause, const std::string& reason) {
  ++generation_;
  asked_to_meet_.clear();
  deaf_ = false;
  std::string who = scope == Scope::kAll ? "all tasks start again" : "all ranked tasks start again";
  if (ranked_.waiting > 0) {
    who = std::to_string(ranked_.waiting) + " of " + std::to_string(ranked_.tasks) +
          " ranked tasks go on without starting again,";
  }
  NoteRecovering(reason + "; " + who + " as generation " + std::to_string(generation_) +
                 (pause > Duration::zero() ? " in " + FormatDuration(pause) : ""));
  ForEachTask([&](Task& task) {
    if (!In(scope, task) || task.leaving || !task.member) return;
    if (scope == Scope::kAll) task.launch_failures = 0;
    task.has_started = false;
    task.backing_off = false;
    if (task.counted.waiting > 0) return Recount(task);
    Revive(task);
  });
  barrier_ =
      Barrier{.scope = scope, .everyone = scope == Scope::kRanked || together_, .backoff = pause > Duration::zero()};
  TimerOf(JobTimer::kGang).due = kNever;
  judge_ = true;  // roles that stay ended may be outlived still
  if (barrier_->backoff) Arm(JobTimer::kBackoff, now_ + pause);
}

}  // namespace howdah::core
