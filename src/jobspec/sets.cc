#include "sets.h"

#include <algorithm>

#include "howdah/keyfile/parse.h"
#include "words.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

constexpr Mark kMark = {0, true};

std::vector<std::string> Split(std::string_view path) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t dot = path.find('.');
    parts.emplace_back(path.substr(0, dot));
    if (dot == path.npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

// Reads the value after the '='. Reports an invalid value and returns nullptr.
const Node* ReadValue(std::string_view set, size_t equals, Tree& tree, Reader& reader) {
  const ParsedTree parsed = ParseYaml(set.substr(equals + 1), tree, true);
  if (parsed.error) {
    const Reader::Scope scope(reader, set.substr(0, equals));
    reader.Fail(kMark, parsed.error->text);
    return nullptr;
  }
  if (parsed.root != nullptr) return parsed.root;
  Node node;  // KEY= without a value sets the empty string
  node.kind = Node::Kind::kScalar;
  node.mark = kMark;
  return tree.Add(std::move(node));
}

std::vector<std::string_view> KeysOf(const Node& map) {
  std::vector<std::string_view> keys;
  for (const Entry& entry : map.entries) keys.push_back(entry.key);
  return keys;
}

// Returns a copy of `node` in which the rest of the path leads to `value`. `node` itself may be shared through an
// alias, so it is not changed. Reports an invalid path and returns nullptr.
const Node* With(const Node* node, const std::vector<std::string>& path, size_t depth, const Node* value, Tree& tree,
                 Reader& reader) {
  if (depth == path.size()) return value;
  const std::string& key = path[depth];
  Node copy;
  copy.kind = Node::Kind::kMap;
  copy.mark = kMark;
  if (node != nullptr && node->kind == Node::Kind::kMap) copy = *node;
  const Reader::Scope scope(reader, key);
  if (key.empty()) {
    reader.Fail(kMark, "the key has an empty part; write for example roles.worker.instances=4");
    return nullptr;
  }
  const auto found =
      std::find_if(copy.entries.begin(), copy.entries.end(), [&](const Entry& entry) { return entry.key == key; });
  const bool is_new = found == copy.entries.end();
  const bool into_new_role = is_new && depth == 1 && path[0] == "roles" && path.size() > 2;
  const std::string_view near = into_new_role ? reader.Suggest(key, KeysOf(copy)) : "";
  if (!near.empty()) {
    reader.Fail(kMark, "unknown role " + Quoted(key) + "; did you mean " + Quoted(near) + "?");
    return nullptr;
  }
  const Node* child = With(is_new ? nullptr : found->value, path, depth + 1, value, tree, reader);
  if (child == nullptr) return nullptr;
  if (is_new) {
    copy.entries.push_back({key, kMark, child});
  } else {
    found->value = child;
    if (depth + 1 == path.size()) found->mark = kMark;
  }
  return tree.Add(std::move(copy));
}

}  // namespace

const Node* ApplySets(const Node* root, const std::vector<std::string>& sets, Tree& tree, Reader& reader) {
  for (const std::string& set : sets) {
    const size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      reader.Fail(kMark, Quoted(set) + " is not KEY=VALUE; write for example roles.worker.instances=4");
      continue;
    }
    const std::vector<std::string> path = Split(std::string_view(set).substr(0, equals));
    if (path.size() > TreeBuilder::kDepthMax) {
      reader.Fail(kMark, Quoted(set) + " has more levels than any key");
      continue;
    }
    const Node* value = ReadValue(set, equals, tree, reader);
    const Node* changed = value == nullptr ? nullptr : With(root, path, 0, value, tree, reader);
    if (changed != nullptr) root = changed;
  }
  return root;
}

}  // namespace howdah::jobspec
