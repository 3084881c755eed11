#include <algorithm>
#include <utility>

#include "howdah/base/exit_status.h"
#include "howdah/core/progress.h"
#include "job_impl.h"
#include "require.h"

namespace howdah::core {
namespace {

// How much longer than the grace an executor may take to end an attempt before its container is killed.
constexpr Duration kStopSlack = std::chrono::seconds(5);
constexpr char kStoppedText[] = "the application master died before it had noted that it had stopped it";

}  // namespace

void Job::Impl::On(const TaskStarted& e) {
  Task* task = OpenAttempt(e.container, e.attempt);
  if (task == nullptr || task->run != Task::Run::kStarting) return;
  task->run = Task::Run::kRunning;
  task->state = TaskState::kRunning;
  task->started = Sane(e.at);
  task->has_started = true;
  task->launch_failures = 0;
  Recount(*task);
  NoteStarted(*task, e.pids);
  if (SpecOf(*task).timeout && !task->stop_at) Arm(*task, now_ + *SpecOf(*task).timeout);
  NoteRunning();
}

void Job::Impl::On(const RankExited& e) {
  Task* task = OpenAttempt(e.container, e.attempt);
  if (task == nullptr || e.local_rank < 0 || static_cast<size_t>(e.local_rank) >= task->exited.size()) return;
  if (task->exited[static_cast<size_t>(e.local_rank)]) return;
  const bool awaited = IsAwaited(*task);
  task->exited[static_cast<size_t>(e.local_rank)] = true;
  --task->ranks_left;
  Recount(*task);
  const Instant at = Sane(e.at);
  task->last_exit = std::max(task->last_exit, at);
  // What ended before it was told to ended by itself, however late its message comes.
  const bool by_itself = !e.by_stop_order && (!task->stop_at || at < *task->stop_at);
  if (e.by_stop_order && !task->stop_at) {
    task->exit = e.exit;
    NoteFailure(*task, FailureOf(*task, Failure::How::kOutdated, at, {kStoppedText, /*excused=*/true}));
  } else if (e.exit.success() && e.diagnosis.cause.empty() && !(awaited && by_itself)) {
    task->clean_ranks += by_itself;
    if (!task->exit) task->exit = e.exit;
    const bool speaks = task->id.index == 0 && e.local_rank == 0 && by_itself;
    if (speaks) exports_[static_cast<size_t>(task->id.role)] = e.exports;
  } else if (by_itself) {
    Failure failure = FailureOf(*task, Failure::How::kExit, at);
    failure.exit = e.exit;
    Diagnosis diagnosis = e.diagnosis;
    if (e.exit.success() && awaited) diagnosis.cause = "it ended while the other ranked tasks waited for it";
    NoteFailure(*task, Diagnosed(*task, std::move(failure), diagnosis));
  } else if (!task->exit || task->exit->success()) {
    task->exit = e.exit;
  }
  // The rest of it cannot go on in another world.
  if (task->ranks_left > 0 && Draining(*task) && !Stays(*task)) Stop(*task, spec_.checkpoint.grace);
  if (task->ranks_left == 0 && !task->stop_at) Arm(*task, now_ + spec_.checkpoint.grace + kStopSlack);
}

void Job::Impl::On(const TaskStartFailed& e) {
  Task* task = OpenAttempt(e.container, e.attempt);
  if (task == nullptr || task->run != Task::Run::kStarting) return;
  const Instant at = Sane(e.at);
  task->exit = ExitStatus{.code = e.exit_code};
  if (!e.exit_code) task->exit.reset();
  task->ranks_left = 0;
  if (!task->stop_at || at < *task->stop_at) {
    Failure failure = FailureOf(*task, Failure::How::kStart, at);
    failure.exit.code = e.exit_code;
    NoteFailure(*task, Diagnosed(*task, std::move(failure), e.diagnosis));
  }
  Close(*task, at);
}

void Job::Impl::On(const TaskEnded& e) {
  Task* task = OpenAttempt(e.container, e.attempt);
  if (task == nullptr) return;
  const Instant at = task->ranks_left == 0 ? task->last_exit : Sane(e.at);
  const bool unexplained = !task->failure && !task->clean() && !task->stop_at;
  task->ranks_left = 0;
  if (unexplained) NoteFailure(*task, FailureOf(*task, Failure::How::kNoStatus, at));
  Close(*task, at);
}

void Job::Impl::On(const TaskProgressed& e) {
  Task* task = OpenAttempt(e.container, e.attempt);
  if (task == nullptr || task->run != Task::Run::kRunning) return;
  TaskProgress progress = e.progress;
  progress.at = Sane(progress.at);
  if (progress.checkpoint_at) progress.checkpoint_at = Sane(*progress.checkpoint_at);
  if (task->progress == progress) return;
  task->progress = progress;
  NoteProgress(*task);
  if (task->ranked && progress.step && task->pace.Take(*progress.step, progress.at)) WatchPace(*task);
}

std::optional<ReportedCheckpoint> Job::Impl::NewestCheckpoint() {
  std::optional<ReportedCheckpoint> newest;
  ForEachTask([&](const Task& task) {
    if (!task.progress || !task.progress->checkpoint || !task.progress->checkpoint_at) return;
    const Duration ago = std::max(Duration::zero(), now_ - *task.progress->checkpoint_at);
    if (!newest || ago < newest->ago) newest = ReportedCheckpoint{NameOf(task), *task.progress->checkpoint, ago};
  });
  return newest;
}

// Who of the ranked tasks is slow; where every step is a collective all are as slow as the slowest.
void Job::Impl::WatchPace(Task& task) {
  std::vector<double> all;
  ForEachTask([&](const Task& other) {
    const auto pace = other.ranked && other.run == Task::Run::kRunning ? other.pace.steps_per_second() : std::nullopt;
    if (pace) all.push_back(*pace);
  });
  const auto own = task.pace.steps_per_second();
  const auto times = own ? SlowerBy(*own, std::move(all)) : std::nullopt;
  task.pace.slow_windows = times ? task.pace.slow_windows + 1 : 0;
  if (!times || !IsNewlySlow(task.pace.slow_windows) || state_ != JobState::kRunning || ending_) return;
  const int rank = RanksOfTask(task).front();
  Write(
      JobChanged{.type = JobChanged::Type::kRunning, .advice = SlowText(NameOf(task), rank, task.node, *times, *own)});
}

void Job::Impl::On(const TaskSaving& e) {
  Task* task = OpenAttempt(e.container, e.attempt);
  if (task == nullptr || !task->stop_at) return;
  task->stop_due = std::max(task->stop_due, std::min(now_ + task->stop_grace, task->stop_limit));
  Arm(*task, task->stop_due + kStopSlack);
}

// The task whose attempt an executor's event is about; nullptr if the event is stale.
Task* Job::Impl::OpenAttempt(const ContainerId& id, int attempt) {
  Container* container = Hear(id);
  if (container == nullptr || container->task == nullptr) return nullptr;
  Task* task = container->task;
  return task->run != Task::Run::kNone && task->attempt == attempt ? task : nullptr;
}

void Job::Impl::Start(Task& task) {
  Require(task.connected() && !task.done && !task.leaving, "a task starts that cannot or need not");
  Require(task.run == Task::Run::kNone, "an attempt starts while another one of the task has not ended");
  Require(AfterHolds(RoleOf(task)), "a task starts before its role may");
  int& next_attempt = PastOf(task).next_attempt;
  Require(task.attempt >= next_attempt, "an attempt's number comes twice");
  next_attempt = task.attempt + 1;
  task.run = Task::Run::kStarting;
  if (RoleOf(task).directs) ForgetNews();
  task.attempt_used = true;
  task.generation = task.world = generation_;
  task.meeting = Task::Meeting::kNone;
  task.exited.assign(static_cast<size_t>(std::max(1, SpecOf(task).processes)), false);
  task.ranks_left = static_cast<int>(task.exited.size());
  task.clean_ranks = 0;
  task.started.reset();
  task.last_exit = Instant::min();
  task.exit.reset();
  task.failure.reset();
  task.stop_at.reset();
  task.progress.reset();
  task.pace.Begin();
  task.progress_entries = 0;
  if (task.id.index == 0) exports_[static_cast<size_t>(task.id.role)].clear();
  task.next_progress_entry = Instant::min();
  Recount(task);
  actions_.push_back(StartTask{task.container->id, task.id, task.attempt, generation_, task.place});
}

void Job::Impl::Stop(Task& task, Duration grace, bool exactly) {
  if (!task.connected()) return;  // its container is being killed
  const Duration limit = exactly ? grace : std::max(grace, LongestGrace(spec_.checkpoint));
  const bool look = IsWorthALook(task);
  const Instant looked = now_ + (look ? kProbeLimit : Duration::zero());
  if (!task.stop_at) {
    task.stop_at = now_;
    task.stop_grace = grace;
    task.stop_due = task.stop_limit = kNever;
    Recount(task);
  }
  if (looked + grace >= task.stop_due && looked + limit >= task.stop_limit) return;
  task.stop_due = std::min(task.stop_due, looked + grace);
  task.stop_limit = std::min(task.stop_limit, looked + limit);
  Arm(task, task.stop_due + kStopSlack);
  actions_.push_back(StopTask{task.container->id, task.attempt, grace, limit, look});
}

// Its executor has connected again: what was ordered may have got lost, with the connection or with an AM.
void Job::Impl::OrderAgain(const Task& task) {
  if (task.run == Task::Run::kNone) return;
  if (!task.stop_at) {
    actions_.push_back(StartTask{task.container->id, task.id, task.attempt, task.generation, task.place});
  } else {
    const Duration left = std::max(Duration::zero(), task.stop_due - now_);
    const Duration limit = std::max(left, task.stop_limit - now_);
    actions_.push_back(StopTask{task.container->id, task.attempt, left, limit});
  }
}

Failure Job::Impl::FailureOf(const Task& task, Failure::How how, Instant at) const {
  Failure failure;
  failure.how = how;
  failure.at = at;
  failure.node = task.node;
  failure.attempt = task.attempt;
  if (task.run != Task::Run::kNone && task.started) failure.ran = std::max(Duration::zero(), at - *task.started);
  return failure;
}

Failure Job::Impl::FailureOf(const Task& task, Failure::How how, Instant at, const Loss& loss) const {
  Failure failure = FailureOf(task, how, at);
  failure.what = loss.how;
  failure.excused = loss.excused && SpecOf(task).restart.excuse;
  failure.taken = loss.taken;
  return failure;
}

// With what was found out about it, and what that leads to.
Failure Job::Impl::Diagnosed(Task& task, Failure failure, const Diagnosis& diagnosis) const {
  using Then = jobspec::RestartRule::Then;
  const bool known = task.failure && task.failure->diagnosis.node_fault;  // of another process of the attempt
  if (diagnosis.node_fault && !known) ++task.pardons;
  failure.diagnosis = diagnosis;
  failure.then = Says(SpecOf(task).restart, diagnosis, task.pardons <= Task::kPardons);
  failure.excused = failure.then == Then::kRestartFree || failure.then == Then::kElsewhere;
  if (failure.then && diagnosis.rule) failure.ruled_by = RuledByText(SpecOf(task), *diagnosis.rule);
  return failure;
}

// An attempt failed by itself. It may not have ended yet: other processes of it may run.
void Job::Impl::NoteFailure(Task& task, Failure failure) {
  const bool first = !task.failure;
  if (!first && !CameFirst(failure, *task.failure)) return;
  if (failure.exit.code || failure.exit.signal) task.exit = failure.exit;
  task.failure = std::move(failure);
  Recount(task);
  React(task);
  if (!first) return;
  using How = Failure::How;
  const How how = task.failure->how;
  const bool may_run =
      task.failure->planned() || how == How::kExit || how == How::kTimeLimit || how == How::kNoProgress;
  if (may_run && task.ranks_left > 0) Stop(task, spec_.checkpoint.grace);
}

// Nothing of the attempt is left.
void Job::Impl::Close(Task& task, Instant at) {
  Require(task.run != Task::Run::kNone, "an attempt ends twice");
  task.run = Task::Run::kNone;
  task.timer.due = kNever;
  using How = Failure::How;
  // It had succeeded before it heard that it had to stop.
  if (task.failure && task.failure->planned() && task.clean()) task.failure.reset();
  if (task.failure) {
    const bool lost = task.failure->how == How::kLost || task.failure->how == How::kTakenBack;
    task.state = lost                                  ? TaskState::kLost
                 : task.failure->how == How::kOutdated ? TaskState::kStopped
                                                       : TaskState::kFailed;
  } else {
    task.state = task.clean() ? TaskState::kSucceeded : TaskState::kStopped;
  }
  if (task.container != nullptr && task.container->phase == Container::Phase::kKilled) Detach(task);
  if (task.container != nullptr && task.container->unwanted) ReleaseFrom(task);
  Recount(task);
  NoteEnded(task, at);
  if (task.leaving) {
    Remove(task);
  } else if (ending_) {
    EndTask(task);
  } else if (task.state == TaskState::kSucceeded) {
    MarkDone(task);
  } else if (!Draining(task)) {
    // Every other remedy began when the failure was noted: the job ends, or the task drains.
    const Remedy remedy = RemedyFor(task);
    Require(task.failure && (remedy == Remedy::kAlone || remedy == Remedy::kAccept), "an attempt ended for no reason");
    remedy == Remedy::kAlone ? RestartAlone(task) : MarkDone(task);
  }
}

void Job::Impl::MarkDone(Task& task) {
  task.done = true;
  judge_ = true;
  Recount(task);
  if (!MayStartAgain(task)) ReleaseFrom(task);
}

bool Job::Impl::MayStartAgain(const Task& task) const {
  return Draining(task) || JobBudget() > 0 || (task.ranked && ranked_.budget > 0);
}

void Job::Impl::FireTask(Task& task) {
  if (task.run == Task::Run::kRunning && task.ranks_left > 0 && !task.stop_at) {
    Failure failure = FailureOf(task, Failure::How::kTimeLimit, now_);
    failure.what = DurationToText(*SpecOf(task).timeout);
    NoteFailure(task, std::move(failure));
  } else if (task.run != Task::Run::kNone) {
    if (task.container != nullptr) Kill(*task.container);
  } else if (task.backing_off) {
    task.backing_off = false;
    if (task.connected()) RoleOf(task).ready.push_back(task.id.index);
  }
}

}  // namespace howdah::core
