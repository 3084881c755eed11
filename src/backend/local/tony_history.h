// Writes TonY's history of a job if the job file requests one (history.tony).
#pragma once

#include <string>

#include "howdah/backend/local/layout.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// Write TonY's history at the start and at the end of the job. Both functions do nothing unless history.tony is a
// directory of this machine. journal: the text of the journal so far.
Status BeginTonyHistory(const jobspec::JobSpec& spec, const std::string& journal, Instant now);
Status FinishTonyHistory(const jobspec::JobSpec& spec, const std::string& journal);
// Does the same as FinishTonyHistory, but reads the job file itself. For use after the application master has died.
Status FinishTonyHistoryOf(const JobFiles& files, const std::string& journal);

// Whether `history.tony` is a directory on this machine.
bool CanWriteTonyHistory(const jobspec::JobSpec& spec);

}  // namespace howdah::backend::local
