// --set KEY=VALUE: values from the command line that replace those of the job file.
#pragma once

#include <string>
#include <vector>

#include "reader.h"
#include "tree.h"

namespace howdah::jobspec {

// Returns the tree with the settings applied in order. KEY is a path through maps ("roles.worker.instances"); missing
// maps are created. VALUE is YAML. Invalid settings are reported.
const Node* ApplySets(const Node* root, const std::vector<std::string>& sets, Tree& tree, Reader& reader);

}  // namespace howdah::jobspec
