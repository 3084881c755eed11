// The rules that involve several keys of a job file.
#pragma once

#include "howdah/jobspec/job_spec.h"
#include "reader.h"

namespace howdah::jobspec {

// Reports every violation, except violations by invalid keys, which have been reported already.
void CheckRules(const JobSpec& spec, Reader& reader);

}  // namespace howdah::jobspec
