#include "find_task.h"

#include <vector>

namespace howdah::cli {
namespace {

constexpr size_t kShownTasks = 8;

}  // namespace

Result<TaskName> FindTask(const std::string& text, const journal::JobView& view) {
  std::vector<TaskName> found;
  for (const journal::TaskView& task : view.tasks) {
    if (text == TaskText(task.role, task.index)) return TaskName{task.role, task.index};
    if (text == task.role) found.push_back({task.role, task.index});
  }
  if (found.size() == 1) return found.front();
  const std::string there = "; there are " + TasksOf(view);
  if (!found.empty()) {
    return Error{ErrorCode::kUsage, view.id + ": role " + text + " has " + std::to_string(found.size()) +
                                        " tasks: say which, as in " + text + ":0"};
  }
  return Error{ErrorCode::kUsage, view.id + ": there is no task '" + text + "'" + (view.tasks.empty() ? "" : there)};
}

std::string TasksOf(const journal::JobView& view) {
  std::string text;
  for (size_t i = 0; i < view.tasks.size(); ++i) {
    if (i == kShownTasks) return text + ", ...";
    text += (i == 0 ? "" : ", ") + TaskText(view.tasks[i].role, view.tasks[i].index);
  }
  return text;
}

}  // namespace howdah::cli
