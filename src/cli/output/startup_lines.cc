#include "howdah/cli/output/startup_lines.h"

#include <algorithm>

#include "howdah/base/ids.h"
#include "howdah/base/text.h"

namespace howdah::cli::output {
namespace {

using core::JobState;
using core::TaskState;
using journal::JobView;
using journal::TaskView;
using TaskType = core::TaskChanged::Type;

// Removes the parts of a stage in which two containers differ: the node, and the time since the launch, as in
// "localizing files on node7, 4.0s after the launch".
std::string StageAlone(std::string stage, const std::string& node) {
  if (stage.ends_with(" after the launch")) stage.resize(std::min(stage.size(), stage.rfind(", ")));
  const std::string suffix = " on " + node;
  const size_t at = node.empty() ? std::string::npos : stage.find(suffix);
  return at == std::string::npos ? stage : stage.erase(at, suffix.size());
}

bool IsLater(const JobView& view, const TaskView& task) {
  return std::find(view.later_roles.begin(), view.later_roles.end(), task.role) != view.later_roles.end();
}

// Returns the stage that follows once the executors of all tasks that start together have connected, or "".
std::string StageOfAll(const JobView& view) {
  if (view.state != JobState::kStarting && view.state != JobState::kRecovering) return "";
  int64_t connected = 0;
  for (const TaskView& task : view.tasks) {
    if (task.state == TaskState::kPending || task.state == TaskState::kAllocated) {
      if (!IsLater(view, task)) return "";
    } else {
      ++connected;
    }
  }
  return std::to_string(connected) + (connected == 1 ? " task" : " tasks") +
         " connected; preparing working directories";
}

}  // namespace

std::optional<std::string> StartupLines::Take(const core::JournalEntry& entry, const JobView& after) {
  if (const auto* job = std::get_if<core::JobChanged>(&entry.change)) {
    if (job->type == core::JobChanged::Type::kRecovering) shown_.clear();
    return std::nullopt;
  }
  const auto* task = std::get_if<core::TaskChanged>(&entry.change);
  if (task == nullptr) return std::nullopt;
  std::string stage, text;
  if (task->type == TaskType::kAllocated && !task->reason.value_or("").empty()) {
    stage = StageAlone(*task->reason, task->node.value_or(""));
    text = TaskText(task->role, task->index) + ": " + *task->reason;
  } else if (task->type == TaskType::kReady) {
    stage = text = StageOfAll(after);
  }
  if (text.empty() || !shown_.insert(stage).second) return std::nullopt;
  return FormatInstant(entry.time).substr(11, 12) + "  " + Shown(text);
}

}  // namespace howdah::cli::output
