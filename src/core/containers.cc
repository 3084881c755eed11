#include <algorithm>
#include <utility>

#include "job_impl.h"
#include "require.h"

namespace howdah::core {
namespace {

// A container that was released is killed after this, and one that was killed is given up after as long again.
constexpr Duration kGoneLimit = std::chrono::seconds(10);
constexpr char kAheadText[] = "the application master died before it had noted what it started there";

}  // namespace

void Job::Impl::On(const ContainerGranted& e) {
  if (by_id_.contains(e.container)) return;
  Container& container = Admit(e);
  Role* role =
      e.role >= 0 && static_cast<size_t>(e.role) < roles_.size() ? &roles_[static_cast<size_t>(e.role)] : nullptr;
  Task* task = !ending_ && role != nullptr && role->asked > 0 ? NextLacking(*role) : nullptr;
  if (task == nullptr) {  // nobody asked for it, or not any more
    Release(container);
    return;
  }
  --role->asked;
  Assign(container, *task);
  if (!role->fills) {
    Launch(container);
    return;
  }
  last_grant_ = now_;
  own_wait_.clear();
  Arm(JobTimer::kHold, now_ + hold_limit_);
  Arm(JobTimer::kHoldNotice, now_ + hold_limit_ / 2);
}

void Job::Impl::On(const ContainerStarting& e) {
  Container* container = Find(e.container);
  if (container == nullptr || container->phase != Container::Phase::kLaunched) return;
  std::string startup_stage = OneLine(e.startup_stage);
  if (startup_stage == container->startup_stage) return;
  container->startup_stage = std::move(startup_stage);
  NotePlaced(*container->task, container->startup_stage);
}

void Job::Impl::On(const ContainerExited& e) {
  if (Container* container = Find(e.container)) Gone(*container, {e.how, e.infrastructure, e.preempted});
}

void Job::Impl::On(const ReclaimAnnounced& e) {
  Container* container = Find(e.container);
  if (container == nullptr || container->task == nullptr || container->unwanted || ending_) return;
  Task& task = *container->task;
  if (container->phase == Container::Phase::kKilled || !SpecOf(task).restart.excuse) return;
  container->unwanted = true;
  const Loss loss{"its container is wanted back: " + OneLine(e.why), /*excused=*/true, e.preempted};
  task.taken = task.taken || e.preempted;
  if (task.run == Task::Run::kNone) {
    ReleaseFrom(task);
    LoseIdle(task, loss, now_);
  } else if (!task.failure && task.ranks_left > 0 && !task.stop_at) {
    NoteFailure(task, FailureOf(task, Failure::How::kTakenBack, now_, loss));
  }
}

void Job::Impl::On(const ExecutorRegistered& e) {
  Container* container = Hear(e.container);
  using Phase = Container::Phase;
  if (container == nullptr || container->phase == Phase::kReleased || container->phase == Phase::kKilled) return;
  Task& task = *container->task;
  const bool again = container->phase == Phase::kConnected;
  // Or an AM before this one has launched it, and its order is not known.
  if (IsAhead(task, e.attempt) || container->phase == Phase::kHeld) return LoseAhead(*container);
  if (again) return OrderAgain(task);
  container->phase = Container::Phase::kConnected;
  Arm(*container, now_ + spec_.timeouts.heartbeat);
  HostPort& known = endpoints_[static_cast<size_t>(task.id.role)][static_cast<size_t>(task.id.index)];
  const bool moved = task.member && known.port != 0 && known != e.endpoint;
  known = e.endpoint;
  task.taken = task.overdue = false;
  task.missing.due = kNever;
  task.state = TaskState::kReady;
  Recount(task);
  NotePlaced(task);
  if (task.member && !task.backing_off) RoleOf(task).ready.push_back(task.id.index);
  if (!task.member && task.ranked) GoOnWithoutOverdue(RoleOf(task));
  if (moved) AddNews(task, "has moved, to " + task.node);
}

void Job::Impl::On(const ExecutorRefused& e) {
  Container* container = Find(e.container);
  if (container != nullptr && container->phase == Container::Phase::kLaunched) NeverConnects(*container, e.why);
}

Container* Job::Impl::Find(const ContainerId& id) {
  const auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : &slots_[static_cast<size_t>(it->second)];
}

Container* Job::Impl::Hear(const ContainerId& id) {
  Container* container = Find(id);
  if (container == nullptr) return nullptr;
  container->last_heard = now_;
  container->disconnected.reset();
  return container;
}

Container& Job::Impl::Admit(const ContainerGranted& e) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<int>(slots_.size()));
    slots_.emplace_back();
  }
  const int slot = free_slots_.back();
  free_slots_.pop_back();
  Container& container = slots_[static_cast<size_t>(slot)];
  container = Container{.id = e.container, .slot = slot, .node = e.node};
  by_id_.emplace(e.container, slot);
  nodes_.Seen(e.node);
  return container;
}

