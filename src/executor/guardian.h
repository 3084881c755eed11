// The two processes of a task.
#pragma once

#include <sys/types.h>

#include <functional>

namespace howdah::executor {

// Forks a child that runs `executor` (told the guardian's pid; its result is the child's exit status) and stays behind
// as the guardian of both: see task.h for how it ends. at_end: called by the guardian when nothing runs below it any
// more. Never returns in the child.
int RunGuardian(const std::function<int(pid_t guardian)>& executor, const std::function<void()>& at_end);

}  // namespace howdah::executor
