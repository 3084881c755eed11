#include "howdah/compat/slider/conf_tree.h"

#include <algorithm>

#include "howdah/keyfile/parse.h"
#include "howdah/keyfile/problem.h"
#include "json_file.h"

namespace howdah::compat::slider {
namespace {

using keyfile::Node;
using keyfile::Reader;

constexpr size_t kMostComponents = 1'000;
constexpr size_t kMostBytes = size_t{1} << 20;

const keyfile::Section<ConfTree>& TreeKeys() {
  static const keyfile::Section<ConfTree> keys{
      {Unread<ConfTree>("schema"), Unread<ConfTree>("metadata"), Unread<ConfTree>("credentials"),
       ReadBy<ConfTree>(
           "global", [](Reader& r, const Node& n, ConfTree& tree) { return ReadOptions(r, n, "global", tree.global); }),
       ReadBy<ConfTree>("components", [](Reader& r, const Node& n, ConfTree& tree) {
         return ReadComponents(r, n, "components", tree.components);
       })}};
  return keys;
}

}  // namespace

std::string Place::With(const std::string& text) const {
  keyfile::Problem problem;
  problem.file = file;
  problem.line = line;
  problem.key = path;
  problem.text = text;
  return problem.ToText();
}

const Node* ParseFile(const TextFile& file, keyfile::Tree& tree, std::vector<std::string>& problems) {
  const Place place{file.path, 0, ""};
  if (file.text.size() > kMostBytes) {
    problems.push_back(place.With("is larger than 1 MiB"));
    return nullptr;
  }
  keyfile::ParsedTree parsed = keyfile::ParseYaml(file.text, tree, /*from_set=*/false);
  if (parsed.error) {
    // YAML does not allow all white space of JSON.
    const keyfile::ParsedTree json = keyfile::ParseJson(file.text, tree);
    if (json.error) {
      problems.push_back(Place{file.path, parsed.error->line, ""}.With(parsed.error->text));
      return nullptr;
    }
    parsed.root = json.root;
  }
  if (parsed.root == nullptr || parsed.root->kind == Node::Kind::kNull) {
    problems.push_back(place.With("the file is empty"));
    return nullptr;
  }
  return parsed.root;
}

keyfile::ValueType<std::string> Verbatim() {
  keyfile::ValueType<std::string> type;
  type.read = [](Reader& r, const Node& n, std::string& out) {
    const auto text = r.Verbatim(n, "a text or a number");
    if (text) out = *text;
    return text.has_value();
  };
  return type;
}

bool ReadOptions(Reader& reader, const Node& node, const std::string& path, std::vector<Option>& options) {
  if (!keyfile::CheckIsMap(reader, node)) return false;
  return keyfile::ForEachEntry(reader, node, [&](const keyfile::Entry& entry) {
    if (entry.value->kind == Node::Kind::kNull) return true;
    const auto text = reader.Verbatim(*entry.value, "a text or a number");
    if (!text) return false;
    options.push_back({entry.key, *text, {reader.host().file_name, entry.mark.line, path + "." + entry.key}});
    return true;
  });
}

bool ReadComponents(Reader& reader, const Node& node, const std::string& path,
                    std::vector<ComponentOptions>& components) {
  if (!keyfile::CheckIsMap(reader, node)) return false;
  if (node.entries.size() > kMostComponents) {
    return reader.Fail(node, "has " + std::to_string(node.entries.size()) + " components; at most " +
                                 std::to_string(kMostComponents) + " are supported");
  }
  return keyfile::ForEachEntry(reader, node, [&](const keyfile::Entry& entry) {
    const std::string inside = path + "." + entry.key;
    ComponentOptions component{entry.key, {reader.host().file_name, entry.mark.line, inside}, {}};
    const bool good =
        entry.value->kind == Node::Kind::kNull || ReadOptions(reader, *entry.value, inside, component.options);
    components.push_back(std::move(component));
    return good;
  });
}

ReadTree ReadConfTree(const TextFile& file) {
  ReadTree read;
  read.tree.place.file = file.path;
  read.problems = ReadJsonFile(file, TreeKeys(), read.tree);
  return read;
}

void SetOption(std::vector<Option>& options, Option option) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const Option& existing) { return existing.name == option.name; });
  if (found == options.end()) {
    options.push_back(std::move(option));
  } else {
    *found = std::move(option);
  }
}

const Option* FindOption(const std::vector<Option>& options, const std::string& name) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const Option& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

}  // namespace howdah::compat::slider
