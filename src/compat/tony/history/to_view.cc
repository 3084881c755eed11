#include <algorithm>

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

TaskView& TaskOf(JobView& view, const Event& event) {
  if (TaskView* found = view.Find(event.role, event.index)) return *found;
  TaskView task;
  task.role = event.role;
  task.index = event.index;
  task.attempt = -1;
  auto at = std::find_if(view.tasks.rbegin(), view.tasks.rend(), [&](const TaskView& other) {
              return other.role == event.role && other.index < event.index;
            }).base();
  // No task of the role has a lower index: insert the new task before the first task of its role, or at the end if the
  // role is new.
  if (at == view.tasks.begin() || std::prev(at)->role != event.role) {
    at = std::find_if(view.tasks.begin(), view.tasks.end(),
                      [&](const TaskView& other) { return other.role == event.role; });
  }
  return *view.tasks.insert(at, std::move(task));
}

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
    constexpr double kMost = 9e18;  // fits in 63 bits
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
  for (const Event& event : events) {
    if (event.type == Event::Type::kTaskStarted) StartTask(TaskOf(view, event), event);
    if (event.type == Event::Type::kTaskFinished) FinishTask(TaskOf(view, event), event);
  }
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
  for (const Event& event : events) {
    const bool of_task = event.type == Event::Type::kTaskStarted || event.type == Event::Type::kTaskFinished;
    if (!of_task) continue;
    auto at = std::find_if(all.begin(), all.end(), [&](const TaskMetrics& task) {
      return task.role == event.role && task.index == event.index;
    });
    if (at == all.end()) at = all.insert(all.end(), TaskMetrics{event.role, event.index, {}});
    if (!event.metrics.empty()) at->metrics = event.metrics;
  }
  return all;
}

}  // namespace howdah::compat::tony::history
