// The simulated machines: the nodes of the cluster, and the provider that makes them.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "howdah/admission/resources.h"
#include "howdah/autoscale/facts.h"
#include "howdah/autoscale/model/workload.h"
#include "howdah/autoscale/node_list.h"
#include "howdah/autoscale/orders.h"
#include "howdah/base/schedule.h"

namespace howdah::autoscale::model {

struct Node {
  enum class State { kCreating, kRunning, kDraining, kDecommissioned, kStopped, kDeleting };
  std::string id, host;
  Group group = Group::kPrimary;
  State state = State::kCreating;
  admission::Resources total, free;
  int containers = 0, ams = 0;
  Instant drains_since, deadline;  // of a node that drains
};

// Owns the nodes, from the order until they are deleted.
class Machines {
 public:
  Machines(const Workload& workload, Schedule& schedule) : workload_(workload), schedule_(schedule) {}

  // Machines that are there at the start.
  void Begin(Group group, int count);
  // on_joined is called for each machine when it has registered.
  void Order(Group group, int count, const std::function<void()>& on_joined);
  void Delete(const std::vector<MachineId>& machines);

  std::vector<Machine> List() const;
  // By host. References stay valid until the node is deleted.
  std::map<std::string, Node>& nodes() { return nodes_; }
  const std::map<std::string, Node>& nodes() const { return nodes_; }
  int existing() const { return static_cast<int>(nodes_.size()); }
  int largest() const { return largest_; }
  double NodeHours() const;

 private:
  Node& New(Group group);
  void CountTime();

  const Workload& workload_;
  Schedule& schedule_;
  std::map<std::string, Node> nodes_;
  int next_ = 0, largest_ = 0;
  Instant counted_ = schedule_.now();
  Duration machine_time_{0};  // until counted_
};

}  // namespace howdah::autoscale::model
