// The agent as YARN's NodeManagers start it: `am --yarn` and `task --yarn`.
#pragma once

#include "flags.h"
#include "howdah/executor/task.h"
#include "howdah/rpc/identity.h"

namespace howdah::agent {

// Everything is found in the container: its working directory and its environment.
int RunYarnAm();

// Of this container's executor, in its credentials.
Result<rpc::Identity> YarnIdentity();

// What a task on YARN has beside what its command line says: its identity, where its files are, and its GPUs.
Result<executor::TaskOptions> YarnTask(const Flags& flags);

}  // namespace howdah::agent
