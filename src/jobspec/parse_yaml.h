// Parsing YAML and JSON into a tree.
#pragma once

#include <optional>
#include <string_view>

#include "tree.h"

namespace howdah::jobspec {

struct ParsedTree {
  const Node* root = nullptr;  // nullptr without an error: the text is empty
  std::optional<SyntaxError> error;
};

// One YAML document. Time and memory are bounded for any text of at most 1 MiB.
ParsedTree ParseYaml(std::string_view text, Tree& tree, bool from_set);
// JSON, faster than ParseYaml; the nodes have no line numbers.
ParsedTree ParseJson(std::string_view text, Tree& tree);

}  // namespace howdah::jobspec
