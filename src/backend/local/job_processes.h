// Finds and kills the processes of a job in /proc.
#pragma once

#include <sys/types.h>

#include <optional>

#include "howdah/backend/local/layout.h"
#include "howdah/base/ids.h"

namespace howdah::backend::local {

// Returns the pid of the guardian of a container's executor, or -1 if no guardian runs.
pid_t FindGuardian(const JobFiles& files, const ContainerId& container);

// Sends a signal to the guardian of the job's AM. Returns the guardian's pid, or nullopt if no guardian runs. Finds the
// AM and its guardian by their arguments and by their open file am.lock.
std::optional<pid_t> SignalAmGuardian(const JobFiles& files, int signal);

// Kills every process of this user that belongs to the job: the job's agents, identified by their arguments, and the
// processes of its tasks, identified by HOWDAH_JOB_ID in their environment. Waits until all have exited and returns
// their number.
int KillProcessesOf(const JobFiles& files, const JobId& id);

}  // namespace howdah::backend::local
