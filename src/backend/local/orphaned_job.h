// Ends jobs whose application master is gone without having recorded the end.
#pragma once

#include <string>

#include "howdah/backend/local/layout.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::backend::local {

// Nothing if the journal has an end. Otherwise kills the job's processes, removes its temporary files and records the
// end. The caller holds am.lock.
Status EndOrphanedJob(const JobFiles& files, const JobId& id);

// The same if nobody holds am.lock; otherwise nothing.
Status EndIfOrphaned(const JobFiles& files, const JobId& id);

// Deletes everything of a job on this machine except journal, logs, the files of RemoveRestartFiles and, if requested,
// working directories.
Status RemoveLeftovers(const JobFiles& files);

// Deletes the files without which no AM can continue the job. Called once the journal has the job's end: an AM that is
// killed before its last line is written is replaced, and the next one writes it.
Status RemoveRestartFiles(const JobFiles& files);

// Appends FAILED to a journal without an end. how: a predicate such as "was killed by signal 9 (SIGKILL)". The caller
// is the AM's guardian or holds am.lock.
Status RecordAmDeath(const JobFiles& files, const std::string& how);

}  // namespace howdah::backend::local
