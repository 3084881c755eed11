// The executor's process.
#pragma once

#include <sys/types.h>

#include "executor.h"

namespace howdah::executor {

// Runs the executor in this process, a fork of the guardian. Returns the exit status, with which the caller has to
// _exit.
int RunExecutor(const TaskOptions& options, Connect connect, MakeChannelTo make_channel, pid_t guardian);

}  // namespace howdah::executor
