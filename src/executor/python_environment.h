// Checks the environment of `python:` after it was unpacked on this node.
#pragma once

#include <optional>
#include <string>

#include "howdah/diagnosis/diagnosis.h"

namespace howdah::executor {

// Why its interpreter cannot be used; nullopt: it can, or the directory does not exist. Without this check a shell
// would silently run the node's own python3, which comes later in PATH.
std::optional<diagnosis::BrokenPython> FindBrokenPython(const std::string& directory);

}  // namespace howdah::executor
