// The simulated process of the autoscaler: stores the state, gives the orders, and dies now and then.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster.h"
#include "howdah/autoscale/scaler.h"
#include "provider.h"
#include "world.h"

namespace howdah::testing::autoscale_sim {

class Process {
 public:
  Process(World& world, SimCluster& cluster, SimProvider& provider);

  void Begin();
  // The user resumes the autoscaler.
  void Resume() { Step(autoscale::Resumed{}); }
  // Whether a fatal error has disabled a group of the autoscaler that runs.
  bool has_disabled_group() const;
  int steps() const { return steps_; }
  // When it started last.
  Instant started() const { return started_; }
  // Whether nothing has been ordered or drained, and nothing is on its way.
  bool quiet() const;
  std::string Describe() const;

 private:
  void Start();
  void Die();
  void Observe();
  void List();
  void Step(const autoscale::Fact& fact);
  void CheckOrders(const autoscale::Fact& fact);
  void Perform(const autoscale::Order& order);
  void Report(const SimProvider::Answer& answer, const std::string& token);
  void SetExcluded(const autoscale::SetExcluded& order);
  // Delivers a fact later, if the process still runs then.
  void Later(Duration delay, autoscale::Fact fact);
  // Runs an action every five seconds while the process runs.
  void Repeat(void (Process::*action)());

  World& world_;
  SimCluster& cluster_;
  SimProvider& provider_;
  autoscale::State stored_;                    // in the state file
  std::string exclude_file_;                   // its text
  std::unique_ptr<autoscale::Scaler> scaler_;  // null while the process does not run
  int life_ = 0;
  Instant started_;
  std::set<std::string> under_way_;  // tokens of orders for machines whose command has not ended
  int steps_ = 0;
};

}  // namespace howdah::testing::autoscale_sim
