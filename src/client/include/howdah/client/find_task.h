// A task, as a person names it.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/journal/job_view.h"

namespace howdah::cli {

struct TaskName {
  std::string role;
  int index = 0;
};

// "worker:1", or "worker" where the role has one task; kUsage: the job has no such task, and which it has.
Result<TaskName> FindTask(const std::string& text, const journal::JobView& view);

// "worker:0, worker:1, ..."
std::string TasksOf(const journal::JobView& view);

}  // namespace howdah::cli
