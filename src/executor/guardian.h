// The guardian of a task, the parent of its executor.
#pragma once

#include <sys/types.h>

#include <functional>

namespace howdah::executor {

// Forks a child that runs `executor`, and becomes the guardian. The argument of `executor` is the guardian's pid; its
// result is the child's exit status. The guardian calls at_end once no process of the task is left. task.h describes
// how the guardian ends. Never returns in the child.
int RunGuardian(const std::function<int(pid_t guardian)>& executor, const std::function<void()>& at_end);

}  // namespace howdah::executor
