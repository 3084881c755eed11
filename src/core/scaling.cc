#include <utility>

#include "job_impl.h"

namespace howdah::core {

void Job::Impl::Scale(int role_number, int instances, const std::string& by) {
  if (ending_ || state_ == JobState::kQueued) return;
  if (role_number < 0 || static_cast<size_t>(role_number) >= roles_.size()) return;
  Role& role = roles_[static_cast<size_t>(role_number)];
  const spec::Instances& allowed = spec_.roles[static_cast<size_t>(role_number)].instances;
  if (!allowed.elastic() || instances < allowed.min || instances > allowed.max) return;
  role.scale_to = instances;
  role.scale_by = by;
  ApplyWaitingScales();
}

// A role takes its next size when all tasks of the last scaling have left.
void Job::Impl::ApplyWaitingScales() {
  for (size_t r = 0; r < roles_.size(); ++r) {
    Role& role = roles_[r];
    Trim(role);
    if (!role.scale_to || role.tasks.size() > static_cast<size_t>(role.size)) continue;
    const int from = role.size, to = *std::exchange(role.scale_to, std::nullopt);
    if (from == to) continue;
    const std::string& name = spec_.roles[r].name;
    const bool runs = role.ranked && ranked_.started > 0 && !barrier_ && !role.gathers;
    Write(RoleScaled{name, from, to, role.scale_by});
    to > from ? Grow(static_cast<int>(r), to) : Shrink(static_cast<int>(r), to);
    judge_ = true;
    if (!runs || drain_) continue;
    const std::string why = name + " was scaled from " + std::to_string(from) + " to " + std::to_string(to);
    BeginDrain({.scope = Scope::kRanked, .why = why});
    NoteRecovering(why + "; all ranked tasks are stopped to start again");
  }
}

void Job::Impl::Grow(int role_number, int size) {
  Role& role = roles_[static_cast<size_t>(role_number)];
  while (role.size < size) {
    AddTask(role_number);
    NotePlaced(role.tasks.back());
  }
}

void Job::Impl::AddTask(int role_number) {
  Role& role = roles_[static_cast<size_t>(role_number)];
  Task& task = role.tasks.emplace_back();
  task.id = {role_number, role.size++};
  task.ranked = role.ranked;
  const size_t index = static_cast<size_t>(task.id.index);
  if (index >= role.next_attempt.size()) role.next_attempt.resize(index + 1, first_attempt_);
  task.attempt = role.next_attempt[index];
  role.lacking.push(task.id.index);
  cluster_[static_cast<size_t>(role_number)].resize(static_cast<size_t>(role.size));
  Recount(task);
}

void Job::Impl::Shrink(int role_number, int size) {
  Role& role = roles_[static_cast<size_t>(role_number)];
  role.size = size;
  cluster_[static_cast<size_t>(role_number)].resize(static_cast<size_t>(size));
  for (size_t i = static_cast<size_t>(size); i < role.tasks.size(); ++i) Leave(role.tasks[i]);
  Trim(role);
}

void Job::Impl::Leave(Task& task) {
  task.leaving = true;
  Recount(task);
  if (task.run == Task::Run::kNone) {
    Remove(task);
  } else if (task.ranks_left > 0) {
    Stop(task, spec_.checkpoint.grace);
  }
}

void Job::Impl::Remove(Task& task) {
  if (!IsFinal(task.state)) {
    task.state = TaskState::kStopped;
    NoteStopped(task);
  }
  ReleaseFrom(task);
  task.timer = {};
  task.removed = true;
  Write(Note(task, TaskChanged::Type::kRemoved));
}

void Job::Impl::Trim(Role& role) {
  while (role.tasks.size() > static_cast<size_t>(role.size) && role.tasks.back().removed) {
    if (touched_ == &role.tasks.back()) touched_ = nullptr;
    role.tasks.pop_back();
  }
}

}  // namespace howdah::core
