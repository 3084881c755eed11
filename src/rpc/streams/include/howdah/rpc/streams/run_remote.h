// A command in a task's surroundings, with streams and signals of this process as its own.
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
  bool terminal = false;         // the command gets one of its own, of the type and size of `in`
  int in = 0, out = 1, err = 2;  // descriptors of this process, left as they are
  bool passes_signals = true;
};

// Blocks until the command has ended. Its exit code; 128 and its number if a signal ended it. kFailed: it could not be
// asked for, and why; kUnavailable: the connection could not be made, or broke, and what became of the command is not
// known (it is sent SIGHUP where it runs).
//
// With passes_signals SIGINT, SIGTERM, SIGHUP and SIGQUIT go to the command for as long as it runs, and have their
// defaults again afterwards; without, whoever handles them goes on doing so. With a terminal, `in` is in raw mode
// meanwhile.
Result<int> RunRemote(const rpc::AmContact& am, const RemoteCommand& command);

}  // namespace howdah::rpc::streams
