// Templates of job files.
#pragma once

#include <string>

#include "howdah/jobspec/job_spec.h"

namespace howdah::jobspec {

// Returns a job file with explanations, which runs without changes. Returns "" if there is no template for the
// framework.
std::string InitJobFile(Framework framework);

}  // namespace howdah::jobspec
