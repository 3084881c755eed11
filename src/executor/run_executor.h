// The executor's process.
#pragma once

#include "executor.h"

namespace howdah::executor {

// Runs the executor in this process, which the guardian has forked. Returns its exit status; the process is to _exit
// with it.
int RunExecutor(const TaskOptions& options, const Connect& connect, MakeChannelTo make_channel, pid_t guardian);

}  // namespace howdah::executor
