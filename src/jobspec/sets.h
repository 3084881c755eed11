// --set KEY=VALUE: values from the command line that replace those of the job file.
#pragma once

#include <string>
#include <vector>

#include "howdah/keyfile/reader.h"
#include "howdah/keyfile/tree.h"

namespace howdah::jobspec {

// Returns the tree with the settings applied in order. KEY is a path through maps ("roles.worker.instances"); missing
// maps are created. VALUE is YAML. Invalid settings are reported.
const keyfile::Node* ApplySets(const keyfile::Node* root, const std::vector<std::string>& sets, keyfile::Tree& tree,
                               keyfile::Reader& reader);

}  // namespace howdah::jobspec
