// Ends orphaned jobs. A job is orphaned if its application master and its application master's guardian have died
// without recording the end of the job.
#pragma once

#include <string>

#include "howdah/backend/local/layout.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::backend::local {

// Does nothing if the journal contains the end of the job, or if host.json shows that the job runs here or belongs to
// another host. (am.lock alone is not enough: on some file systems two hosts can hold the same lock.) Otherwise kills
// the job's processes, removes its temporary files and records the end. The caller must hold am.lock.
Status EndOrphanedJob(const JobFiles& files, const JobId& id);

// Calls EndOrphanedJob if no process holds am.lock. Does nothing if a process holds the lock, or if the job belongs to
// another host.
Status EndIfOrphaned(const JobFiles& files, const JobId& id);

// Deletes the job's files on this machine, except the journal, the logs and the files that RemoveRestartFiles deletes.
// Keeps the working directories if the submitter has requested that.
Status RemoveLeftovers(const JobFiles& files);

// Deletes the files that an AM needs to continue the job. Must be called only when the journal contains the end of the
// job. Until then, if this AM is killed, the next AM can still record the end.
Status RemoveRestartFiles(const JobFiles& files);

// Appends an end to a journal that has none: KILLED if `stopped`, otherwise FAILED. how: a predicate such as "was
// killed by signal 9 (SIGKILL)". error: the error that the AM reported, or empty. The caller must be the AM's guardian
// or hold am.lock.
Status RecordAmDeath(const JobFiles& files, const std::string& how, const std::string& error, bool stopped, Instant at);

}  // namespace howdah::backend::local
