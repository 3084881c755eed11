// The texts a tree is read from.
#pragma once

#include <optional>
#include <string_view>

#include "tree.h"

namespace howdah::jobspec {

struct ParsedTree {
  const Node* root = nullptr;  // nullptr without an error: the text says nothing
  std::optional<SyntaxError> error;
};

// YAML, one document. Whatever the bytes: bounded in time and memory for a text of at most 1 MiB.
ParsedTree ParseYaml(std::string_view text, Tree& tree, bool from_set);
// JSON, with less work than ParseYaml; its nodes have no lines.
ParsedTree ParseJson(std::string_view text, Tree& tree);

}  // namespace howdah::jobspec
