// Runs a short script in the environment of a running task and returns its output.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/client/find_task.h"
#include "howdah/rpc/identity.h"

namespace howdah::client {

// Whether SIGINT, SIGTERM, SIGHUP and SIGQUIT of this process go to the script or to the caller while the script runs.
enum class Signals { kToScript, kToCaller };

// Runs the script with bash, as `howdah exec` would, and blocks until it has ended. Returns the first line of its
// stdout, or "" if its exit code is not 0. Returns an error if it could not be run.
Result<std::string> RunScript(const rpc::AmContact& am, const TaskName& task, const std::string& script,
                              Signals signals);

}  // namespace howdah::client
