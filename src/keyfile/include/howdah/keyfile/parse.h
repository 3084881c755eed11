// Parses YAML and JSON into a tree.
#pragma once

#include <optional>
#include <string_view>

#include "howdah/keyfile/tree.h"

namespace howdah::keyfile {

struct ParsedTree {
  const Node* root = nullptr;  // nullptr after an error, or if the text is empty
  std::optional<SyntaxError> error;
};

// Parses one YAML document. Time and memory are bounded for any text of at most 1 MiB.
ParsedTree ParseYaml(std::string_view text, Tree& tree, bool from_set);
// Parses JSON, faster than ParseYaml. The nodes have no line numbers.
ParsedTree ParseJson(std::string_view text, Tree& tree);

}  // namespace howdah::keyfile
