// The environment of `python:` as it was unpacked on this node.
#pragma once

#include <optional>
#include <string>

#include "howdah/diagnosis/diagnosis.h"

namespace howdah::executor {

// Why its interpreter cannot be used here; nullopt: nothing is wrong with it, or there is no such directory to look at.
// A shell that cannot use it would take the next python3 in PATH, the node's own, and say nothing.
std::optional<diagnosis::BrokenPython> FindBrokenPython(const std::string& directory);

}  // namespace howdah::executor
