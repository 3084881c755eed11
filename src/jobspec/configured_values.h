// The type of history.configuration: names, each with a value, or with the value and the source that said so.
#pragma once

#include <vector>

#include "value_types.h"

namespace howdah::jobspec {

ValueType<std::vector<Configured>> Configuration();

}  // namespace howdah::jobspec
