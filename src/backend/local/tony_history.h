// TonY's history of a job, where the job file asks for one (history.tony).
#pragma once

#include <string>

#include "howdah/backend/local/layout.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// At the start and at the end of the job; nothing if the job file names no directory of this machine. journal: its text
// up to then.
Status BeginTonyHistory(const jobspec::JobSpec& spec, const std::string& journal);
Status FinishTonyHistory(const jobspec::JobSpec& spec, const std::string& journal);
// For a job whose application master has died.
Status FinishTonyHistoryOf(const JobFiles& files, const std::string& journal);

// Whether `history.tony` is a directory of this machine.
bool CanWriteTonyHistory(const jobspec::JobSpec& spec);

}  // namespace howdah::backend::local
