// The guardian of a task, the parent of its executor.
#pragma once

#include <sys/types.h>

#include <functional>

#include "howdah/os/process/loop_watch.h"

namespace howdah::executor {

// The guardian, as the executor sees it.
struct Guardian {
  pid_t pid;
  const os::process::LoopPulse& pulse;  // reports turns of the executor's loop to the guardian
};

// Forks a child that runs `executor`, and becomes the guardian. The result of `executor` is the child's exit status.
// The guardian calls at_end once no process of the task is left. task.h describes how the guardian ends. Never returns
// in the child. executor_only_fd: a descriptor that the guardian closes after the fork; -1: none.
int RunGuardian(const std::function<int(const Guardian& guardian)>& executor, const std::function<void()>& at_end,
                int executor_only_fd = -1);

}  // namespace howdah::executor
