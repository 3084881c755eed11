// --set KEY=VALUE: values of the command line in place of those of the file.
#pragma once

#include <string>
#include <vector>

#include "reader.h"
#include "tree.h"

namespace howdah::jobspec {

// The tree with the settings put in, one after the other. KEY leads through maps ("roles.worker.instances"), which are
// made if absent; VALUE is YAML. What cannot be put in is reported.
const Node* ApplySets(const Node* root, const std::vector<std::string>& sets, Tree& tree, Reader& reader);

}  // namespace howdah::jobspec
