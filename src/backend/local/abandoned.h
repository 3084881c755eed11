// What is left to do for a job whose application master is gone without having recorded its end.
#pragma once

#include <sys/types.h>

#include <string>

#include "howdah/backend/local/layout.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::backend::local {

// Does nothing if the journal has an end. Otherwise kills what is left of the job, removes what a job does not leave
// behind, and records the end, so that every reader agrees. The caller holds am.lock.
Status EndAbandonedJob(const JobFiles& files, const JobId& id);

// The same if nobody holds am.lock; else nothing.
Status EndIfAbandoned(const JobFiles& files, const JobId& id);

// Everything of a job on this machine but its journal and logs, and its working directories if they are to be kept.
Status RemoveLeftovers(const JobFiles& files);

// Appends FAILED to a journal that has no end. how: a clause that says how the AM died, "was killed by signal 9
// (SIGKILL)". The caller is the AM's guardian, or holds am.lock.
Status RecordAmDeath(const JobFiles& files, const std::string& how);

// The guardian of a container's executor; -1: there is none (any more).
pid_t FindGuardian(const JobFiles& files, const ContainerId& container);

// Kills every process of this user that belongs to the job: its agents, by their arguments, and whatever its tasks
// started, by HOWDAH_JOB_ID in their environment. Returns how many once all are gone.
int KillProcessesOf(const JobFiles& files, const JobId& id);

}  // namespace howdah::backend::local
