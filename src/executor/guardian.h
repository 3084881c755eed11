// The guardian of a task, the parent of its executor.
#pragma once

#include <sys/types.h>

#include <functional>

namespace howdah::executor {

// Forks a child that runs `executor` (argument: the guardian's pid; result: the child's exit status), and becomes the
// guardian: see task.h for how it ends. at_end: called by the guardian once no process of the task is left. Never
// returns in the child.
int RunGuardian(const std::function<int(pid_t guardian)>& executor, const std::function<void()>& at_end);

}  // namespace howdah::executor
