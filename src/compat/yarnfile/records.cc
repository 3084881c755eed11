#include "records.h"

#include <algorithm>

#include "howdah/keyfile/read_file.h"
#include "howdah/keyfile/value_types.h"

namespace howdah::compat::yarnfile {

using keyfile::Node;
using keyfile::OneOf;
using keyfile::Optional;
using keyfile::Reader;
using keyfile::Row;
using keyfile::Section;
using keyfile::SectionType;
using keyfile::ValueType;
using keyfile::WholeNumber;
using keyfile::Words;

namespace {

constexpr int kMostContainers = 100'000, kMostMemory = 1 << 30, kMostVcores = 1 << 20, kMostAmount = 2'000'000'000;

// The values of Yarnfiles have constants such as ${SERVICE_NAME}, which are not variables of the environment.
ValueType<std::string> Verbatim() {
  ValueType<std::string> type = keyfile::Script();
  type.read = [](Reader& r, const Node& n, std::string& out) {
    auto text = r.Verbatim(n, "a string");
    if (text) out = std::move(*text);
    return text.has_value();
  };
  return type;
}

ValueType<Pairs> TextMap() {
  ValueType<Pairs> type;
  type.read = [](Reader& r, const Node& n, Pairs& out) {
    if (!keyfile::CheckIsMap(r, n)) return false;
    return keyfile::ForEachEntry(r, n, [&](const keyfile::Entry& entry) {
      std::string text;
      if (entry.value->kind == Node::Kind::kMap || entry.value->kind == Node::Kind::kList) {
        return r.Fail(entry.mark, "must be a string, as YARN requires; write the value as text in quotes");
      }
      if (entry.value->kind == Node::Kind::kScalar && !Verbatim().read(r, *entry.value, text)) return false;
      out.emplace_back(entry.key, std::move(text));
      return true;
    });
  };
  return type;
}

// A map whose values have one type.
template <typename V>
ValueType<std::vector<std::pair<std::string, V>>> MapOf(ValueType<V> value) {
  ValueType<std::vector<std::pair<std::string, V>>> type;
  type.read = [read = std::move(value.read)](Reader& r, const Node& n, std::vector<std::pair<std::string, V>>& out) {
    if (!keyfile::CheckIsMap(r, n)) return false;
    return keyfile::ForEachEntry(r, n, [&](const keyfile::Entry& entry) {
      V item{};
      if (!read(r, *entry.value, item)) return false;
      out.emplace_back(entry.key, std::move(item));
      return true;
    });
  };
  return type;
}

// A list that keeps items with problems, so that the positions of the others stay right.
template <typename V>
ValueType<std::vector<V>> WholeList(ValueType<V> item) {
  ValueType<std::vector<V>> type;
  type.read = [read = std::move(item.read)](Reader& r, const Node& n, std::vector<V>& out) {
    if (n.kind != Node::Kind::kList) return r.Fail(n, "must be a list, as in [{...}, {...}]");
    bool good = true;
    for (size_t i = 0; i < n.items.size(); ++i) {
      const Reader::Scope scope(r, i);
      good = read(r, *n.items[i], out.emplace_back()) && good;
    }
    return good;
  };
  return type;
}

ValueType<std::vector<std::string>> Names() { return keyfile::ListOf(Verbatim(), "list of names"); }

// A key that YARN accepts and that has no effect here. Its value is not read.
template <typename T>
keyfile::Key<T> WithoutEffect(std::string_view name) {
  keyfile::Key<T> key;
  key.name = name;
  key.read = [name](Reader&, const Node&, T& out) {
    out.without_effect.emplace_back(name);
    return true;
  };
  return key;
}

template <typename T>
keyfile::Key<T> Refused(std::string_view name, std::string_view why) {
  keyfile::Key<T> key;
  key.name = name;
  key.read = [why](Reader& r, const Node& n, T&) { return r.Fail(n, std::string(why)); };
  return key;
}

const Words<ArtifactType>& ArtifactTypes() {
  static const Words<ArtifactType> words = {
      {ArtifactType::kDocker, "DOCKER"}, {ArtifactType::kTarball, "TARBALL"}, {ArtifactType::kService, "SERVICE"}};
  return words;
}

const Words<RestartPolicy>& RestartPolicies() {
  static const Words<RestartPolicy> words = {
      {RestartPolicy::kAlways, "ALWAYS"}, {RestartPolicy::kOnFailure, "ON_FAILURE"}, {RestartPolicy::kNever, "NEVER"}};
  return words;
}

const Words<ConfigType>& ConfigTypes() {
  static const Words<ConfigType> words = {{ConfigType::kXml, "XML"},
                                          {ConfigType::kProperties, "PROPERTIES"},
                                          {ConfigType::kJson, "JSON"},
                                          {ConfigType::kYaml, "YAML"},
                                          {ConfigType::kTemplate, "TEMPLATE"},
                                          {ConfigType::kEnv, "ENV"},
                                          {ConfigType::kHadoopXml, "HADOOP_XML"},
                                          {ConfigType::kStatic, "STATIC"},
                                          {ConfigType::kArchive, "ARCHIVE"}};
  return words;
}

const Words<CheckType>& CheckTypes() {
  static const Words<CheckType> words = {
      {CheckType::kDefault, "DEFAULT"}, {CheckType::kHttp, "HTTP"}, {CheckType::kPort, "PORT"}};
  return words;
}

const Words<ConstraintType>& ConstraintTypes() {
  static const Words<ConstraintType> words = {{ConstraintType::kAffinity, "AFFINITY"},
                                              {ConstraintType::kAntiAffinity, "ANTI_AFFINITY"},
                                              {ConstraintType::kCardinality, "AFFINITY_WITH_CARDINALITY"}};
  return words;
}

const Words<Scope>& Scopes() {
  static const Words<Scope> words = {{Scope::kNode, "NODE"}, {Scope::kRack, "RACK"}};
  return words;
}

const Section<Artifact>& ArtifactKeys() {
  static const Section<Artifact> keys = {{Row("id", &Artifact::id, Verbatim(), "", "library/httpd:2.4"),
                                          Row("type", &Artifact::type, OneOf(ArtifactTypes()), ""),
                                          Row("uri", &Artifact::uri, Verbatim(), "")}};
  return keys;
}

const Section<AdditionalResource>& AdditionalKeys() {
  using A = AdditionalResource;
  static const Section<A> keys = {{Row("value", &A::value, WholeNumber(0, kMostAmount), "", "1"),
                                   Row("unit", &A::unit, Verbatim(), ""), WithoutEffect<A>("attributes"),
                                   WithoutEffect<A>("tags")}};
  return keys;
}

const Section<Resource>& ResourceKeys() {
  using R = Resource;
  static const Section<R> keys = {{Row("profile", &R::profile, Verbatim(), ""),
                                   Row("cpus", &R::cpus, Optional(WholeNumber(1, kMostVcores)), ""),
                                   Row("memory", &R::memory, Optional(WholeNumber(1, kMostMemory)), ""),
                                   Row("additional", &R::additional, MapOf(SectionType(&AdditionalKeys)), "")}};
  return keys;
}

const Section<ReadinessCheck>& ReadinessKeys() {
  using R = ReadinessCheck;
  static const Section<R> keys = {{Row("type", &R::type, OneOf(CheckTypes()), "", "HTTP"),
                                   Row("properties", &R::properties, TextMap(), ""), WithoutEffect<R>("uri"),
                                   Refused<R>("artifact", "is not implemented in YARN either; remove it")}};
  return keys;
}

const Section<Constraint>& ConstraintKeys() {
  using C = Constraint;
  static const Section<C> keys = {
      {Row("name", &C::name, Verbatim(), ""),
       Row("type", &C::type, Optional(OneOf(ConstraintTypes())), "", "ANTI_AFFINITY"),
       Row("scope", &C::scope, OneOf(Scopes()), ""), Row("target_tags", &C::target_tags, Names(), ""),
       Row("node_attributes", &C::node_attributes, MapOf(Names()), ""),
       Row("node_partitions", &C::node_partitions, Names(), ""),
       Row("min_cardinality", &C::min_cardinality, Optional(WholeNumber(0, kMostContainers)), ""),
       Row("max_cardinality", &C::max_cardinality, Optional(WholeNumber(0, kMostContainers)), "")}};
  return keys;
}

const Section<PlacementPolicy>& PlacementPolicyKeys() {
  static const Section<PlacementPolicy> keys = {
      {Row("constraints", &PlacementPolicy::constraints, WholeList(SectionType(&ConstraintKeys)), "")}};
  return keys;
}

const Section<ConfigFile>& ConfigFileKeys() {
  using C = ConfigFile;
  static const Section<C> keys = {{Row("type", &C::type, Optional(OneOf(ConfigTypes())), "", "JSON"),
                                   Row("dest_file", &C::dest_file, Verbatim(), ""),
                                   Row("src_file", &C::src_file, Verbatim(), ""),
                                   Row("properties", &C::properties, TextMap(), "")}};
  return keys;
}

const Section<Configuration>& ConfigurationKeys() {
  using C = Configuration;
  static const Section<C> keys = {{Row("properties", &C::properties, TextMap(), ""), Row("env", &C::env, TextMap(), ""),
                                   Row("files", &C::files, WholeList(SectionType(&ConfigFileKeys)), "")}};
  return keys;
}

const Section<KerberosPrincipal>& KerberosKeys() {
  using K = KerberosPrincipal;
  static const Section<K> keys = {
      {Row("principal_name", &K::principal_name, Verbatim(), ""), Row("keytab", &K::keytab, Verbatim(), "")}};
  return keys;
}

const Section<Component>& ComponentKeys() {
  using C = Component;
  static const Section<C> keys = {
      {Row("name", &C::name, Verbatim(), "", "web"), Row("dependencies", &C::dependencies, Names(), ""),
       Row("readiness_check", &C::readiness_check, Optional(SectionType(&ReadinessKeys)), ""),
       Row("artifact", &C::artifact, Optional(SectionType(&ArtifactKeys)), ""),
       Row("launch_command", &C::launch_command, Verbatim(), ""),
       Row("resource", &C::resource, Optional(SectionType(&ResourceKeys)), ""),
       Row("number_of_containers", &C::number_of_containers, Optional(WholeNumber(0, kMostContainers)), ""),
       Row("run_privileged_container", &C::run_privileged_container, keyfile::TrueOrFalse(), ""),
       Row("placement_policy", &C::placement_policy, SectionType(&PlacementPolicyKeys), ""),
       Row("configuration", &C::configuration, SectionType(&ConfigurationKeys), ""),
       Row("quicklinks", &C::quicklinks, Names(), ""),
       Row("restart_policy", &C::restart_policy, OneOf(RestartPolicies()), ""),
       Refused<C>("containers", "is set by YARN only in answers, and YARN refuses it here, too; remove it"),
       WithoutEffect<C>("state"), WithoutEffect<C>("decommissioned_instances"), WithoutEffect<C>("uri")}};
  return keys;
}

ValueType<int> Lifetime() {
  ValueType<int> type = WholeNumber(0, kMostAmount);
  type.read = [read = type.read](Reader& r, const Node& n, int& out) {
    const bool unlimited = n.kind == Node::Kind::kScalar && n.text == "-1";
    out = 0;
    return unlimited || read(r, n, out);
  };
  return type;
}

const Section<Service>& ServiceKeys() {
  using S = Service;
  static const Section<S> keys = {
      {Row("name", &S::name, Verbatim(), ""), Row("version", &S::version, Verbatim(), ""),
       Row("description", &S::description, Verbatim(), ""),
       Row("artifact", &S::artifact, Optional(SectionType(&ArtifactKeys)), ""),
       Row("resource", &S::resource, Optional(SectionType(&ResourceKeys)), ""),
       Row("lifetime", &S::lifetime, Optional(Lifetime()), ""),
       Row("components", &S::components, WholeList(SectionType(&ComponentKeys)), "", "[{\"name\": \"web\", ...}]"),
       Row("configuration", &S::configuration, SectionType(&ConfigurationKeys), ""),
       Row("quicklinks", &S::quicklinks, TextMap(), ""), Row("queue", &S::queue, Verbatim(), ""),
       Row("kerberos_principal", &S::kerberos_principal, SectionType(&KerberosKeys), ""),
       Row("docker_client_config", &S::docker_client_config, Verbatim(), ""), WithoutEffect<S>("id"),
       WithoutEffect<S>("launch_time"), WithoutEffect<S>("number_of_running_containers"), WithoutEffect<S>("state"),
       WithoutEffect<S>("uri")}};
  return keys;
}

template <typename T>
void AddNames(const std::string& path, const Section<T>& section, std::vector<std::string>& names) {
  for (const keyfile::Key<T>& key : section.keys) names.push_back(path + std::string(key.name));
}

}  // namespace

const std::string* Find(const Pairs& pairs, std::string_view name) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == name; });
  return found == pairs.end() ? nullptr : &found->second;
}

keyfile::Contents<Service> ReadService(std::string_view text, const std::string& file) {
  keyfile::Host host;
  host.file_name = file;
  return keyfile::ReadFile<Service>(text, host, ServiceKeys(), [](const Service&, Reader&) {});
}

std::vector<std::string> AcceptedKeys() {
  std::vector<std::string> names;
  const std::string component = "components[].";
  AddNames("", ServiceKeys(), names);
  AddNames(component, ComponentKeys(), names);
  AddNames("artifact.", ArtifactKeys(), names);
  AddNames("resource.", ResourceKeys(), names);
  AddNames("resource.additional.<type>.", AdditionalKeys(), names);
  AddNames(component + "readiness_check.", ReadinessKeys(), names);
  AddNames(component + "placement_policy.", PlacementPolicyKeys(), names);
  AddNames(component + "placement_policy.constraints[].", ConstraintKeys(), names);
  AddNames("configuration.", ConfigurationKeys(), names);
  AddNames("configuration.files[].", ConfigFileKeys(), names);
  AddNames("kerberos_principal.", KerberosKeys(), names);
  return names;
}

}  // namespace howdah::compat::yarnfile
