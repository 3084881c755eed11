#include <algorithm>
#include <tuple>
#include <utility>

#include "job_impl.h"

namespace howdah::core {

void Job::Impl::Scale(int role_number, int instances, const std::string& by) {
  if (ending_ || state_ == JobState::kQueued) return;
  if (role_number < 0 || static_cast<size_t>(role_number) >= roles_.size()) return;
  Role& role = roles_[static_cast<size_t>(role_number)];
  const jobspec::Instances& allowed = spec_.roles[static_cast<size_t>(role_number)].instances;
  if (!allowed.elastic() || instances < allowed.min || instances > allowed.max) return;
  role.scale_to = instances;
  role.scale_by = by;
  ApplyWaitingScales();
}

// A role takes its next size when all tasks of the last scaling have left, and nothing is being stopped: a task that
// leaves then may be the one that failed first.
void Job::Impl::ApplyWaitingScales() {
  if (drain_) return;
  for (size_t r = 0; r < roles_.size(); ++r) {
    Role& role = roles_[r];
    Trim(role);
    const auto leaves = [](const Task& task) { return task.leaving && !task.removed; };
    if (!role.scale_to || std::any_of(role.tasks.begin(), role.tasks.end(), leaves)) continue;
    const int from = role.size, to = *std::exchange(role.scale_to, std::nullopt);
    if (from == to) continue;
    const std::string& name = spec_.roles[r].name;
    // What was only just told to start was told the old size too.
    const bool begun = ranked_.started > 0 || ranked_.open > 0;
    const bool runs = role.ranked && begun && !barrier_ && !role.gathers;
    const int members = role.tally.tasks;
    Write(RoleScaled{name, from, to, role.scale_by});
    to > from ? Widen(static_cast<int>(r), to) : Narrow(static_cast<int>(r), to);
    judge_ = true;
    if (!runs || drain_ || role.tally.tasks == members) continue;
    const std::string why = name + " was scaled from " + std::to_string(from) + " to " + std::to_string(to);
    BeginDrain({.scope = Scope::kRanked, .why = why});
    NoteRecovering(why + "; " + HowTheyRecover());
  }
}

// What is added becomes a member when its container has come.
void Job::Impl::Widen(int role_number, int size) {
  while (roles_[static_cast<size_t>(role_number)].size < size) AddTask(role_number, /*member=*/false);
}

// Takes the lowest index that is free.
void Job::Impl::AddTask(int role_number, bool member) {
  Role& role = roles_[static_cast<size_t>(role_number)];
  auto slot = role.tasks.end();
  if (role.tasks.size() > static_cast<size_t>(role.size)) {
    slot = std::find_if(role.tasks.begin(), role.tasks.end(), [](const Task& task) { return task.removed; });
  }
  const size_t index = static_cast<size_t>(slot - role.tasks.begin());
  if (slot == role.tasks.end()) role.tasks.emplace_back();
  Task& task = role.tasks[index];
  task = Task{};
  ++role.size;
  task.id = {role_number, static_cast<int>(index)};
  task.place = task.id.index;
  task.ranked = role.ranked;
  task.member = member;
  if (index >= role.past.size()) role.past.resize(index + 1, Past{.next_attempt = first_attempt_});
  const Past& past = role.past[index];
  task.attempt = past.next_attempt;
  task.paid = past.paid;
  task.forgiven = past.forgiven;
  task.pardons = past.pardons;
  endpoints_[static_cast<size_t>(role_number)].resize(role.tasks.size());
  Want(task);
  Recount(task);
}

// Those leave first that only wait, then newcomers, then members, each from the highest index down.
void Job::Impl::Narrow(int role_number, int size) {
  Role& role = roles_[static_cast<size_t>(role_number)];
  std::vector<Task*> stay;
  for (Task& task : role.tasks) {
    if (!task.leaving) stay.push_back(&task);
  }
  std::sort(stay.begin(), stay.end(), [](const Task* a, const Task* b) {
    const auto order = [](const Task* t) { return std::make_tuple(!t->member, !Known(*t), t->id.index); };
    return order(a) < order(b);
  });
  for (; role.size > size; stay.pop_back()) Leave(*stay.back());
  Trim(role);
}

void Job::Impl::Leave(Task& task) {
  --RoleOf(task).size;
  task.leaving = true;
  Recount(task);
  if (task.run == Task::Run::kNone) {
    Remove(task);
  } else if (task.ranks_left > 0) {
    Stop(task, spec_.checkpoint.grace);
  }
}

void Job::Impl::Remove(Task& task) {
  const bool known = Known(task);
  if (!IsFinal(task.state)) {
    task.state = TaskState::kStopped;
    if (known) NoteStopped(task);
  }
  ReleaseFrom(task);
  task.timer = task.missing = {};
  task.removed = true;
  Past& past = PastOf(task);
  past = {past.next_attempt, task.paid, task.forgiven, task.pardons};
  if (known) NoteRemoved(task);
}

void Job::Impl::Trim(Role& role) {
  while (!role.tasks.empty() && role.tasks.back().removed) {
    if (touched_ == &role.tasks.back()) touched_ = nullptr;
    role.tasks.pop_back();
  }
}

}  // namespace howdah::core
