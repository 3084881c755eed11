// The simulated ResourceManager with its nodes and jobs. It follows YARN where that matters for the autoscaler:
// graceful decommissioning with timeouts, nodes that wait for the end of every application that ran there, restarts.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "howdah/autoscale/facts.h"
#include "howdah/autoscale/orders.h"
#include "world.h"

namespace howdah::testing::autoscale_sim {

class SimCluster {
 public:
  explicit SimCluster(World& world);

  // A NodeManager registers. Its host may be that of an earlier node.
  void Register(const std::string& host, autoscale::Group group);
  // The machine of a node is gone.
  void Lose(const std::string& host);
  // The exclude file has changed. The ResourceManager reads it at the next Refresh or restart.
  void SetExcludeFile(std::set<std::string> hosts) { file_ = std::move(hosts); }
  // Returns false if the ResourceManager is not reachable.
  bool Refresh(const autoscale::SetExcluded& order);
  std::optional<autoscale::ClusterSeen> Observe() const;
  autoscale::NodeChecked::Answer Check(const std::string& host) const;
  void Tick();
  void Restart(Duration unreachable);

  bool HasContainers(const std::string& host) const;
  // Whether all jobs have ended that can.
  bool done() const;
  int ended() const;
  // The jobs that have not ended, for messages.
  std::string Describe() const;

 private:
  using NodeState = autoscale::NodeReport::State;
  struct Container {
    std::string job;
    admission::Resources size;
    std::optional<Instant> leaves;  // when the task has saved its work, or ends
  };
  struct Node {
    std::string label;
    admission::Resources total;
    NodeState state = NodeState::kRunning;
    Instant decommissioning, deadline, stops;
    std::vector<Container> containers;
    std::set<std::string> ran;  // jobs
  };
  struct Job {
    SimJob spec;
    enum class State { kAbsent, kWaiting, kRunning, kDone } state = State::kAbsent;
    Instant submitted;
    Duration left{0};
    std::vector<admission::Tasks> missing;  // containers that it has lost, or does not have yet
    int unfinished = 0;                     // containers of a foreign application
  };

  Job& Find(const std::string& id);
  void Decommission(Node& node);
  void BeginDrain(Node& node, Duration timeout);
  void Lose(const Container& container);
  void AdvanceNodes();
  void AdvanceJobs();
  void EndContainersOf(const std::string& job);
  void PlaceMissing();
  void StartGangs(const std::string& label);
  bool Place(const std::vector<admission::Tasks>& tasks, Job& job, bool whole);
  std::vector<admission::Node> NodesOf(const std::string& label) const;
  static admission::Resources FreeOf(const Node& node);
  std::vector<admission::Tasks> WholeOf(const Job& job) const;

  World& world_;
  const Instant begin_;
  Instant unreachable_until_;
  std::set<std::string> file_;  // hosts in the exclude file
  std::map<std::string, Node> nodes_;
  std::vector<Job> jobs_;
  bool changed_ = false;  // something may start
};

}  // namespace howdah::testing::autoscale_sim
