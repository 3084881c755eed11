// Job files to start from.
#pragma once

#include <string>

#include "howdah/jobspec/job_spec.h"

namespace howdah::jobspec {

// A commented job file for this framework that runs as it is. Empty if the framework is not available.
std::string InitJobFile(Framework framework);

}  // namespace howdah::jobspec
