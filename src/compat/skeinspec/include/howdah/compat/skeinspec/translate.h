// Translates a Skein application specification into a job.
#pragma once

#include "howdah/compat/common/translation.h"
#include "howdah/compat/skeinspec/specification.h"

namespace howdah::compat::skeinspec {

// The specification must have been read without problems. The application driver (master.script) becomes the chief, and
// the services its services; without a driver the services are workers, and the job ends with the last one. The notes
// name the keys without effect; `origin` is the name of the file.
common::Translation Translate(const Specification& specification, const std::string& origin);

}  // namespace howdah::compat::skeinspec
