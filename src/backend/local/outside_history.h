// The history that a job leaves outside its own directory, where its job file says so.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/local/layout.h"
#include "howdah/spec/job_spec.h"

namespace howdah::local {

// Nothing, if the job file names no directory of this machine (IgnoredOf says so). journal: its text so far; to its
// end, if the job has ended.
Status BeginHistory(const spec::JobSpec& spec, const std::string& journal);
Status EndHistory(const spec::JobSpec& spec, const std::string& journal);
// The same, of a job whose application master can do it no more.
Status EndHistoryOf(const JobFiles& files, const std::string& journal);

// Whether `history.tony` is a directory of this machine.
bool ReachesHistory(const spec::JobSpec& spec);

}  // namespace howdah::local
