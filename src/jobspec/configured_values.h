// The type of history.configuration: a map of names to values, or to values with their source.
#pragma once

#include <vector>

#include "value_types.h"

namespace howdah::jobspec {

ValueType<std::vector<Configured>> Configuration();

}  // namespace howdah::jobspec
