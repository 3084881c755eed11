// Runs a command in a task's environment. The command uses the standard streams of this process and receives its
// signals.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/rpc/identity.h"

namespace howdah::rpc::streams {

struct RemoteCommand {
  std::string role;
  int index = 0;
  std::vector<std::string> argv;
  bool terminal = false;         // whether the command gets a terminal, with the type and size of the terminal `in`
  int in = 0, out = 1, err = 2;  // descriptors of this process; their flags are not changed
  bool passes_signals = true;
};

// Blocks until the command has ended. Returns its exit code, or 128 plus the number of the signal that ended it.
// Returns kFailed with the reason if the command could not be started. Returns kUnavailable if the connection could not
// be made or broke. The command may then still run; it receives SIGHUP.
//
// With passes_signals, SIGINT, SIGTERM, SIGHUP and SIGQUIT are forwarded to the command while it runs, and have their
// default actions afterwards. Without it, existing handlers stay. With a terminal, `in` is in raw mode while the
// command runs.
Result<int> RunRemote(const rpc::AmContact& am, const RemoteCommand& command);

}  // namespace howdah::rpc::streams
