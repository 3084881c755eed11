// The cluster, the policy, the jobs and the faults of one simulation.
#pragma once

#include <string>
#include <vector>

#include "howdah/admission/gang_tag.h"
#include "howdah/autoscale/policy.h"
#include "howdah/autoscale/provider.h"
#include "howdah/autoscale/scaler.h"
#include "howdah/base/random.h"

namespace howdah::testing::autoscale_sim {

// The label of some jobs and nodes.
inline constexpr const char* kGpuLabel = "gpu";

// Chances, per occasion.
struct Faults {
  double order_fails = 0, order_without_answer = 0, fatal = 0;
  double never_joins = 0, more_than_ordered = 0;
  double list_fails = 0, list_is_old = 0;
  double exclude_fails = 0;
  double killed = 0;        // the autoscaler, per step
  double rm_restarts = 0;   // per minute
  double machine_gone = 0;  // per preemptible machine and minute
  int quota = 1'000'000;    // of the secondary group, until the faults end
};

struct SimJob {
  std::string id;
  Duration submitted{0};  // after the begin
  Duration length{0};
  std::string label;
  std::vector<admission::Tasks> tasks;
  bool foreign = false;    // an application of another tool: its containers start one by one, and do not move
  bool too_large = false;  // for the largest cluster of the policy
};

struct Scenario {
  autoscale::Mode mode = autoscale::Mode::kGangs;
  autoscale::Policy policy;
  autoscale::Provider provider;
  std::vector<SimJob> jobs;
  Faults faults;
  std::string Text() const;
};

Scenario DrawScenario(Random& random);

}  // namespace howdah::testing::autoscale_sim
