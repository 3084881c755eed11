// Runs the executor's process.
#pragma once

#include <sys/types.h>

#include "executor.h"

namespace howdah::executor {

// Runs the executor in this process, which the guardian has forked. Returns the exit status that the caller must pass
// to _exit.
int RunExecutor(const TaskOptions& options, Connect connect, MakeChannelTo make_channel, pid_t guardian);

}  // namespace howdah::executor
