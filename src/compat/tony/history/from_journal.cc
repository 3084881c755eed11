#include <algorithm>
#include <cmath>
#include <set>

#include "howdah/compat/tony/history/job.h"

namespace howdah::compat::tony::history {
namespace {

using core::JobChanged;
using core::TaskChanged;
using core::TaskState;

// TonY's text for a missing value.
constexpr char kNothing[] = "NA";

class Translation {
 public:
  Translation(std::string application, AmContainer am) : application_(std::move(application)), am_(std::move(am)) {}

  void Add(const core::JournalEntry& entry) {
    if (core::IsFinal(view_.state)) return;
    view_.Apply(entry);
    if (const auto* job = std::get_if<JobChanged>(&entry.change)) Add(entry.time, *job);
    if (const auto* task = std::get_if<TaskChanged>(&entry.change)) Add(entry.time, *task);
  }

  std::vector<Event> events;

 private:
  void Add(Instant time, const JobChanged& change) {
    if (change.type == JobChanged::Type::kAmStarted) {
      Event& event = Append(Event::Type::kApplicationInited, time);
      event.application = application_;
      event.tasks = static_cast<int>(view_.tasks.size());
      event.host = am_.host.empty() ? kNothing : am_.host;
      event.container = am_.container.empty() ? kNothing : am_.container;
    }
    if (!core::IsFinal(view_.state)) return;
    Event& event = Append(Event::Type::kApplicationFinished, time);
    event.application = application_;
    for (const journal::TaskView& task : view_.tasks) {
      const bool failed = task.state == TaskState::kFailed || task.state == TaskState::kLost;
      event.failed_tasks += failed;
      event.finished_tasks += failed || task.state == TaskState::kSucceeded;
    }
  }

  void Add(Instant time, const TaskChanged& change) {
    const journal::TaskView* task = view_.Find(change.role, change.index);
    const std::pair<std::string, int> name(change.role, change.index);
    if (change.type == TaskChanged::Type::kStarted) {
      running_.insert(name);
      Event& event = Append(Event::Type::kTaskStarted, change.started.value_or(time), change);
      event.host = task->node.empty() ? kNothing : task->node;
      event.container = task->container.empty() ? kNothing : task->container;
      return;
    }
    using enum TaskChanged::Type;
    const bool ends = change.type == kExited || change.type == kLost || change.type == kStopped;
    if (!ends || running_.erase(name) == 0) return;
    Event& event = Append(Event::Type::kTaskFinished, change.finished.value_or(time), change);
    const bool succeeded = change.state == core::TaskState::kSucceeded;  // exit code 0 alone does not mean success
    event.status = succeeded ? "SUCCEEDED" : change.type == kStopped ? "FINISHED" : "FAILED";
    const std::string reason = task == nullptr ? change.reason.value_or("") : task->reason;
    event.diagnostic = succeeded || reason.empty() ? kNothing : reason;
    if (change.usage) event.metrics = MetricsOf(*change.usage);
  }

  Event& Append(Event::Type type, Instant time) {
    Event event;
    event.type = type;
    event.time = std::chrono::floor<std::chrono::milliseconds>(time);
    events.push_back(std::move(event));
    return events.back();
  }
  Event& Append(Event::Type type, Instant time, const TaskChanged& change) {
    Event& event = Append(type, time);
    event.role = change.role;
    event.index = change.index;
    return event;
  }

  std::string application_;
  AmContainer am_;
  journal::JobView view_;
  std::set<std::pair<std::string, int>> running_;
};

// Converts a share to percent, rounded to two digits.
double Percent(double share) { return std::round(share * 1e4) / 100; }

}  // namespace

std::vector<Metric> MetricsOf(const core::Usage& usage) {
  std::vector<Metric> metrics;
  const auto bytes = [&](const char* name, int64_t value) {
    if (value > 0) metrics.push_back({name, static_cast<double>(value)});
  };
  bytes("MAX_MEMORY_BYTES", usage.memory_peak_bytes);
  bytes("AVG_MEMORY_BYTES", usage.memory_average_bytes);
  if (usage.gpu) {
    metrics.push_back({"MAX_GPU_UTILIZATION", Percent(usage.gpu->utilisation_peak)});
    metrics.push_back({"AVG_GPU_UTILIZATION", Percent(usage.gpu->utilisation_average)});
    metrics.push_back({"MAX_GPU_FB_MEMORY_USAGE", Percent(usage.gpu->memory_peak)});
    metrics.push_back({"AVG_GPU_FB_MEMORY_USAGE", Percent(usage.gpu->memory_average)});
  }
  if (usage.cpu_seconds > 0) metrics.push_back({"CPU_SECONDS", usage.cpu_seconds});
  return metrics;
}

std::vector<Event> EventsOf(const std::vector<core::JournalEntry>& journal, const std::string& application,
                            const AmContainer& am) {
  Translation translation(application, am);
  for (const core::JournalEntry& entry : journal) translation.Add(entry);
  return std::move(translation.events);
}

FileName EndName(const journal::JobView& view, Instant started) {
  FileName name;
  name.application = ApplicationOf(view.id, view.submitted);
  name.started = std::chrono::floor<std::chrono::milliseconds>(started);
  name.completed = std::chrono::floor<std::chrono::milliseconds>(view.finished.value_or(started));
  name.user = view.user;
  name.status = core::ToText(view.state);
  return name;
}

}  // namespace howdah::compat::tony::history
