// The type of history.configuration: a map of names to values, or to values with their source.
#pragma once

#include <vector>

#include "howdah/jobspec/job_spec.h"
#include "howdah/keyfile/value_types.h"

namespace howdah::jobspec {

keyfile::ValueType<std::vector<Configured>> Configuration();

}  // namespace howdah::jobspec
