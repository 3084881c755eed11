// Runs a script of the user with bash.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::os::process {

struct ScriptRequest {
  std::string script;                                          // for bash -c
  std::vector<std::pair<std::string, std::string>> variables;  // added to the environment of this process
  std::string directory;                                       // working directory; if empty, that of this process
  std::string input;                                           // stdin
  Duration limit{0};  // then SIGTERM, and SIGKILL five seconds later, to the script and its children
  int stop = -1;      // ends the script like the limit as soon as this descriptor is readable; -1: none
};

struct ScriptResult {
  std::string output, errors;  // the first 4 MiB of each
  ExitStatus status;
  bool timed_out = false;  // or stopped
};

// Blocks until the script has ended. Returns an error only if bash cannot be started. Thread-safe.
Result<ScriptResult> RunScript(const ScriptRequest& request);

// Returns how a script that has failed ended: "ended with exit code 2", "did not end within 5m".
std::string DescribeEnd(const ScriptRequest& request, const ScriptResult& result);

// Runs the script and returns its output. If it fails, the error is "the command `NAME` ended with exit code 2: " and
// the first line of its stderr.
Result<std::string> RunScriptForOutput(const std::string& name, const ScriptRequest& request);

}  // namespace howdah::os::process
