// `howdah-agent am`: wires the application master to the place it runs on.
#pragma once

#include "howdah/backend/local/agent.h"

namespace howdah::agent {

// ready_fd: told "ok" once the AM can be reached, or what went wrong, and closed; -1: nobody waits. The exit status.
int RunLocalAm(backend::local::AmStart start, int ready_fd);

}  // namespace howdah::agent
