// Checks the Python environment of the job file's key `python` after it was unpacked on this node.
#pragma once

#include <optional>
#include <string>

#include "howdah/diagnosis/diagnosis.h"

namespace howdah::executor {

// Returns why the interpreter in the directory cannot be used. Returns nullopt if it can be used, or if the directory
// does not exist. The executor checks the interpreter, because a shell would otherwise silently run the node's own
// python3, which comes later in PATH.
std::optional<diagnosis::BrokenPython> FindBrokenPython(const std::string& directory);

}  // namespace howdah::executor
