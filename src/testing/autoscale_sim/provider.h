// The simulated provider of machines, with its faults.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster.h"
#include "howdah/autoscale/node_list.h"
#include "howdah/autoscale/orders.h"
#include "world.h"

namespace howdah::testing::autoscale_sim {

class SimProvider {
 public:
  SimProvider(World& world, SimCluster& cluster) : world_(world), cluster_(cluster) {}

  // Machines that are there at the begin.
  void Begin();
  // The commands. `lost`: the order had an effect, but its answer is lost, as after a timeout.
  struct Answer {
    bool lost = false;
    std::optional<autoscale::CommandError> error;
  };
  Answer Add(const autoscale::AddMachines& order);
  Answer Remove(const autoscale::RemoveMachines& order);
  std::vector<autoscale::Machine> List();
  void Tick();

  int CountOf(autoscale::Group group) const;
  int existing() const { return static_cast<int>(machines_.size()); }

 private:
  struct SimMachine {
    std::string host;
    autoscale::Group group;
    bool created = false, deleting = false;
  };
  struct Listed {
    Instant at;
    std::vector<autoscale::Machine> machines;
  };
  void Create(autoscale::Group group);
  std::string FreeHost(autoscale::Group group) const;
  void Delete(const std::string& id);
  std::optional<autoscale::CommandError> Fault();

  World& world_;
  SimCluster& cluster_;
  std::map<std::string, SimMachine> machines_;  // by id
  Listed last_, before_last_;                   // a list can be older than an earlier one
  std::map<std::string, int> tokens_;           // the count of each order that had an effect
  int next_id_ = 0;
  bool made_more_ = false;
};

}  // namespace howdah::testing::autoscale_sim
