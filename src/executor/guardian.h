// The guardian of a task, the parent of its executor.
#pragma once

#include <sys/types.h>

#include <functional>

namespace howdah::executor {

// Forks a child that runs `executor`, and becomes the guardian. The argument of `executor` is the guardian's pid, and
// its result is the child's exit status. The guardian calls at_end when no process of the task is left. task.h
// describes the possible ends of the guardian. Never returns in the child.
int RunGuardian(const std::function<int(pid_t guardian)>& executor, const std::function<void()>& at_end);

}  // namespace howdah::executor
