// The `howdah` program without its backends.
#pragma once

#include "howdah/client/connection.h"

namespace howdah::cli {

// Parses the command line, runs the command, and returns the exit code of the process.
int Main(int argc, char** argv, const client::ClusterFactory& make_cluster);

}  // namespace howdah::cli
