// Reads a whole file against the table of its keys.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "howdah/keyfile/host.h"
#include "howdah/keyfile/parse.h"
#include "howdah/keyfile/problem.h"
#include "howdah/keyfile/section.h"

namespace howdah::keyfile {

// Reads YAML or JSON of at most 1 MiB, strictly, and reports all problems at once. rules: checks that involve several
// keys; they are called also if some keys are invalid (Reader::WasBad).
template <typename T>
Contents<T> ReadFile(std::string_view text, const Host& host, const Section<T>& section,
                     const std::function<void(const T&, Reader&)>& rules) {
  Contents<T> contents;
  Tree tree;
  const ParsedTree parsed = ParseYaml(text, tree, /*from_set=*/false);
  if (parsed.error) {
    contents.problems = {{host.file_name, parsed.error->line, "", parsed.error->text, parsed.error->excerpt}};
    return contents;
  }
  if (parsed.root == nullptr || parsed.root->kind == Node::Kind::kNull) {
    contents.problems = {{host.file_name, 1, "", "the file is empty"}};
    return contents;
  }
  Reader reader(host);
  if (ReadSection(reader, *parsed.root, section, contents.value) || parsed.root->kind == Node::Kind::kMap) {
    rules(contents.value, reader);
  }
  contents.problems = reader.TakeProblems();
  contents.hints = reader.TakeHints();
  return contents;
}

}  // namespace howdah::keyfile
