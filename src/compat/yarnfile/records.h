// The records of Hadoop's YARN services API (org.apache.hadoop.yarn.service.api.records in Hadoop 3.3 to 3.5) as
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/keyfile/problem.h"

namespace howdah::compat::yarnfile {

// Names and values in the order of the file.
using Pairs = std::vector<std::pair<std::string, std::string>>;
// The value of a name; nullptr if the name is absent.
const std::string* Find(const Pairs& pairs, std::string_view name);

enum class ArtifactType { kDocker, kTarball, kService };
enum class RestartPolicy { kAlways, kOnFailure, kNever };
enum class ConfigType { kXml, kProperties, kJson, kYaml, kTemplate, kEnv, kHadoopXml, kStatic, kArchive };
enum class CheckType { kDefault, kHttp, kPort };
enum class ConstraintType { kAffinity, kAntiAffinity, kCardinality };
enum class Scope { kNode, kRack };

struct Artifact {
  std::string id, uri;
  ArtifactType type = ArtifactType::kDocker;
};

struct AdditionalResource {
  int value = 0;
  std::string unit;
  std::vector<std::string> without_effect;
};

struct Resource {
  std::string profile;
  std::optional<int> cpus;
  std::optional<int> memory;  // MiB
  std::vector<std::pair<std::string, AdditionalResource>> additional;
};

struct ReadinessCheck {
  CheckType type = CheckType::kDefault;
  Pairs properties;
  std::vector<std::string> without_effect;
};

struct Constraint {
  std::string name;
  std::optional<ConstraintType> type;
  Scope scope = Scope::kNode;
  std::vector<std::string> target_tags, node_partitions;
  std::vector<std::pair<std::string, std::vector<std::string>>> node_attributes;
  std::optional<int> min_cardinality, max_cardinality;
};

struct PlacementPolicy {
  std::vector<Constraint> constraints;
};

struct ConfigFile {
  std::optional<ConfigType> type;
  std::string dest_file, src_file;
  Pairs properties;
};

struct Configuration {
  Pairs properties, env;
  std::vector<ConfigFile> files;
};

struct KerberosPrincipal {
  std::string principal_name, keytab;
};

struct Component {
  std::string name;
  std::vector<std::string> dependencies, quicklinks;
  std::optional<ReadinessCheck> readiness_check;
  std::optional<Artifact> artifact;
  std::string launch_command;
  std::optional<Resource> resource;
  std::optional<int> number_of_containers;
  bool run_privileged_container = false;
  PlacementPolicy placement_policy;
  Configuration configuration;
  RestartPolicy restart_policy = RestartPolicy::kAlways;
  std::vector<std::string> without_effect;  // the names of keys that YARN sets only in its answers
};

struct Service {
  std::string name, version, description, queue, docker_client_config;
  std::optional<Artifact> artifact;
  std::optional<Resource> resource;
  std::optional<int> lifetime;  // seconds; 0 or less: no limit
  std::vector<Component> components;
  Configuration configuration;
  Pairs quicklinks;
  KerberosPrincipal kerberos_principal;
  std::vector<std::string> without_effect;
};

// Reads a Yarnfile strictly, and reports all problems of its structure at once. `file` is used in the problems.
keyfile::Contents<Service> ReadService(std::string_view text, const std::string& file);

// The paths of all keys that ReadService accepts, such as "components[].artifact.id".
std::vector<std::string> AcceptedKeys();

}  // namespace howdah::compat::yarnfile
