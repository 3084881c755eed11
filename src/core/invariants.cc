#include "job_impl.h"
#include "require.h"

namespace howdah::core {

// What every Step checks: the task it touched, and what is known by counts.
void Job::Impl::CheckStep() const {
  if (touched_ != nullptr) CheckTask(*touched_);
  Require(all_.open >= 0 && all_.open <= static_cast<int>(by_id_.size()), "an attempt without a container");
  if (finished_) {
    Require(by_id_.empty(), "the job has finished and holds containers");
    return;
  }
  for (const Role& role : roles_) {
    Require(role.asked >= 0, "less than nothing is asked for");
    if (ending_ || gave_back_) Require(role.asked == 0, "containers are asked for that are not wanted");
  }
  Require(!(ending_ && (drain_ || barrier_)), "the job recovers while it ends");
}

void Job::Impl::CheckTask(const Task& task) const {
  Require(task.counted == CountsOf(task, SpecOf(task).restart.max), "a task is counted as what it is not");
  Require(task.container == nullptr || task.container->task == &task, "a task has a container that is another task's");
  const bool open = task.run != Task::Run::kNone;
  Require(!open || task.container != nullptr, "an attempt runs without a container");
  Require(!open || !task.done, "a task is done and has an attempt that runs");
  Require(!task.done || IsFinal(task.state), "a task is done in a state that is not final");
  Require(task.state != TaskState::kRunning || open, "a task is RUNNING and has no attempt");
  const bool has = task.container != nullptr && task.container->phase != Container::Phase::kKilled;
  Require(task.state != TaskState::kPending || !has, "a task is PENDING and has a container");
  Require(task.state != TaskState::kReady || task.container != nullptr, "a task is READY and has no container");
  Require(task.attempt >= 0 && task.paid >= 0, "an attempt or a budget is negative");
}

void Job::Impl::CheckInvariants() const {
  CheckStep();
  Tally all, ranked;
  for (const Role& role : roles_) {
    Tally own;
    int stay = 0;
    for (const Task& task : role.tasks) {
      CheckTask(task);
      own.Add(task.counted, 1);
      stay += !task.leaving;
      Require(task.member || task.run == Task::Run::kNone, "a task runs that does not belong to the world");
    }
    Require(own == role.tally, "the counts of a role are wrong");
    Require(stay == role.size, "a role has not the tasks it is wanted to have");
    const int least = spec_.roles[static_cast<size_t>(&role - roles_.data())].instances.min;
    Require(own.tasks >= least, "a role has fewer members than it can do with");
    Require(role.open || role.asked == 0, "containers are asked for in which nothing could run");
    Require(role.open || !(role.fills || role.gathers), "a gang comes together of which nothing may start");
    const bool asks = !ending_ && !gave_back_ && !finished_ && state_ != JobState::kQueued;
    const bool enough = MayAsk(role) ? role.asked == WantedBy(role) : role.asked <= WantedBy(role);
    Require(!asks || enough, "not as many containers are asked for as are lacking");
    all.Add(own, 1);
    if (role.ranked) ranked.Add(own, 1);
  }
  Require(all == all_ && ranked == ranked_, "the counts of the job are wrong");
  size_t held = 0;
  for (const auto& [id, slot] : by_id_) {
    const Container& container = slots_[static_cast<size_t>(slot)];
    Require(container.id == id, "a container is known by another one's name");
    const bool gone = container.phase == Container::Phase::kReleased;
    Require(container.task == nullptr ? gone || container.phase == Container::Phase::kKilled : !gone,
            "a container is held for nobody, or was released while a task has it");
    Require(container.task == nullptr || container.task->container == &container, "a container's task has another one");
    held += 1;
  }
  Require(held + free_slots_.size() == slots_.size(), "a container was lost count of");
  Require(!finished_ || by_id_.empty(), "the job has finished and holds containers");
}

}  // namespace howdah::core
