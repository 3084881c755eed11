// The rules that involve several keys of a job file.
#pragma once

#include "howdah/jobspec/job_spec.h"
#include "howdah/keyfile/reader.h"

namespace howdah::jobspec {

// Reports every violation, except violations by invalid keys, which have been reported already.
void CheckRules(const JobSpec& spec, keyfile::Reader& reader);

}  // namespace howdah::jobspec
