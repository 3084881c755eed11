#include "howdah/journal/job_view.h"

#include <algorithm>
#include <variant>

namespace howdah::journal {
namespace {

template <typename T>
void Take(T& field, const std::optional<T>& value) {
  if (value) field = *value;
}

// Finds the position of (role, index). The tasks of a role are adjacent and sorted by index. The search skips whole
// roles, so that computing the view of a job with 10,000 tasks stays fast.
template <typename Tasks>
auto Position(Tasks& tasks, const std::string& role, int index) {
  auto block = tasks.begin();
  while (block != tasks.end() && block->role != role) {
    const std::string& other = block->role;
    block = std::partition_point(block, tasks.end(), [&](const TaskView& task) { return task.role == other; });
  }
  return std::partition_point(block, tasks.end(),
                              [&](const TaskView& task) { return task.role == role && task.index < index; });
}

bool IsAt(const std::vector<TaskView>& tasks, std::vector<TaskView>::const_iterator at, const std::string& role,
          int index) {
  return at != tasks.end() && at->role == role && at->index == index;
}

// Clears the values of the previous attempt except its reason, which explains why the job waits for the new attempt.
// The reason stays until the new attempt has started or can no longer start.
void StartAttempt(TaskView& task, int attempt) {
  task.attempt = attempt;
  task.ready = false;
  task.pids.clear();
  task.exit.reset();
  task.started.reset();
  task.finished.reset();
  task.usage = {};
  task.progress.reset();
  task.left_files.reset();
  task.result_bytes.clear();
}

void Fold(JobView& view, Instant time, const core::JobSubmitted& change) {
  view.id = change.id;
  view.name = change.name;
  view.on = change.on;
  view.framework = change.framework;
  view.user = change.user;
  view.host = change.host;
  view.submitted = time;
  view.tasks.clear();
  view.later_roles.clear();
  int tasks = 0;
  for (const auto& role : change.roles) {
    if (role.later) view.later_roles.push_back(role.name);
    if (!role.later) tasks += role.instances;
  }
  view.time_breakdown.Begin(time, tasks);
  view.hardware.Begin(time);
  for (const auto& role : change.roles) {
    for (int index = 0; index < role.instances; ++index) {
      TaskView task;
      task.role = role.name;
      task.index = index;
      view.tasks.push_back(std::move(task));
    }
  }
}

void Fold(JobView& view, Instant time, const core::JobChanged& change) {
  Take(view.state, change.state);
  Take(view.generation, change.generation);
  Take(view.am_attempt, change.am_attempt);
  Take(view.reason, change.reason);
  // A cause belongs to its reason, so a new reason without a cause clears the old cause.
  if (change.cause || change.reason) view.cause = change.cause;
  if (change.type == core::JobChanged::Type::kTensorboard) Take(view.tensorboard_advice, change.advice);
  Take(view.advice, change.advice);
  if (view.advice.empty()) view.advice = view.tensorboard_advice;
  Take(view.tracking_url, change.tracking_url);
  Take(view.tensorboard_url, change.tensorboard_url);
  if (change.exit_code) view.exit_code = change.exit_code;
  if (view.state == core::JobState::kRunning && !view.started) view.started = time;
  if (core::IsFinal(view.state)) view.finished = time;
  const bool am_began_again = change.am_attempt.value_or(0) > 0 && !change.reason;
  view.time_breakdown.OnJob(view.state, view.generation,
                            am_began_again ? "the application master started again" : view.reason);
}

// Returns the state in which the time breakdown counts a task. A pending task of a later role is not counted, because
// it waits for other roles, not for a container.
std::optional<core::TaskState> CountedState(const JobView& view, const std::string& role, core::TaskState state) {
  const bool later = std::find(view.later_roles.begin(), view.later_roles.end(), role) != view.later_roles.end();
  return later && state == core::TaskState::kPending ? std::nullopt : std::optional(state);
}

// Updates the resources of the task's container, and the times at which attempts run in it.
void TakeHardware(JobView& view, const core::TaskChanged& change, TaskView& task) {
  using Type = core::TaskChanged::Type;
  if (view.time_breakdown.empty()) return;
  const Instant now = view.time_breakdown.now();
  if (change.container) {
    const core::Resources* granted = view.hardware.Find(task.container);
    task.granted = granted == nullptr ? std::nullopt : std::optional(*granted);
  }
  if (change.type == Type::kStarted) view.hardware.OnAttemptStarted(task.container, now);
  if (change.type == Type::kExited || change.type == Type::kLost || change.type == Type::kStopped) {
    view.hardware.OnAttemptEnded(task.container, change.usage, now);
  }
}

void Fold(JobView& view, Instant, const core::TaskChanged& change) {
  using Type = core::TaskChanged::Type;
  auto at = Position(view.tasks, change.role, change.index);
  const bool is_there = IsAt(view.tasks, at, change.role, change.index);
  const auto counted = [&](core::TaskState state) { return CountedState(view, change.role, state); };
  if (change.type == Type::kRemoved) {
    if (is_there) view.time_breakdown.OnTask(counted(at->state), std::nullopt);
    if (is_there) view.earlier_cpu_seconds += at->container_cpu_seconds;
    if (is_there) view.tasks.erase(at);
    return;
  }
  if (!is_there) {
    TaskView fresh;
    fresh.role = change.role;
    fresh.index = change.index;
    fresh.attempt = change.attempt;
    at = view.tasks.insert(at, std::move(fresh));
  }
  TaskView& task = *at;
  if (change.attempt != task.attempt) StartAttempt(task, change.attempt);
  if (change.type == Type::kPending || (change.container && *change.container != task.container)) {
    view.earlier_cpu_seconds += std::exchange(task.container_cpu_seconds, 0);
  }
  if (change.type == Type::kPending) {  // a pending task has no container
    task.node.clear();
    task.container.clear();
    task.host.clear();
    task.granted.reset();
  }
  if (change.type == Type::kStarted || (change.type == Type::kStopped && !task.started)) {
    task.reason.clear();
    task.advice.clear();
  }
  if (change.type == Type::kStarted && change.generation) {
    if (task.started_in == change.generation) view.time_breakdown.OnTaskRestart();
    task.started_in = change.generation;
  }
  view.time_breakdown.OnTask(is_there ? counted(task.state) : std::nullopt, counted(change.state));
  if (change.filling) view.time_breakdown.OnStarted(*change.filling);
  if (change.progress) view.time_breakdown.OnProgress(*change.progress, /*rendezvous=*/view.framework != "plain");
  if (change.type == Type::kServes) task.ready = true;
  if (change.type == Type::kExited || change.type == Type::kLost || change.type == Type::kStopped) task.ready = false;
  if (change.type == Type::kRejoined) view.time_breakdown.OnRejoined();
  task.state = change.state;
  Take(task.node, change.node);
  Take(task.container, change.container);
  Take(task.host, change.host);
  Take(task.port, change.port);
  Take(task.ranks, change.ranks);
  Take(task.pids, change.pids);
  Take(task.reason, change.reason);
  Take(task.advice, change.advice);
  if (change.exit) task.exit = change.exit;
  if (change.started) task.started = change.started;
  if (change.finished) task.finished = change.finished;
  if (change.usage) task.usage = *change.usage;
  if (change.usage) task.container_cpu_seconds = change.usage->cpu_seconds;
  if (change.progress) task.progress = change.progress;
  if (change.left_files) task.left_files = change.left_files;
  Take(task.result_bytes, change.result_bytes);
  TakeHardware(view, change, task);
}

// RoleScaled changes nothing in the view, because TaskChanged entries add and remove the tasks.
void Fold(JobView&, Instant, const core::RoleScaled&) {}

void Fold(JobView& view, Instant, const core::TokensChanged& change) {
  view.tokens = {change.until, change.by, change.type == core::TokensChanged::Type::kExpiring};
}

void Fold(JobView& view, Instant, const core::ContainerChanged& change) {
  if (!view.time_breakdown.empty()) view.hardware.OnContainer(change, view.time_breakdown.now());
}

}  // namespace

void JobView::Apply(const core::JournalEntry& entry) {
  if (core::IsFinal(state)) return;  // ignore entries after the end, as in a damaged journal
  time_breakdown.Advance(entry.time);
  std::visit([&](const auto& change) { Fold(*this, entry.time, change); }, entry.change);
  if (time_breakdown.empty()) return;
  if (core::IsFinal(state)) hardware.OnJobEnded(time_breakdown.now());
  hardware.Settle(time_breakdown);
}

TaskView* JobView::Find(const std::string& role, int index) {
  const auto at = Position(tasks, role, index);
  return IsAt(tasks, at, role, index) ? &*at : nullptr;
}

const TaskView* JobView::Find(const std::string& role, int index) const {
  const auto at = Position(tasks, role, index);
  return IsAt(tasks, at, role, index) ? &*at : nullptr;
}

}  // namespace howdah::journal
