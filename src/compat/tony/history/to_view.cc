#include <algorithm>
#include <map>
#include <unordered_map>

#include "howdah/base/ids.h"
#include "howdah/compat/tony/history/job.h"

namespace howdah::compat::tony::history {
namespace {

using core::JobState;
using core::TaskState;
using journal::JobView;
using journal::TaskView;

JobState StateOf(const FileName& name) {
  if (!name.completed) return JobState::kRunning;
  const auto state = core::ParseJobState(name.status);
  return state && core::IsFinal(*state) ? *state : JobState::kFailed;
}

std::optional<int> ExitCodeOf(JobState state) {
  switch (state) {
    case JobState::kSucceeded:
      return 0;
    case JobState::kFailed:
      return 1;
    case JobState::kKilled:
      return 4;
    default:
      return std::nullopt;
  }
}

// The tasks that events name: roles in the order of their first event, the tasks of a role by index.
template <typename Task>
class TasksByRole {
 public:
  Task& Of(const Event& event) {
    const size_t role = roles_.try_emplace(event.role, roles_.size()).first->second;
    const auto [task, is_new] = tasks_.try_emplace({role, event.index});
    if (is_new) {
      task->second.role = event.role;
      task->second.index = event.index;
    }
    return task->second;
  }
  std::vector<Task> Take() {
    std::vector<Task> all;
    for (auto& [position, task] : tasks_) all.push_back(std::move(task));
    return all;
  }

 private:
  std::unordered_map<std::string, size_t> roles_;
  std::map<std::pair<size_t, int>, Task> tasks_;
};

// A task whose attempts are counted: each start adds 1 to `attempt`, so the first attempt gets the number 0.
struct NumberedTask : TaskView {
  NumberedTask() { attempt = -1; }
};

void StartTask(TaskView& task, const Event& event) {
  ++task.attempt;
  task.state = TaskState::kRunning;
  task.node = event.host;
  task.container = event.container.value_or("");
  task.started = event.time;
  task.finished.reset();
  task.reason.clear();
}

void FinishTask(TaskView& task, const Event& event) {
  task.attempt = std::max(task.attempt, 0);
  task.state = event.status == "SUCCEEDED" ? TaskState::kSucceeded
               : event.status == "FAILED"  ? TaskState::kFailed
                                           : TaskState::kStopped;
  task.finished = event.time;
  if (event.diagnostic && *event.diagnostic != "NA") task.reason = *event.diagnostic;
  for (const Metric& metric : event.metrics) {
    constexpr double kMost = 9e18;  // within the range of int64_t
    if (metric.name == "MAX_MEMORY_BYTES" && metric.value > 0 && metric.value < kMost) {
      task.usage.memory_peak_bytes = static_cast<int64_t>(metric.value);
    }
  }
}

// No event has the reason of a failed job, so the diagnostic of the first failed task is used.
std::string ReasonOf(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (event.type != Event::Type::kTaskFinished || event.status != "FAILED") continue;
    const std::string task = TaskText(event.role, event.index);
    const std::string diagnostic = event.diagnostic.value_or("NA");
    if (diagnostic.starts_with(task + " ")) return diagnostic;  // Howdah's diagnostics name the task
    return diagnostic == "NA" ? task + " failed" : task + ": " + diagnostic;
  }
  return "";
}

}  // namespace

JobView ViewOf(const FileName& name, const std::vector<Setting>& configuration, const std::vector<Event>& events) {
  const auto known = [&](const char* setting, const std::string& otherwise) {
    const std::string value = ValueOf(configuration, setting);
    return value.empty() ? otherwise : value;
  };
  JobView view;
  view.id = known(kJobIdSetting, name.application);
  view.name = known("tony.application.name", "");
  view.on = known(kBackendSetting, "yarn");
  view.framework = known("tony.application.framework", "");
  view.user = known(kUserSetting, name.user);
  view.submitted = view.started = name.started;
  view.finished = name.completed;
  TasksByRole<NumberedTask> tasks;
  for (const Event& event : events) {
    if (event.type == Event::Type::kTaskStarted) StartTask(tasks.Of(event), event);
    if (event.type == Event::Type::kTaskFinished) FinishTask(tasks.Of(event), event);
  }
  for (NumberedTask& task : tasks.Take()) view.tasks.push_back(std::move(task));
  view.state = StateOf(name);
  view.exit_code = ExitCodeOf(view.state);
  if (view.state == JobState::kFailed) view.reason = ReasonOf(events);
  if (!core::IsFinal(view.state)) return view;
  for (TaskView& task : view.tasks) {
    if (core::IsFinal(task.state)) continue;
    task.state = TaskState::kStopped;  // TonY writes no event when it stops a task
    task.finished = view.finished;
  }
  return view;
}

std::vector<TaskMetrics> MetricsOf(const std::vector<Event>& events) {
  std::vector<TaskMetrics> all;
  std::map<std::pair<std::string, int>, size_t> known;
  for (const Event& event : events) {
    const bool of_task = event.type == Event::Type::kTaskStarted || event.type == Event::Type::kTaskFinished;
    if (!of_task) continue;
    const auto [at, is_new] = known.try_emplace({event.role, event.index}, all.size());
    if (is_new) all.push_back({event.role, event.index, {}});
    if (!event.metrics.empty()) all[at->second].metrics = event.metrics;
  }
  return all;
}

}  // namespace howdah::compat::tony::history
