// The history that a job leaves outside its own directory, where its job file says so.
#pragma once

#include <string>

#include "howdah/backend/local/layout.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// Nothing, if the job file names no directory of this machine (IgnoredOf says so). journal: its text so far; to its
// end, if the job has ended.
Status BeginHistory(const jobspec::JobSpec& spec, const std::string& journal);
Status EndHistory(const jobspec::JobSpec& spec, const std::string& journal);
// The same, of a job whose application master can do it no more.
Status EndHistoryOf(const JobFiles& files, const std::string& journal);

// Whether `history.tony` is a directory of this machine.
bool ReachesHistory(const jobspec::JobSpec& spec);

}  // namespace howdah::backend::local
