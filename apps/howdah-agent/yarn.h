// The agent as YARN's NodeManagers start it: `am --yarn` and `task --yarn`.
#pragma once

#include "flags.h"
#include "howdah/executor/task.h"

namespace howdah::agent {

// Everything is found in the container: its working directory and its environment.
int RunYarnAm();

// What a task on YARN has beside what its command line says: its identity, where its files are, and its GPUs.
Result<executor::TaskOptions> YarnTask(const Flags& flags);

}  // namespace howdah::agent
