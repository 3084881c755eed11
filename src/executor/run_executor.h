// Runs the executor's process.
#pragma once

#include "executor.h"
#include "guardian.h"

namespace howdah::executor {

// Runs the executor in this process, which the guardian has forked. Returns the exit status that the caller must pass
// to _exit.
int RunExecutor(const TaskOptions& options, Connect connect, MakeChannelTo make_channel, const Guardian& guardian);

}  // namespace howdah::executor
