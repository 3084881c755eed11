// The orders of the autoscaler. Plain values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "howdah/autoscale/decision.h"
#include "howdah/autoscale/policy.h"
#include "howdah/base/time.h"

namespace howdah::autoscale {

// Runs the provider's command `add`. A repeated order has the same token, so that the provider can tell it from another
// one.
struct AddMachines {
  std::string token;
  Group group = Group::kPrimary;
  int count = 0;
};

struct MachineId {
  std::string id, host;
  friend auto operator<=>(const MachineId&, const MachineId&) = default;
};

// Runs `before_remove` or `remove`.
struct RemoveMachines {
  enum class Step { kPrepare, kRemove };
  std::string token;
  Step step = Step::kRemove;
  Group group = Group::kPrimary;
  std::vector<MachineId> machines;
};

// Makes these hosts the only entries of the autoscaler in the exclude file, and lets the ResourceManager read it.
struct SetExcluded {
  std::map<std::string, Duration> timeouts;  // of each excluded host
  std::set<std::string> own;                 // hosts that the autoscaler may have entered before
  // How the ResourceManager treats excluded nodes. A plain file has no timeout for each host.
  enum class Kind { kGraceful, kAtOnce } kind = Kind::kGraceful;
  Duration longest{0};  // the timeout of hosts without one of their own
};

// Asks the node's NodeManager which applications it knows.
struct CheckNode {
  std::string name, host;
};

struct LogDecision {
  Decision decision;
};

using Order = std::variant<AddMachines, RemoveMachines, SetExcluded, CheckNode, LogDecision>;

}  // namespace howdah::autoscale
