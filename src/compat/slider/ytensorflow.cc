#include "howdah/compat/slider/ytensorflow.h"

#include <utility>

#include "json_file.h"

namespace howdah::compat::slider {
namespace {

using keyfile::Node;
using keyfile::Reader;
using keyfile::Section;

struct ClusterEntry {
  std::string name;
  std::vector<Option> app_config;
  std::vector<ComponentOptions> components;
};

const Section<ClusterEntry>& CommandConfigKeys() {
  static const Section<ClusterEntry> keys = [] {
    keyfile::Key<ClusterEntry> name = Row("app.name", &ClusterEntry::name, Verbatim(), "", "\"mnist\"");
    return Section<ClusterEntry>{{std::move(name)}};
  }();
  return keys;
}

const Section<ClusterEntry>& GlobalKeys() {
  static const Section<ClusterEntry> keys{
      {ReadBy<ClusterEntry>("global", [](Reader& reader, const Node& node, ClusterEntry& out) {
        return ReadOptions(reader, node, "appConfig.global", out.app_config);
      })}};
  return keys;
}

const Section<ClusterEntry>& ComponentsKeys() {
  static const Section<ClusterEntry> keys{
      {ReadBy<ClusterEntry>("components", [](Reader& reader, const Node& node, ClusterEntry& out) {
        return ReadComponents(reader, node, "resources.components", out.components);
      })}};
  return keys;
}

const Section<ClusterEntry>& ClusterKeys() {
  static const Section<ClusterEntry> keys = [] {
    keyfile::Key<ClusterEntry> command = Group("commandConfig", CommandConfigKeys(), "");
    command.example = "{\"app.name\": \"mnist\"}";
    return Section<ClusterEntry>{{Unread<ClusterEntry>("schema"), std::move(command),
                                  Group("appConfig", GlobalKeys(), ""), Group("resources", ComponentsKeys(), "")}};
  }();
  return keys;
}

struct DefaultComponent {
  const char *name, *priority, *instances, *memory;
};

// resources.default.json of the package.
constexpr DefaultComponent kDefaults[] = {{"ps", "1", "2", "2048"},
                                          {"chiefworker", "2", "1", "4096"},
                                          {"worker", "3", "5", "2048"},
                                          {"tensorboard", "4", "1", "4096"}};

ConfTree DefaultResources(const std::string& file) {
  ConfTree tree;
  tree.place.file = file;
  for (const DefaultComponent& component : kDefaults) {
    const Place place{file, 0, "resources.components." + std::string(component.name)};
    ComponentOptions options{component.name, place, {}};
    for (const auto& [name, value] : {std::pair("yarn.role.priority", component.priority),
                                      {"yarn.component.instances", component.instances},
                                      {"yarn.memory", component.memory},
                                      {"yarn.vcores", "1"}}) {
      options.options.push_back({name, value, {file, 0, place.path + "." + name}});
    }
    tree.components.push_back(std::move(options));
  }
  return tree;
}

void Override(ConfTree& tree, const ComponentOptions& changes) {
  for (ComponentOptions& component : tree.components) {
    if (component.name != changes.name) continue;
    for (const Option& option : changes.options) SetOption(component.options, option);
    return;
  }
  tree.components.push_back(changes);  // an unknown component, which the translation reports
}

}  // namespace

TensorflowCluster ReadTensorflowCluster(const TextFile& file, const std::string& checkpoint_prefix) {
  TensorflowCluster cluster;
  ClusterEntry entry;
  cluster.problems = ReadJsonFile(file, ClusterKeys(), entry);
  cluster.name = entry.name;
  cluster.resources = DefaultResources(file.path);
  cluster.app_config.place.file = file.path;
  for (const ComponentOptions& component : entry.components) Override(cluster.resources, component);
  std::vector<Option>& global = cluster.app_config.global;
  if (!checkpoint_prefix.empty()) {
    global.push_back({"site.global.user.checkpoint.prefix", checkpoint_prefix, {file.path, 0, "appConfig.global"}});
  }
  for (Option& option : entry.app_config) {
    option.name = "site.global." + option.name;
    SetOption(global, std::move(option));
  }
  return cluster;
}

}  // namespace howdah::compat::slider
