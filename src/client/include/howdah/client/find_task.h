// Finds a task by the name that a user types.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/journal/job_view.h"

namespace howdah::client {

struct TaskName {
  std::string role;
  int index = 0;
};

// Parses "worker:1", or "worker" if the role has one task. Returns kUsage if there is no such task; the message lists
// the job's tasks.
Result<TaskName> FindTask(const std::string& text, const journal::JobView& view);

// Formats "worker:0, worker:1, ...".
std::string TaskList(const journal::JobView& view);

}  // namespace howdah::client
