// A question that a task's surroundings answer.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/rpc/identity.h"

namespace howdah::cli {

enum class Signals { kToTheQuestion, kAreOurs };

// The first line that the script, run by bash where the task runs and as `howdah exec` would, prints on its stdout;
// empty if its exit code is not 0. An error: it could not be run. Blocks until it has ended.
Result<std::string> AskTask(const rpc::AmContact& am, const std::string& role, int index, const std::string& script,
                            Signals signals);

}  // namespace howdah::cli
