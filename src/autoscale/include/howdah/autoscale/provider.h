// A provider file: which machines belong to which group of nodes, and the commands that list, add and remove them.
// Pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/admission/resources.h"
#include "howdah/autoscale/exclude_file.h"
#include "howdah/autoscale/policy.h"
#include "howdah/base/time.h"
#include "howdah/keyfile/problem.h"

namespace howdah::autoscale {

// The resources that a node offers to YARN.
struct NodeShape {
  admission::Resources size;
  std::string label;
  friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

struct NodeGroup {
  std::string hosts;                         // regular expression that matches the whole name of each host of the group
  std::optional<NodeShape> node;             // nullopt: learnt from the nodes that run
  double cost = 1;                           // of one node; only the ratio between the groups counts
  Duration join = std::chrono::minutes(10);  // longest time between the order of a node and its registration
  bool preemptible = false;
};

struct Provider {
  std::optional<NodeGroup> primary, secondary;
  std::string list, add, remove, before_remove;  // bash commands; before_remove may be empty
  Duration timeout = std::chrono::minutes(5);    // of each command
  struct Exclude {
    std::string path;  // yarn.resourcemanager.nodes.exclude-path
    // bash commands: `read` prints the content, and `write` replaces it by stdin. Empty: a file of this machine.
    std::string read, write;
    ExcludeFormat format() const { return path.ends_with(".xml") ? ExcludeFormat::kXml : ExcludeFormat::kPlain; }
    bool is_xml() const { return format() == ExcludeFormat::kXml; }
  } exclude;
  std::string publish;       // URI or path of the file in which clients read how large the cluster may become; or ""
  bool cores = false;        // the Dataproc mode counts vcores, too
  bool elastic_max = false;  // optional tasks of elastic roles count as demand

  const std::optional<NodeGroup>& of(Group group) const { return group == Group::kPrimary ? primary : secondary; }
};

// Parses a provider file, YAML or JSON.
keyfile::Contents<Provider> ParseProvider(std::string_view text, const std::string& file);

}  // namespace howdah::autoscale
