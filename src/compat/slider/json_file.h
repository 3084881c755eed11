// Reads JSON files of Slider against a table of keys.
#pragma once

#include <string>
#include <vector>

#include "howdah/compat/slider/conf_tree.h"
#include "howdah/keyfile/reader.h"
#include "howdah/keyfile/section.h"
#include "howdah/keyfile/tree.h"

namespace howdah::compat::slider {

// Parses JSON; YAML is accepted, too. Returns nullptr and a problem if that fails.
const keyfile::Node* ParseFile(const TextFile& file, keyfile::Tree& tree, std::vector<std::string>& problems);

// A text, a number, true or false, taken verbatim: ${...} is Slider's.
keyfile::ValueType<std::string> Verbatim();

// A key that is read elsewhere, or not at all.
template <typename T>
keyfile::Key<T> Unread(std::string_view name) {
  keyfile::Key<T> key;
  key.name = name;
  key.read = [](keyfile::Reader&, const keyfile::Node&, T&) { return true; };
  return key;
}

// A key whose value `read` puts into the whole T.
template <typename T>
keyfile::Key<T> ReadBy(std::string_view name, std::function<bool(keyfile::Reader&, const keyfile::Node&, T&)> read) {
  keyfile::Key<T> key;
  key.name = name;
  key.read = std::move(read);
  return key;
}

template <typename T>
std::vector<std::string> ReadJsonFile(const TextFile& file, const keyfile::Section<T>& section, T& out) {
  std::vector<std::string> problems;
  keyfile::Tree tree;
  const keyfile::Node* root = ParseFile(file, tree, problems);
  if (root == nullptr) return problems;
  keyfile::Host host;
  host.file_name = file.path;
  keyfile::Reader reader(host);
  keyfile::ReadSection(reader, *root, section, out);
  for (const keyfile::Problem& problem : reader.TakeProblems()) problems.push_back(problem.ToText());
  return problems;
}

// Reads a map of options. path: of the map, "components.ps".
bool ReadOptions(keyfile::Reader& reader, const keyfile::Node& node, const std::string& path,
                 std::vector<Option>& options);
// Reads `components`: a map of maps of options.
bool ReadComponents(keyfile::Reader& reader, const keyfile::Node& node, const std::string& path,
                    std::vector<ComponentOptions>& components);

}  // namespace howdah::compat::slider
