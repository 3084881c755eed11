// The files that a task leaves in its working directory, and beside it.
#pragma once

#include <optional>

#include "howdah/wire/executor.pb.h"
#include "task_plan.h"

namespace howdah::executor {

// Returns the files that the task's processes have created or changed since its first attempt, except outputs of the
// role. Includes files that were created beside the working directory, with names such as "../data/x". Returns nullopt
// if there are none, or if the working directory is kept.
std::optional<wire::LeftFiles> FindLeftFiles(const TaskPlan& plan);

}  // namespace howdah::executor
