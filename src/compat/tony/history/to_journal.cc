#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "howdah/base/ids.h"
#include "howdah/compat/tony/history/job.h"

namespace howdah::compat::tony::history {
namespace {

using core::ContainerChanged;
using core::JobChanged;
using core::JobState;
using core::JournalEntry;
using core::TaskChanged;
using core::TaskState;
using journal::JobView;

// Only a damaged history has a job that ran longer.
constexpr Duration kLongestJob = std::chrono::days(36'525);

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

bool NamesTask(const Event& event) {
  return event.type == Event::Type::kTaskStarted || event.type == Event::Type::kTaskFinished;
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

core::Usage UsageOf(const std::vector<Metric>& metrics) {
  core::Usage usage;
  core::GpuUse gpu;
  bool has_gpu = false;
  for (const Metric& metric : metrics) {
    constexpr double kMost = 9e18;                               // within the range of int64_t
    if (!(metric.value >= 0 && metric.value < kMost)) continue;  // -1: TonY could not measure it
    const auto percent = [&](double& share) {
      share = std::min(metric.value / 100, 1.0);
      has_gpu = true;
    };
    if (metric.name == "MAX_MEMORY_BYTES") usage.memory_peak_bytes = static_cast<int64_t>(metric.value);
    if (metric.name == "AVG_MEMORY_BYTES") usage.memory_average_bytes = static_cast<int64_t>(metric.value);
    if (metric.name == "CPU_SECONDS") usage.cpu_seconds = metric.value;
    if (metric.name == "MAX_GPU_UTILIZATION") percent(gpu.utilisation_peak);
    if (metric.name == "AVG_GPU_UTILIZATION") percent(gpu.utilisation_average);
    if (metric.name == "MAX_GPU_FB_MEMORY_USAGE") percent(gpu.memory_peak);
    if (metric.name == "AVG_GPU_FB_MEMORY_USAGE") percent(gpu.memory_average);
  }
  if (has_gpu) usage.gpu = gpu;
  return usage;
}

// Writes the journal of one job.
class JournalWriter {
 public:
  JournalWriter(const FileName& name, const std::vector<Setting>& configuration, const std::vector<Event>& events)
      : name_(name), spec_(SpecOf(configuration)), end_(EndOf(name)) {
    CollectTasks(events);
    AddRequests();
  }

  void Submit(core::JobSubmitted submitted) {
    // The first entry names all tasks, so that they are in order, unless there are gaps between their indexes.
    const bool has_gaps = std::any_of(roles_.begin(), roles_.end(), [&](const std::string& role) {
      const std::set<int>& indexes = indexes_[role];
      return *indexes.begin() != 0 || *indexes.rbegin() + int64_t{1} != static_cast<int64_t>(indexes.size());
    });
    if (!has_gaps) {
      for (const std::string& role : roles_) submitted.roles.push_back({role, static_cast<int>(indexes_[role].size())});
    }
    Append(name_.started, std::move(submitted));
    if (has_gaps) {
      ForEachTask([this](const std::string& role, int index) {
        AppendTask(name_.started, TaskChanged::Type::kPending, role, index);
      });
    }
    Append(name_.started, JobChanged{.type = JobChanged::Type::kRunning, .state = JobState::kRunning});
  }

  void Add(const Event& event) {
    if (event.type == Event::Type::kTaskStarted) Start(event);
    if (event.type == Event::Type::kTaskFinished) Finish(event);
  }

  void End(JobState state, const std::string& reason) {
    // TonY writes no event when it stops a task.
    ForEachTask([this](const std::string& role, int index) {
      Task& task = tasks_[{role, index}];
      if (core::IsFinal(task.state)) return;
      task.state = TaskState::kStopped;
      AppendTask(end_, TaskChanged::Type::kStopped, role, index).finished = *name_.completed;
      Release(task, end_);
    });
    JobChanged& end = std::get<JobChanged>(Append(end_, JobChanged{.type = JobChanged::Type::kFinished}));
    end.state = state;
    end.exit_code = ExitCodeOf(state);
    if (!reason.empty()) end.reason = reason;
  }

  std::vector<JournalEntry> journal;

 private:
  struct Task {
    int attempt = 0;
    bool has_started = false;
    TaskState state = TaskState::kPending;
    std::string held;  // the container for which a grant was recorded
  };

  static Instant EndOf(const FileName& name) {
    const Instant latest = name.started + kLongestJob;
    return std::clamp(name.completed.value_or(latest), name.started, latest);
  }

  void CollectTasks(const std::vector<Event>& events) {
    for (const Event& event : events) {
      if (!NamesTask(event)) continue;
      std::set<int>& indexes = indexes_[event.role];
      if (indexes.empty()) roles_.push_back(event.role);
      indexes.insert(event.index);
    }
  }

  template <typename OnTask>
  void ForEachTask(const OnTask& on_task) {
    for (const std::string& role : roles_) {
      for (const int index : indexes_[role]) on_task(role, index);
    }
  }

  void AddRequests() {
    for (const std::string& role : roles_) {
      const auto spec =
          std::find_if(spec_.roles.begin(), spec_.roles.end(), [&](const auto& r) { return r.name == role; });
      if (spec == spec_.roles.end() || spec->memory_bytes == 0) return requests_.clear();
      requests_[role] = {spec->memory_bytes, spec->vcores, spec->gpus};
    }
  }

  core::Change& Append(Instant time, core::Change change) {
    now_ = std::clamp(time, now_.value_or(name_.started), end_);
    journal.push_back({*now_, std::move(change)});
    return journal.back().change;
  }

  TaskChanged& AppendTask(Instant time, TaskChanged::Type type, const std::string& role, int index) {
    const Task& task = tasks_[{role, index}];
    return std::get<TaskChanged>(Append(
        time, TaskChanged{.type = type, .role = role, .index = index, .state = task.state, .attempt = task.attempt}));
  }

  void Start(const Event& event) {
    Task& task = tasks_[{event.role, event.index}];
    Release(task, event.time);  // of an attempt without an end
    if (task.has_started) ++task.attempt;
    task.has_started = true;
    task.state = TaskState::kRunning;
    Grant(event, task);
    TaskChanged& change = AppendTask(event.time, TaskChanged::Type::kStarted, event.role, event.index);
    change.node = event.host;
    change.container = task.held.empty() ? event.container.value_or("") : task.held;
    change.started = event.time;
  }

  void Finish(const Event& event) {
    Task& task = tasks_[{event.role, event.index}];
    task.state = event.status == "SUCCEEDED" ? TaskState::kSucceeded
                 : event.status == "FAILED"  ? TaskState::kFailed
                                             : TaskState::kStopped;
    const auto type = task.state == TaskState::kStopped ? TaskChanged::Type::kStopped : TaskChanged::Type::kExited;
    TaskChanged& change = AppendTask(event.time, type, event.role, event.index);
    change.finished = event.time;
    if (event.diagnostic && *event.diagnostic != "NA") change.reason = *event.diagnostic;
    if (const core::Usage usage = UsageOf(event.metrics); usage != core::Usage()) change.usage = usage;
    Release(task, event.time);
  }

  void Grant(const Event& event, Task& task) {
    if (requests_.empty()) return;
    const std::string container = event.container.value_or("");
    // TonY before 0.4 does not record containers.
    const bool has_id = !container.empty() && container != "NA";
    task.held = has_id ? container : TaskText(event.role, event.index) + "/" + std::to_string(task.attempt);
    Append(event.time, ContainerChanged{.type = ContainerChanged::Type::kGranted,
                                        .container = task.held,
                                        .node = event.host,
                                        .granted = requests_[event.role]});
  }

  void Release(Task& task, Instant time) {
    if (task.held.empty()) return;
    Append(time, ContainerChanged{.type = ContainerChanged::Type::kReleased, .container = task.held});
    task.held.clear();
  }

  const FileName& name_;
  jobspec::JobSpec spec_;
  Instant end_;                     // of the job, and the latest time of an entry
  std::optional<Instant> now_;      // the time of the newest entry
  std::vector<std::string> roles_;  // in the order of their first event
  std::unordered_map<std::string, std::set<int>> indexes_;
  std::map<std::string, core::Resources> requests_;  // by role; empty if one of them is not known
  std::map<std::pair<std::string, int>, Task> tasks_;
};

}  // namespace

std::vector<JournalEntry> JournalOf(const FileName& name, const std::vector<Setting>& configuration,
                                    const std::vector<Event>& events, const std::string& on) {
  const auto known = [&](const char* setting, const std::string& otherwise) {
    const std::string value = ValueOf(configuration, setting);
    return value.empty() ? otherwise : value;
  };
  JournalWriter writer(name, configuration, events);
  writer.Submit({.id = known(kJobIdSetting, name.application),
                 .name = known("tony.application.name", ""),
                 .on = on,
                 .framework = known("tony.application.framework", ""),
                 .user = known(kUserSetting, name.user)});
  for (const Event& event : events) writer.Add(event);
  const JobState state = StateOf(name);
  if (core::IsFinal(state)) writer.End(state, state == JobState::kFailed ? ReasonOf(events) : "");
  return std::move(writer.journal);
}

JobView ViewOf(const FileName& name, const std::vector<Setting>& configuration, const std::vector<Event>& events) {
  const std::string on = ValueOf(configuration, kBackendSetting);
  JobView view;
  for (const JournalEntry& entry : JournalOf(name, configuration, events, on.empty() ? "yarn" : on)) view.Apply(entry);
  // A history has no phases.
  view.time_breakdown = {};
  view.hardware = {};
  return view;
}

std::vector<TaskMetrics> MetricsOf(const std::vector<Event>& events) {
  std::vector<TaskMetrics> all;
  std::map<std::pair<std::string, int>, size_t> known;
  for (const Event& event : events) {
    if (!NamesTask(event)) continue;
    const auto [at, is_new] = known.try_emplace({event.role, event.index}, all.size());
    if (is_new) all.push_back({event.role, event.index, {}});
    if (!event.metrics.empty()) all[at->second].metrics = event.metrics;
  }
  return all;
}

}  // namespace howdah::compat::tony::history
