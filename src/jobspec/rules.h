// What must hold between the keys of a job file, once each has been read.
#pragma once

#include "howdah/jobspec/job_spec.h"
#include "reader.h"

namespace howdah::jobspec {

// Reports what does not hold. Says nothing of a key that could not be read: that has been reported.
void CheckRules(const JobSpec& spec, Reader& reader);

}  // namespace howdah::jobspec
