#include "howdah/client/find_task.h"

#include <vector>

#include "howdah/base/ids.h"

namespace howdah::client {
namespace {

constexpr size_t kListedTasks = 8;

}  // namespace

Result<TaskName> FindTask(const std::string& text, const journal::JobView& view) {
  std::vector<TaskName> found;
  for (const journal::TaskView& task : view.tasks) {
    if (text == TaskText(task.role, task.index)) return TaskName{task.role, task.index};
    if (text == task.role) found.push_back({task.role, task.index});
  }
  if (found.size() == 1) return found.front();
  if (!found.empty()) {
    return Error{ErrorCode::kUsage, view.id + ": role " + text + " has " + std::to_string(found.size()) +
                                        " tasks; name one of them, for example " + text + ":0"};
  }
  return Error{ErrorCode::kUsage,
               view.id + ": no task '" + text + "'" + (view.tasks.empty() ? "" : "; the tasks are " + TaskList(view))};
}

std::string TaskList(const journal::JobView& view) {
  std::string text;
  for (size_t i = 0; i < view.tasks.size(); ++i) {
    if (i == kListedTasks) return text + ", ...";
    text += (i == 0 ? "" : ", ") + TaskText(view.tasks[i].role, view.tasks[i].index);
  }
  return text;
}

}  // namespace howdah::client