void Job::Impl::Assign(Container& container, Task& task) {
  container.task = &task;
  task.container = &container;
  task.node = container.node;
  if (!task.member) Write(Note(task, TaskChanged::Type::kPending));
  task.state = TaskState::kAllocated;
  Recount(task);
  NotePlaced(task);
}

void Job::Impl::Launch(Container& container) {
  container.phase = Container::Phase::kLaunched;
  container.launched = now_;
  container.last_heard = now_;
  Arm(container, now_ + spec_.timeouts.register_);
  actions_.push_back(LaunchExecutor{container.id, container.task->id});
}

// It has no container (any more), and waits for one.
void Job::Impl::Unplace(Task& task, const std::optional<std::string>& reason) {
  if (!task.member) {
    task.state = TaskState::kStopped;
    NoteStopped(task, reason);
    NoteRemoved(task);
  }
  task.state = TaskState::kPending;
  Want(task);
  Recount(task);
  if (task.member) NotePlaced(task, reason);
}

// So does what was ordered about a container. One that was connected has as long to come back as it may be silent.
void Job::Impl::OrderAgain(Container& container) {
  switch (container.phase) {
    case Container::Phase::kHeld:
      return;
    case Container::Phase::kLaunched:
      return Launch(container);
    case Container::Phase::kConnected:
      container.last_heard = now_;
      container.disconnected = now_;
      return Arm(container, now_ + spec_.timeouts.heartbeat);
    case Container::Phase::kReleased:
      Arm(container, now_ + kGoneLimit);
      actions_.push_back(ReleaseContainer{container.id});
      return;
    case Container::Phase::kKilled:
      Arm(container, now_ + kGoneLimit);
      actions_.push_back(KillContainer{container.id});
  }
}

void Job::Impl::Detach(Task& task) {
  task.container->task = nullptr;
  task.container = nullptr;
  Recount(task);
}

void Job::Impl::Release(Container& container) {
  Require(container.task == nullptr, "a container is released while a task has it");
  container.phase = Container::Phase::kReleased;
  Arm(container, now_ + kGoneLimit);
  actions_.push_back(ReleaseContainer{container.id});
}

void Job::Impl::ReleaseFrom(Task& task) {
  if (task.container == nullptr) return;
  Container& container = *task.container;
  Detach(task);
  if (container.phase != Container::Phase::kKilled) Release(container);
}

void Job::Impl::Kill(Container& container) {
  if (container.phase == Container::Phase::kKilled) return;
  container.phase = Container::Phase::kKilled;
  Arm(container, now_ + kGoneLimit);
  actions_.push_back(KillContainer{container.id});
  if (container.task != nullptr) Recount(*container.task);
}

void Job::Impl::Gone(Container& container, const Loss& loss) {
  Task* task = container.task;
  const bool held = container.phase == Container::Phase::kHeld;
  const Instant at = container.disconnected.value_or(now_);
  std::string how = container.ahead ? kAheadText : loss.how.empty() ? "its executor ended" : loss.how;
  if (loss.excused && !loss.taken && task != nullptr) {
    const bool heard = task->connected() || container.disconnected;
    if (heard) how += ", last heard of " + FormatDuration(now_ - container.last_heard) + " before";
    how += AlsoThere(container);
  }
  if (task != nullptr) Detach(*task);
  by_id_.erase(container.id);
  container.timer.due = container.timer.armed = kNever;
  free_slots_.push_back(container.slot);
  if (task == nullptr) return;
  task->taken = task->taken || loss.taken;
  if (task->run != Task::Run::kNone) {
    if (!task->failure && !task->clean() && (!task->stop_at || at < *task->stop_at)) {
      NoteFailure(*task, FailureOf(*task, Failure::How::kLost, at, {how, loss.excused, loss.taken}));
    }
    Close(*task, now_);
  } else if (held) {
    Unplace(*task);
  } else {
    LoseIdle(*task, {how, loss.excused || container.ahead, loss.taken}, at);
  }
}

