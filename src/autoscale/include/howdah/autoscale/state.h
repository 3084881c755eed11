// The facts that the autoscaler must not forget when it ends or is killed. Plain values.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/autoscale/node_list.h"
#include "howdah/autoscale/policy.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::autoscale {

// A machine that `list` has shown.
struct KnownMachine {
  std::string host;  // empty while the provider creates it
  Group group = Group::kPrimary;
  Instant since;        // when it was first listed
  bool joined = false;  // whether it has registered with the ResourceManager
};

// Machines that have been ordered. The order is repeated with the same token until it is accepted.
struct PendingAdd {
  std::string token;
  Group group = Group::kPrimary;
  int count = 0;
  int arrived = 0;  // machines that `list` has shown since
  // When it was given, then when it was accepted, or when it failed first. Machines may take `join` from then on.
  Instant at;
  bool accepted = false;
  int failures = 0;
  Instant retry;  // after a failure
  // Whether the order was given and its end is not known. Not stored: each order that is not accepted is given again
  // after a start.
  bool under_way = true;

  int outstanding() const { return count - arrived; }
};

// A machine on its way out. The order of the steps is that of the enumeration.
struct LeavingMachine {
  enum class Step {
    kCancelled,  // stays, as soon as the ResourceManager has taken it back
    kDraining,   // YARN waits until the containers have ended
    kReleasing,  // the timeout of the node is over: nothing needs it any more
    kStopping,   // decommissioned; its NodeManager stores logs and exits
    kPreparing,  // before_remove
    kRemoving,   // remove
  };
  std::string host;
  Group group = Group::kPrimary;
  Step step = Step::kDraining;
  Instant since;      // of the step
  std::string token;  // of the command of the step
  int failures = 0;
  Instant retry;
  bool skips_drain = false;  // it never registered, or is lost: it is not in the exclude file
};

struct GroupHealth {
  int failures = 0;
  Instant unusable_until;
  bool disabled = false;  // until `resume`
  std::string reason;
};

struct State {
  std::string prefix;  // of tokens: unique to this autoscaler, and to each state that has been lost
  int64_t orders = 0;  // the number of tokens that have been used
  bool paused = false;
  Instant window;                                  // the begin of the Dataproc mode's window
  std::map<std::string, KnownMachine> machines;    // by id
  std::vector<PendingAdd> adds;                    // the oldest first
  std::map<std::string, LeavingMachine> leaving;   // by id
  std::array<GroupHealth, kGroups.size()> health;  // by group
  std::set<std::string> excluded;                  // hosts that may be in the exclude file
  std::string wish;                                // the id of the last `pause` or `resume` that was obeyed

  GroupHealth& health_of(Group group) { return health[static_cast<size_t>(group)]; }
  const GroupHealth& health_of(Group group) const { return health[static_cast<size_t>(group)]; }
  // Whether the machine is leaving, and its drain has not been cancelled.
  bool Leaves(const std::string& id) const {
    const auto found = leaving.find(id);
    return found != leaving.end() && found->second.step != LeavingMachine::Step::kCancelled;
  }
  std::string NewToken() { return prefix + "-" + std::to_string(++orders); }
};

// The text of a state file, and back. Any text is safe; kUsage: it is not a state.
std::string WriteState(const State& state);
Result<State> ReadState(std::string_view text);

}  // namespace howdah::autoscale
