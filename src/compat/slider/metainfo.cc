#include "howdah/compat/slider/metainfo.h"

#include "howdah/base/number.h"
#include "howdah/keyfile/value_types.h"
#include "json_file.h"

namespace howdah::compat::slider {
namespace {

using keyfile::Node;
using keyfile::Reader;
using keyfile::Row;
using keyfile::Section;

// The values of the maps of a metainfo.json. `without_effect` is collected from the maps inside.
struct CommandEntry {
  MetaCommand command;
};

struct MountEntry {
  DockerPart::Mount mount;
};

struct ScriptEntry {
  std::string script, type, timeout;
};

struct DockerEntry {
  DockerPart part;
  std::string privileged;
  std::vector<std::string> without_effect;
};

struct ComponentEntry {
  MetaComponent component;
  std::string minimum, maximum;
  std::vector<std::string> without_effect;
};

struct ExportGroupEntry {
  std::string name;
};

constexpr std::string_view kApplication = "application.";

// A key without effect. `where` is the part of its name in the table before the key: "components.".
template <typename T>
keyfile::Key<T> Effectless(std::string_view name, std::string where) {
  return ReadBy<T>(name, [full = std::string(kApplication) + std::move(where) + std::string(name)](
                             Reader&, const Node& node, T& out) {
    const bool empty = node.kind == Node::Kind::kList && node.items.empty();
    if (!empty) out.without_effect.push_back(full);
    return true;
  });
}

// A verbatim text that `set` puts into the T.
template <typename T>
keyfile::Key<T> Textual(std::string_view name, std::string& (*field)(T&)) {
  return ReadBy<T>(name, [field](Reader& reader, const Node& node, T& out) {
    const auto text = reader.Verbatim(node, "a text");
    if (text) field(out) = *text;
    return text.has_value();
  });
}

// A list of maps; a list item is read with `section` and added with `add`.
template <typename T, typename Item>
keyfile::Key<T> MapsOf(std::string_view name, const Section<Item>& (*section)(), void (*add)(T&, Item, int line)) {
  return ReadBy<T>(name, [section, add](Reader& reader, const Node& node, T& out) {
    if (node.kind != Node::Kind::kList) return reader.Fail(node, "must be a list, as in [{...}]");
    bool good = true;
    for (size_t i = 0; i < node.items.size(); ++i) {
      const Reader::Scope scope(reader, i);
      Item item;
      good = keyfile::ReadSection(reader, *node.items[i], section(), item) && good;
      add(out, std::move(item), node.items[i]->mark.line);
    }
    return good;
  });
}

const Section<CommandEntry>& CommandKeys() {
  static const Section<CommandEntry> keys{
      {Textual<CommandEntry>("exec", [](CommandEntry& e) -> std::string& { return e.command.exec; }),
       Textual<CommandEntry>("name", [](CommandEntry& e) -> std::string& { return e.command.name; }),
       Unread<CommandEntry>("type")}};
  return keys;
}

const Section<MountEntry>& MountKeys() {
  static const Section<MountEntry> keys{
      {Textual<MountEntry>("containerMount", [](MountEntry& e) -> std::string& { return e.mount.container; }),
       Textual<MountEntry>("hostMount", [](MountEntry& e) -> std::string& { return e.mount.host; })}};
  return keys;
}

const Section<DockerEntry>& DockerKeys() {
  const std::string where = "components.dockerContainers.";
  static const Section<DockerEntry> keys{
      {Textual<DockerEntry>("name", [](DockerEntry& e) -> std::string& { return e.part.name; }),
       Textual<DockerEntry>("image", [](DockerEntry& e) -> std::string& { return e.part.image; }),
       Textual<DockerEntry>("network", [](DockerEntry& e) -> std::string& { return e.part.network; }),
       Textual<DockerEntry>("startCommand", [](DockerEntry& e) -> std::string& { return e.part.start_command; }),
       Textual<DockerEntry>("runPrivilegedContainer", [](DockerEntry& e) -> std::string& { return e.privileged; }),
       MapsOf<DockerEntry, MountEntry>(
           "mounts", &MountKeys, [](DockerEntry& e, MountEntry mount, int) { e.part.mounts.push_back(mount.mount); }),
       Effectless<DockerEntry>("ports", where), Effectless<DockerEntry>("statusCommand", where),
       Effectless<DockerEntry>("options", where), Effectless<DockerEntry>("commandPath", where),
       Effectless<DockerEntry>("additionalParam", where), Effectless<DockerEntry>("useNetworkScript", where),
       Effectless<DockerEntry>("inputFiles", where), Effectless<DockerEntry>("configFiles", where),
       Effectless<DockerEntry>("yarnContainerMountPoint", where)}};
  return keys;
}

void AddDocker(ComponentEntry& component, DockerEntry docker, int) {
  docker.part.privileged = docker.privileged == "true";
  component.component.docker.push_back(std::move(docker.part));
  for (std::string& key : docker.without_effect) component.without_effect.push_back(std::move(key));
}

const Section<ComponentEntry>& ComponentKeys() {
  using E = ComponentEntry;
  const std::string where = "components.";
  keyfile::Key<E> name = Textual<E>("name", [](E& e) -> std::string& { return e.component.name; });
  name.example = "\"worker\"";
  static const Section<E> keys{
      {std::move(name), Textual<E>("category", [](E& e) -> std::string& { return e.component.category; }),
       Textual<E>("type", [](E& e) -> std::string& { return e.component.type; }),
       Textual<E>("minInstanceCount", [](E& e) -> std::string& { return e.minimum; }),
       Textual<E>("maxInstanceCount", [](E& e) -> std::string& { return e.maximum; }),
       ReadBy<E>("commandScript",
                 [](Reader&, const Node&, E& e) {
                   e.component.has_script = true;
                   return true;
                 }),
       MapsOf<E, CommandEntry>(
           "commands", &CommandKeys,
           [](E& e, CommandEntry command, int) { e.component.commands.push_back(std::move(command.command)); }),
       MapsOf<E, DockerEntry>("dockerContainers", &DockerKeys, &AddDocker), Unread<E>("compExports"),
       Unread<E>("appExports"), Effectless<E>("componentExports", where), Effectless<E>("configFiles", where),
       Effectless<E>("publishConfig", where), Effectless<E>("autoStartOnFailure", where)}};
  return keys;
}

std::optional<int> CountIn(const std::string& text) {
  const auto count = ParseNumber<int>(text);
  return count && *count >= 0 ? count : std::nullopt;
}

void AddComponent(Metainfo& metainfo, ComponentEntry entry, int line) {
  MetaComponent& component = entry.component;
  component.place = {metainfo.place.file, line, "application.components." + component.name};
  component.min_instances = CountIn(entry.minimum);
  component.max_instances = CountIn(entry.maximum);
  metainfo.components.push_back(std::move(component));
  for (std::string& key : entry.without_effect) metainfo.without_effect.push_back(std::move(key));
}

struct OrderEntry {
  CommandOrder order;
};

const Section<OrderEntry>& OrderKeys() {
  static const Section<OrderEntry> keys{
      {Textual<OrderEntry>("command", [](OrderEntry& e) -> std::string& { return e.order.command; }),
       Textual<OrderEntry>("requires", [](OrderEntry& e) -> std::string& { return e.order.required; })}};
  return keys;
}

void AddOrder(Metainfo& metainfo, OrderEntry entry, int line) {
  entry.order.place = {metainfo.place.file, line, "application.commandOrders"};
  metainfo.orders.push_back(std::move(entry.order));
}

const Section<MetaPackage>& PackageKeys() {
  static const Section<MetaPackage> keys{
      {Row("name", &MetaPackage::name, Verbatim(), "", "files"), Row("type", &MetaPackage::type, Verbatim(), "")}};
  return keys;
}

const Section<ExportGroupEntry>& ExportGroupKeys() {
  static const Section<ExportGroupEntry> keys{
      {Row("name", &ExportGroupEntry::name, Verbatim(), ""), Unread<ExportGroupEntry>("exports")}};
  return keys;
}

const Section<Metainfo>& ApplicationKeys() {
  keyfile::Key<Metainfo> name = Row("name", &Metainfo::application, Verbatim(), "", "\"sleeper\"");
  static const Section<Metainfo> keys{
      {std::move(name), Row("version", &Metainfo::version, Verbatim(), ""),
       MapsOf<Metainfo, ComponentEntry>("components", &ComponentKeys, &AddComponent),
       MapsOf<Metainfo, OrderEntry>("commandOrders", &OrderKeys, &AddOrder),
       MapsOf<Metainfo, MetaPackage>(
           "packages", &PackageKeys,
           [](Metainfo& m, MetaPackage package, int) { m.packages.push_back(std::move(package)); }),
       MapsOf<Metainfo, ExportGroupEntry>(
           "exportGroups", &ExportGroupKeys,
           [](Metainfo& m, ExportGroupEntry group, int) { m.export_groups.push_back(std::move(group.name)); }),
       Unread<Metainfo>("comment"), Effectless<Metainfo>("exportedConfigs", ""),
       Effectless<Metainfo>("configFiles", ""), Effectless<Metainfo>("osSpecifics", "")}};
  return keys;
}

const Section<Metainfo>& MetainfoKeys() {
  static const Section<Metainfo> keys = [] {
    keyfile::Key<Metainfo> application =
        ReadBy<Metainfo>("application", [](Reader& reader, const Node& node, Metainfo& out) {
          return keyfile::ReadSection(reader, node, ApplicationKeys(), out);
        });
    application.example = "{\"name\": \"sleeper\", \"components\": []}";
    return Section<Metainfo>{{Unread<Metainfo>("schemaVersion"), std::move(application)}};
  }();
  return keys;
}

}  // namespace

ReadMeta ReadMetainfo(const TextFile& file) {
  ReadMeta read;
  read.metainfo.place.file = file.path;
  read.problems = ReadJsonFile(file, MetainfoKeys(), read.metainfo);
  return read;
}

}  // namespace howdah::compat::slider
