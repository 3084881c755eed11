// --set KEY=VALUE: values of the command line that replace those of the file.
#pragma once

#include <string>
#include <vector>

#include "reader.h"
#include "tree.h"

namespace howdah::jobspec {

// The tree with the settings applied in order. KEY is a path through maps ("roles.worker.instances"), which are created
// if absent; VALUE is YAML. Invalid settings are reported.
const Node* ApplySets(const Node* root, const std::vector<std::string>& sets, Tree& tree, Reader& reader);

}  // namespace howdah::jobspec
