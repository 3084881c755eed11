// The nodes of a cluster that can run containers, and how many containers of a shape each may get. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/hadoop/yarn/placement.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::hadoop::yarn {

inline constexpr const char* kDefaultRack = "/default-rack";

// The properties that all containers of one ask have in common.
struct Shape {
  Resource resource;
  std::string label;                      // node label; empty for the queue's default
  std::vector<std::string> nodes, racks;  // preferred locations; no preference if empty
  bool strict = false;                    // whether containers at other locations are refused
  std::optional<int> max_per_node;        // at most this many containers of this shape on one node at a time
  Placement placement;                    // also strict
  // Whether only some of the known nodes may get a container at present.
  bool limited() const { return max_per_node.has_value() || !placement.empty(); }
  friend bool operator==(const Shape&, const Shape&) = default;
};

// A node of the cluster. `name` is its name in the scheduler.
struct KnownNode {
  std::string name, rack, label;
  Resource total;
  NodeAttributes attributes = {};
  friend bool operator==(const KnownNode&, const KnownNode&) = default;
};

// The number of containers by the key of their shape, then by the name of their node.
using HeldContainers = std::map<int, std::map<std::string, int>>;

class KnownNodes {
 public:
  KnownNodes() = default;
  explicit KnownNodes(std::vector<KnownNode> nodes);

  const std::vector<KnownNode>& all() const { return all_; }
  // Returns nullptr for a name that is not known.
  const KnownNode* Find(const std::string& name) const;
  std::string RackOf(const std::string& name) const;
  // How many more containers of the shape the node may get now, at most `wanted`. key: that of the shape.
  int RoomOn(const std::string& node, int key, const Shape& shape, int wanted, const HeldContainers& held) const;

 private:
  int HeldInRack(const std::string& rack, int key, const HeldContainers& held) const;
  // Whether the placement of the shape allows a container on the node.
  bool Allows(const std::string& node, int key, const Placement& placement, const HeldContainers& held) const;

  std::vector<KnownNode> all_;
  std::map<std::string, size_t> index_;  // position in all_, by name
};

}  // namespace howdah::hadoop::yarn
