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

// Programs keep settings and caches in $HOME. If it is not a writable directory, makes `directory` the home of the
// task. On clusters that run containers under the accounts of their users, NodeManagers set it to /home/
// (yarn.nodemanager.user-home-dir).
Status EnsureHome(const std::string& directory, Variables& variables);

}  // namespace howdah::executor
