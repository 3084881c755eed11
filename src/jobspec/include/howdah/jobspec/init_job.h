// Templates of job files.
#pragma once

#include <string>

#include "howdah/jobspec/job_spec.h"

namespace howdah::jobspec {

// A job file with explanations, which runs without changes. Empty if the framework is not available.
std::string InitJobFile(Framework framework);

}  // namespace howdah::jobspec
