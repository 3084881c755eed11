// The facts from which the autoscaler decides. Plain values.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "howdah/admission/queue.h"
#include "howdah/autoscale/formula.h"
#include "howdah/autoscale/gang_plan.h"
#include "howdah/autoscale/node_list.h"
#include "howdah/base/time.h"

namespace howdah::autoscale {

// A node as the ResourceManager reports it.
struct NodeReport {
  enum class State {
    kRunning,
    kUnhealthy,        // registered, but gets no containers
    kDecommissioning,  // gets no new containers
    kDecommissioned,
    kGone,  // lost, shut down, rebooted, or not registered any more
  };
  std::string name;  // "host:port"
  std::string host;
  State state = State::kRunning;
  std::string label;
  admission::Resources total, used;
  int containers = 0;
  bool has_am = false;  // of any application
  Duration work{0};     // the time that its containers have run, summed up
};

// One observation of the ResourceManager.
struct ClusterSeen {
  Sample metrics;  // metrics.at is not used: an observation counts from the step that receives it
  std::vector<NodeReport> nodes;
  std::vector<Wanted> wanted;  // in the order of the queue: waiting gangs, then what others requested
  std::map<std::string, std::map<std::string, QueueShare>> queues;  // limits, by label and queue
};

// The ResourceManager cannot be read. Nothing is changed until it can.
struct ClusterUnreadable {
  std::string reason;
};

struct MachinesListed {
  std::vector<Machine> machines;
};

struct ListFailed {
  std::string reason;
};

// The command of an order has ended.
struct OrderDone {
  std::string token;
};

struct OrderFailed {
  std::string token;
  CommandError error;
};

// The exclude file is written, and the ResourceManager has read it.
struct ExcludeDone {};

struct ExcludeFailed {
  std::string reason;
};

// The answer to an order of kind CheckNode.
struct NodeChecked {
  enum class Answer {
    kFree,        // the node's NodeManager knows no applications but those of Howdah
    kHasOthers,   // other applications have run there, and have not ended
    kGone,        // the NodeManager has exited
    kUnreadable,  // it does not answer, or refuses to
  };
  std::string host;
  Answer answer = Answer::kUnreadable;
};

// The file `publish` could not be written.
struct PublishFailed {
  std::string reason;
};

// Commands of the user. `resume` also enables groups that a fatal error has disabled. id: State::wish.
struct Paused {
  std::string id;
};
struct Resumed {
  std::string id;
};

using Fact = std::variant<ClusterSeen, ClusterUnreadable, MachinesListed, ListFailed, OrderDone, OrderFailed,
                          ExcludeDone, ExcludeFailed, NodeChecked, PublishFailed, Paused, Resumed>;

}  // namespace howdah::autoscale
