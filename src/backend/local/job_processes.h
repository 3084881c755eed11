// Finds and kills the processes of a job in /proc.
#pragma once

#include <sys/types.h>

#include "howdah/backend/local/layout.h"
#include "howdah/base/ids.h"

namespace howdah::backend::local {

// The guardian of a container's executor; -1: not running.
pid_t FindGuardian(const JobFiles& files, const ContainerId& container);

// Kills every process of this user that belongs to the job: its agents, found by their arguments, and what its tasks
// started, found by HOWDAH_JOB_ID in the environment. Returns their number once all have exited.
int KillProcessesOf(const JobFiles& files, const JobId& id);

}  // namespace howdah::backend::local