// What else is on the node: a clause's end.
std::string Job::Impl::AlsoThere(const Container& container) {
  std::vector<std::string> others;
  ForEachTask([&](const Task& task) {
    const bool there = task.container != nullptr && task.container->node == container.node;
    if (there && &task != container.task) others.push_back(NameOf(task));
  });
  return others.empty() ? "" : "; with it were there " + Names(others);
}

void Job::Impl::FireContainer(Container& container, Instant due) {
  using Phase = Container::Phase;
  const Instant silent_from = container.last_heard + spec_.timeouts.heartbeat;
  if (container.phase == Phase::kConnected && !ending_ && silent_from > due) return Arm(container, silent_from);
  unmoved_ = false;
  if (container.phase == Phase::kReleased) {
    Kill(container);
  } else if (container.phase == Phase::kKilled) {
    abandoned_.push_back(container.id.text + (container.node.empty() ? "" : " on " + container.node));
    Gone(container, {.how = "it did not go when it was killed"});
  } else if (container.phase == Phase::kLaunched) {
    NeverConnects(container, "its executor did not connect within " + DurationToText(spec_.timeouts.register_) +
                                 " (timeouts.register) of its launch" +
                                 (container.startup_stage.empty() ? "" : ": " + container.startup_stage));
  } else if (container.phase == Phase::kConnected && !ending_) {
    const std::string how = "nothing was heard of it for " + FormatDuration(now_ - container.last_heard) +
                            " (timeouts.heartbeat)" + AlsoThere(container);
    Lose(container, {how, /*excused=*/++container.task->pardons <= Task::kPardons}, container.last_heard);
  }
}

// The executor, or what it does, is out of reach.
void Job::Impl::Lose(Container& container, const Loss& loss, Instant at) {
  Task& task = *container.task;
  Kill(container);
  if (task.run == Task::Run::kNone) {
    Detach(task);
    LoseIdle(task, loss, at);
  } else if (!task.clean()) {
    NoteFailure(task, FailureOf(task, Failure::How::kLost, at, loss));
  }
}

// What runs in it is not known, but that it does: the task starts elsewhere when it has gone.
void Job::Impl::LoseAhead(Container& container) {
  const Loss loss{kAheadText, /*excused=*/true};
  if (container.task->run != Task::Run::kNone) return Lose(container, loss, now_);
  container.ahead = true;
  Kill(container);
}

// It was started by an AM whose last orders are not known: what it does cannot be told from what it is to do now.
bool Job::Impl::IsAhead(const Task& task, int attempt) { return attempt > task.attempt - (task.attempt_used ? 0 : 1); }

void Job::Impl::NeverConnects(Container& container, const std::string& why) {
  Task& task = *container.task;
  Detach(task);
  Kill(container);
  LoseIdle(task, {.how = why}, now_);
}

// A container went before its task was started in it (again).
void Job::Impl::LoseIdle(Task& task, const Loss& loss, Instant at) {
  if (ending_ || task.done || task.leaving) return;
  if (!task.member) return LoseNewcomer(task, loss);
  if (Draining(task) && IsFinal(task.state)) return;  // it gets another one when it starts again
  const Role& role = RoleOf(task);
  const bool gathers = barrier_ || role.gathers || !role.open;
  const bool others_run = task.ranked && ranked_.started > 0 && !Draining(task) && !gathers;
  const bool too_often = !loss.excused && ++task.launch_failures > kReplacements;
  // The ranked tasks that run know an address that is gone.
  Failure failure = FailureOf(task, others_run && !too_often ? Failure::How::kLost : Failure::How::kNotReady, at, loss);
  if (!others_run && !too_often) {
    Unplace(task, FailureText(NameOf(task), failure) + "; another container is asked for");
    AwaitAnother(task);
    Refill();
    return;
  }
  if (too_often) failure.what += ", as with " + std::to_string(task.launch_failures - 1) + " containers before";
  task.state = too_often ? TaskState::kFailed : TaskState::kLost;
  task.failure = std::move(failure);
  task.exit.reset();
  NoteEnded(task, now_);
  if (too_often && CountsFor(task)) {
    BeginEnding({.cause = Ending::Cause::kFailure, .grace = spec_.checkpoint.grace});
  } else if (too_often || RemedyFor(task) == Remedy::kAccept) {
    MarkDone(task);
  } else {
    Recount(task);
    React(task);
  }
}

}  // namespace howdah::core
