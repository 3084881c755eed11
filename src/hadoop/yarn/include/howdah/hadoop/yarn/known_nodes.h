// The nodes of a cluster that can run containers, the containers that the application holds on them, and how many more
// of a shape each may get. Pure.
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

// Removes the port from the scheduler's name of a node, if the name has one.
std::string HostOf(const std::string& node);

// `key` identifies a shape (Allocation::Ask).
class KnownNodes {
 public:
  // Replaces the nodes. Held containers are kept, including those on nodes that are not in the list.
  void Set(std::vector<KnownNode> nodes);
  const std::vector<KnownNode>& all() const { return all_; }
  // Returns nullptr for a name that is not known.
  const KnownNode* Find(const std::string& name) const;
  std::string RackOf(const std::string& name) const;

  // Add and remove one held container.
  void Hold(int key, const std::string& node);
  void Drop(int key, const std::string& node);

  // Whether the node could ever run a container of the shape: its label, its size, and strict locations.
  bool Suits(const KnownNode& node, const Shape& shape) const;
  // How many more containers of the shape the node may get now, at most `wanted`. Assumes that the node suits it.
  int RoomOn(const std::string& node, int key, const Shape& shape, int wanted) const;
  struct Count {
    int suitable = 0;
    int allowed = 0;  // those of the suitable nodes that may get a container now
    friend bool operator==(const Count&, const Count&) = default;
  };
  Count CountFor(int key, const Shape& shape) const;

 private:
  int HeldOn(const std::string& node, int key) const;
  int HeldInRack(const std::string& rack, int key) const;
  // Whether the placement of the shape allows a container on the node.
  bool Allows(const std::string& node, int key, const Placement& placement) const;

  std::vector<KnownNode> all_;
  std::map<std::string, size_t> index_;             // position in all_, by name
  std::map<int, std::map<std::string, int>> held_;  // the number of containers by key and node
};

}  // namespace howdah::hadoop::yarn
