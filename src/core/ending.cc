#include <algorithm>
#include <utility>

#include "howdah/core/ranks.h"
#include "job_impl.h"
#include "require.h"

namespace howdah::core {

void Job::Impl::BeginEnding(Ending ending) {
  Require(!ending_, "a job ends twice");
  drain_.reset();
  barrier_.reset();
  ending_ = std::move(ending);
  std::optional<std::string> advice;
  std::string reason = ReasonOf(*ending_, &advice);
  Write(JobChanged{.type = JobChanged::Type::kStopping, .reason = std::move(reason), .advice = std::move(advice)});
  if (std::any_of(roles_.begin(), roles_.end(), [](const Role& role) { return role.asked > 0; })) {
    actions_.push_back(CancelRequests{});
    for (Role& role : roles_) role.asked = 0;
  }
  ForEachTask([this](Task& task) {
    if (task.run == Task::Run::kNone) {
      if (!task.removed) EndTask(task);
    } else if (task.ranks_left > 0) {
      Stop(task, ending_->grace, ending_->exactly);
    }
  });
}

// The job ends, and of this task nothing runs (any more).
void Job::Impl::EndTask(Task& task) {
  task.timer.due = kNever;
  task.backing_off = false;
  if (!IsFinal(task.state)) {
    task.state = TaskState::kStopped;
    if (Known(task)) NoteStopped(task);
  }
  task.done = true;
  Recount(task);
  ReleaseFrom(task);
}

// Somebody wants the job that is ending to end sooner.
void Job::Impl::Hurry(Duration grace, bool exactly) {
  ForEachTask([&](Task& task) {
    if (task.run != Task::Run::kNone && task.ranks_left > 0) Stop(task, grace, exactly);
  });
}

void Job::Impl::JudgeOutcome() {
  std::vector<RoleStanding> standings(roles_.size());
  for (size_t r = 0; r < roles_.size(); ++r) {
    const jobspec::RoleSpec& role = spec_.roles[r];
    const Tally& tally = roles_[r].tally;
    standings[r] = {.kind = roles_[r].kind,
                    .on_failure = role.on_failure,
                    .chief = role.chief,
                    .tasks = tally.tasks,
                    .done = tally.done,
                    .succeeded = tally.succeeded,
                    .failed = tally.failed};
  }
  if (const int first = FirstRankedRole(spec_); rules_.first_rank_decides && first >= 0) {
    const auto role = static_cast<size_t>(first);
    const auto& tasks = roles_[role].tasks;
    const auto rank = std::find_if(tasks.begin(), tasks.end(), [](const Task& t) { return t.member && !t.leaving; });
    standings[role].decided = rank->state == TaskState::kSucceeded;
  }
  switch (Judge(standings)) {
    case Outcome::kGoesOn:
      return;
    case Outcome::kSucceeded:
      BeginEnding({.state = JobState::kSucceeded, .exit_code = 0, .grace = spec_.checkpoint.grace});
      return;
    case Outcome::kAllToleratedFailed:
      FailOrStartAgain({.cause = Ending::Cause::kTolerated, .grace = spec_.checkpoint.grace});
      return;
  }
}

// Arms or disarms the limit of each role that may outlive others only for a while.
void Job::Impl::WatchOutliving() {
  if (ending_ || drain_) return;
  for (size_t r = 0; r < roles_.size(); ++r) {
    Role& role = roles_[r];
    if (role.outlives.empty() || role.kind == jobspec::RoleKind::kSidecar) continue;
    const bool alone = std::all_of(role.outlives.begin(), role.outlives.end(), [this](int other) {
      const Tally& tally = roles_[static_cast<size_t>(other)].tally;
      return tally.done == tally.tasks;
    });
    if (!alone || role.tally.done == role.tally.tasks) {
      role.outlive_timer.due = kNever;
    } else if (role.outlive_timer.due == kNever) {
      timers_.Arm(role.outlive_timer, {TimerKey::Owner::kRole, static_cast<int32_t>(r), 0},
                  now_ + spec_.roles[r].outlive->by);
    }
  }
}

// The role has gone on for longer than it may after others have ended.
void Job::Impl::FireRole(int number) {
  if (ending_ || drain_) return;
  Role& role = roles_[static_cast<size_t>(number)];
  const jobspec::RoleSpec& spec = spec_.roles[static_cast<size_t>(number)];
  if (spec.outlive->then == jobspec::Outlive::Then::kIgnore) {
    role.kind = jobspec::RoleKind::kSidecar;
    judge_ = true;
    return;
  }
  FailOrStartAgain({.reason = OutlivedText(spec, role.tally.tasks - role.tally.done), .grace = spec_.checkpoint.grace});
}

// Which of two failures the job rather ended because of. One that only the task itself starts again after is none,
// unless all others are known to be consequences.
bool Job::Impl::ExplainsEnd(const Task& task, const Task& other) const {
  const auto starts_again = [this](const Task& t) {
    return !t.ranked && !IsFinalByRule(t) && (BudgetOf(t) > 0 || Excused(t));
  };
  const bool known = task.failure->diagnosis.consequence || other.failure->diagnosis.consequence;
  if (!known && starts_again(task) != starts_again(other)) return starts_again(other);
  return CameFirst(*task.failure, *other.failure);
}

Job::Impl::FirstFailure Job::Impl::FirstFailureOf(Ending::Cause cause) {
  FirstFailure first;
  std::vector<const Task*> failed;
  ForEachTask([&](Task& task) {
    const jobspec::RoleSpec& role = SpecOf(task);
    const bool tolerated = cause == Ending::Cause::kTolerated && role.on_failure == jobspec::OnFailure::kTolerate &&
                           KindOf(task) != jobspec::RoleKind::kSidecar;
    if (!task.failure || task.leaving || (!CountsFor(task) && !tolerated)) return;
    failed.push_back(&task);
    if (first.task == nullptr || ExplainsEnd(task, *first.task)) first.task = &task;
  });
  first.all = static_cast<int>(failed.size());
  first.others = static_cast<int>(std::count_if(failed.begin(), failed.end(), [&](const Task* task) {
    return task != first.task && !CameFirst(*task->failure, *first.task->failure);
  }));
  return first;
}

std::string Job::Impl::ReasonOf(const Ending& ending, std::optional<std::string>* advice) {
  if (ending.cause == Ending::Cause::kFixed) return ending.reason;
  const FirstFailure first = FirstFailureOf(ending.cause);
  Require(first.task != nullptr, "a job fails because of a task, and no task has failed");
  *advice = first.task->failure->diagnosis.advice;
  const std::string text = HowFailed(*first.task);
  if (ending.cause == Ending::Cause::kFailure) return WithOthers(text, first.others);
  return "all " + std::to_string(first.all) + " tasks that may fail have failed, first of them " + text;
}

void Job::Impl::Finish() {
  Require(by_id_.empty(), "a job finishes while it holds containers");
  std::optional<std::string> advice;
  std::string reason = ReasonOf(*ending_, &advice);
  for (const std::string& container : abandoned_) {
    reason += (reason.empty() ? "" : "; ") + ("container " + container) + " did not go when it was killed";
  }
  state_ = ending_->state;
  finished_ = true;
  Write(JobChanged{.type = JobChanged::Type::kFinished,
                   .state = state_,
                   .reason = std::move(reason),
                   .advice = std::move(advice),
                   .exit_code = ending_->exit_code});
  actions_.push_back(FinishJob{state_, ending_->exit_code});
}

}  // namespace howdah::core
