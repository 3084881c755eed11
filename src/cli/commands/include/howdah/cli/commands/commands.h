// The commands of the `howdah` program. Each is one .cc file of this library and one row of HOWDAH_COMMANDS in
// commands.cc.
#pragma once

#include <vector>

#include "howdah/cli/args/syntax.h"
#include "howdah/client/connection.h"

namespace howdah::cli::commands {

// Returns all commands in the order of the help. The connection must live longer than the commands.
std::vector<args::Command> AllCommands(client::Connection& connection);

}  // namespace howdah::cli::commands
