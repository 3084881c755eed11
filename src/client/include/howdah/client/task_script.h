// A short script in the environment of a running task, for its output.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/client/find_task.h"
#include "howdah/rpc/identity.h"

namespace howdah::client {

// Where SIGINT, SIGTERM, SIGHUP and SIGQUIT of this process go while the script runs.
enum class Signals { kToScript, kToCaller };

// Runs the script with bash, as `howdah exec` would, and returns the first line of its stdout; empty if its exit code
// is not 0. An error: it could not be run. Blocks until the script has ended.
Result<std::string> RunScript(const rpc::AmContact& am, const TaskName& task, const std::string& script,
                              Signals signals);

}  // namespace howdah::client
