// A command in a task's surroundings, with streams and signals of this process as its own.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/rpc/identity.h"

namespace howdah::tunnel {

struct RemoteCommand {
  std::string role;
  int index = 0;
  std::vector<std::string> argv;
  bool terminal = false;         // the command gets one of its own, of the type and size of `in`
  int in = 0, out = 1, err = 2;  // descriptors of this process, left as they are
};

// Blocks until the command has ended. Its exit code; 128 and its number if a signal ended it. kFailed: it could not be
// asked for, and why; kUnavailable: the connection could not be made, or broke, and what became of the command is not
// known (it is sent SIGHUP where it runs).
//
// SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on for as long as it runs. With a terminal, `in` is in raw mode
// meanwhile.
Result<int> RunRemote(const rpc::AmContact& am, const RemoteCommand& command);

}  // namespace howdah::tunnel
