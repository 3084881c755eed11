// The environment variables that a task inherits: on the local backend from its submitter, on YARN from its container.
#pragma once

#include <map>
#include <string>

#include "howdah/base/result.h"

namespace howdah::executor {

using Variables = std::map<std::string, std::string>;

// Reads a file with a JSON object {"NAME": "VALUE"}. Returns no variables if path is empty.
Result<Variables> ReadInherited(const std::string& path);

// Selects, from a YARN container's environment ("NAME=VALUE", null-terminated), the variables that describe the node
// and its Hadoop.
Variables InheritedFromContainer(const char* const* environment);

}  // namespace howdah::executor
