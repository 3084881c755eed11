#include "role_usage.h"

#include <algorithm>

namespace howdah::portal {
namespace {

// The mean of the values that were added.
class Mean {
 public:
  void Add(double value) { sum_ += value, ++count_; }
  std::optional<double> value() const { return count_ == 0 ? std::nullopt : std::optional(sum_ / count_); }

 private:
  double sum_ = 0;
  int count_ = 0;
};

void TakeHighest(std::optional<int64_t>& highest, int64_t value) { highest = std::max(highest.value_or(value), value); }

RoleUsage UsageOf(const std::string& role, const std::vector<const journal::TaskView*>& tasks) {
  RoleUsage usage{.role = role, .tasks = static_cast<int64_t>(tasks.size())};
  Mean utilisation, memory;
  for (const journal::TaskView* const task : tasks) {
    usage.restarts += task->attempt;
    if (task->state == core::TaskState::kFailed || task->state == core::TaskState::kLost) ++usage.failed;
    if (task->usage.memory_peak_bytes > 0) TakeHighest(usage.memory_peak_bytes, task->usage.memory_peak_bytes);
    if (task->usage.cpu_seconds > 0) usage.cpu_seconds = usage.cpu_seconds.value_or(0) + task->usage.cpu_seconds;
    if (task->usage.gpu) {
      utilisation.Add(task->usage.gpu->utilisation_average);
      memory.Add(task->usage.gpu->memory_average);
    }
    if (task->granted) {
      TakeHighest(usage.memory_bytes, task->granted->memory_bytes);
      TakeHighest(usage.vcores, task->granted->vcores);
      TakeHighest(usage.gpus, task->granted->gpus);
    }
    if (task->progress && task->progress->step)
      usage.step = std::min(usage.step.value_or(*task->progress->step), *task->progress->step);
  }
  usage.gpu_utilisation = utilisation.value();
  usage.gpu_memory_average = memory.value();
  return usage;
}

}  // namespace

std::vector<RoleUsage> UsageByRole(const journal::JobView& view) {
  std::vector<std::pair<std::string, std::vector<const journal::TaskView*>>> roles;
  for (const journal::TaskView& task : view.tasks) {
    auto role = std::find_if(roles.begin(), roles.end(), [&](const auto& each) { return each.first == task.role; });
    if (role == roles.end()) role = roles.insert(roles.end(), {task.role, {}});
    role->second.push_back(&task);
  }
  std::vector<RoleUsage> usages;
  for (const auto& [role, tasks] : roles) usages.push_back(UsageOf(role, tasks));
  return usages;
}

Json ToJson(const RoleUsage& usage) {
  return {{"role", usage.role},
          {"tasks", usage.tasks},
          {"failed", usage.failed},
          {"restarts", usage.restarts},
          {"memory_peak_bytes", OrNull(usage.memory_peak_bytes)},
          {"memory_bytes", OrNull(usage.memory_bytes)},
          {"vcores", OrNull(usage.vcores)},
          {"gpus", OrNull(usage.gpus)},
          {"cpu_seconds", OrNull(usage.cpu_seconds)},
          {"gpu_utilisation", OrNull(usage.gpu_utilisation)},
          {"gpu_memory_average", OrNull(usage.gpu_memory_average)},
          {"step", OrNull(usage.step)}};
}

}  // namespace howdah::portal
