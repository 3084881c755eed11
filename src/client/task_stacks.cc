#include "howdah/client/task_stacks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "howdah/base/exit_status.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/core/states.h"

namespace howdah::client {
namespace {

using rpc::streams::ProcessStacks;
using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kSampleLimit{9'500};
constexpr size_t kThreads = 16;

Json OrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// Makes each line of the text safe for a terminal.
std::string Lines(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::string_view line = FirstLine(text);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    shown += "  " + Shown(line) + "\n";
  }
  return shown;
}

}  // namespace

Result<std::vector<TaskName>> TasksToSample(const std::string& text, const journal::JobView& view) {
  if (core::IsFinal(view.state)) {
    return Failed(view.id + " has already finished: " + std::string(core::ToText(view.state)) +
                  "; only running tasks have stacks");
  }
  std::vector<TaskName> tasks;
  for (const journal::TaskView& task : view.tasks) {
    const bool named = text == task.role || text == TaskText(task.role, task.index);
    if (named || (text.empty() && task.state == core::TaskState::kRunning)) tasks.push_back({task.role, task.index});
  }
  if (!tasks.empty()) return tasks;
  if (text.empty()) {
    return Failed("no task of " + view.id + " is running: the job is " + std::string(core::ToText(view.state)));
  }
  HOWDAH_TRY(const TaskName task, FindTask(text, view));
  return std::vector<TaskName>{task};
}

Result<int> ParseSignal(const std::string& text) {
  if (text.empty()) return 0;
  const auto number = SignalNumber(text.starts_with("SIG") ? text : "SIG" + text);
  if (number) return *number;
  return Error{ErrorCode::kUsage, "there is no signal '" + OneLine(text, 40) + "'; write for example USR1"};
}

std::vector<TaskSample> SampleTasks(const rpc::AmContact& am, const std::vector<TaskName>& tasks,
                                    const StackOptions& options) {
  std::vector<TaskSample> samples;
  for (const TaskName& task : tasks) samples.push_back({task, Failed("not sampled")});
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < samples.size(); i = next++) {
      const TaskName& task = samples[i].task;
      samples[i].stacks =
          rpc::streams::SampleStacks(am, {task.role, task.index, options.native, options.signal}, kSampleLimit);
    }
  };
  std::vector<std::thread> threads;
  while (threads.size() < std::min(kThreads, samples.size())) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return samples;
}

std::string StacksJson(const TaskSample& sample) {
  Json processes = Json::array();
  if (sample.stacks.ok()) {
    for (const ProcessStacks& process : sample.stacks->processes) {
      processes.push_back({{"pid", process.pid},
                           {"local_rank", process.local_rank ? Json(*process.local_rank) : Json(nullptr)},
                           {"state", process.state},
                           {"tool", OrNull(process.tool)},
                           {"stacks", OrNull(process.stacks)},
                           {"problem", OrNull(process.problem)}});
    }
  }
  const Json json = {{"task", TaskText(sample.task.role, sample.task.index)},
                     {"attempt", sample.stacks.ok() ? Json(sample.stacks->attempt) : Json(nullptr)},
                     {"problem", sample.stacks.ok() ? Json(nullptr) : Json(sample.stacks.error().message)},
                     {"processes", std::move(processes)},
                     {"omitted", sample.stacks.ok() ? sample.stacks->omitted : 0}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string StacksText(const TaskSample& sample) {
  const std::string task = TaskText(sample.task.role, sample.task.index);
  if (!sample.stacks.ok()) return task + ": " + Shown(sample.stacks.error().message) + "\n";
  std::string text;
  for (const ProcessStacks& process : sample.stacks->processes) {
    text += task + ", attempt " + std::to_string(sample.stacks->attempt) +
            (process.local_rank ? ", local rank " + std::to_string(*process.local_rank) : "") + ", pid " +
            std::to_string(process.pid) + ": " + Shown(process.state) + "\n";
    if (!process.problem.empty()) text += "  " + Shown(process.problem) + "\n";
    text += Lines(process.stacks);
  }
  if (sample.stacks->omitted > 0)
    text += task + ": " + CountOf(sample.stacks->omitted, "further process", "further processes") + " not sampled\n";
  return text;
}

}  // namespace howdah::client
