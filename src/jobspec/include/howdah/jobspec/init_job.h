// Templates of job files.
#pragma once

#include <string>

#include "howdah/jobspec/job_spec.h"

namespace howdah::jobspec {

// A commented job file for this framework that runs without changes. Empty if the framework is not available.
std::string InitJobFile(Framework framework);

}  // namespace howdah::jobspec
