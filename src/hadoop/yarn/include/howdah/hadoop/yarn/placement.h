// Conditions for the nodes of containers that this process checks itself, so that they need no placement handler of the
// scheduler: attributes of nodes, and other containers of the application.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::hadoop::yarn {

// Node attributes by their full names, "rm.yarn.io/gen".
using NodeAttributes = std::map<std::string, std::string>;
NodeAttributes AttributesOf(const ::hadoop::yarn::NodeReportProto& report);

// A condition on one attribute. `name` without a prefix means rm.yarn.io, which administrators set centrally, or
// otherwise nm.yarn.io, which NodeManagers report.
struct AttributeCondition {
  std::string name;
  std::vector<std::string> values;
  bool none = false;  // the node must have none of the values, or lack the attribute; false: it must have one of them
  friend bool operator==(const AttributeCondition&, const AttributeCondition&) = default;
};
bool Meets(const NodeAttributes& attributes, const std::vector<AttributeCondition>& conditions);

// near, apart: keys of shapes (Allocation::Ask).
struct Placement {
  std::vector<AttributeCondition> attributes;
  std::vector<int> near;            // only on nodes with a container of each of these shapes
  std::vector<int> apart;           // on no node with a container of one of these shapes
  std::optional<int> max_per_rack;  // containers of this shape in one rack at a time
  bool empty() const { return *this == Placement{}; }
  friend bool operator==(const Placement&, const Placement&) = default;
};

}  // namespace howdah::hadoop::yarn
