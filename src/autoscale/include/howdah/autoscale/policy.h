// An autoscaling policy, with the keys, defaults and bounds of `gcloud dataproc autoscaling-policies`. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::autoscale {

// workerConfig or secondaryWorkerConfig.
struct Group {
  int min = 0, max = 0;
  std::optional<int> weight;  // if only one group has a weight, that of the other is 0; if none has, both have 1
};

struct Policy {
  Duration cooldown = std::chrono::minutes(2);  // cooldownPeriod
  Duration drain{0};                            // gracefulDecommissionTimeout
  double up_factor = 0, down_factor = 0;        // scaleUpFactor, scaleDownFactor: 0 never adds or removes nodes
  double up_fraction = 0, down_fraction = 0;    // scaleUpMinWorkerFraction, scaleDownMinWorkerFraction
  Group primary{2, 2, std::nullopt}, secondary;
  bool zero_scale = false;  // clusterType ZERO_SCALE: primary.min may be 0
};

enum class ShortPeriods { kRefused, kAllowed };

struct PolicyProblem {
  std::string key;   // "basicAlgorithm.cooldownPeriod"
  std::string text;  // "must be between 2m and 1d, not 30s"
  bool only_warning = false;
};

// Checks all bounds at once.
std::vector<PolicyProblem> ProblemsOf(const Policy& policy, ShortPeriods short_periods);

// The number of nodes in each group.
struct Sizes {
  int primary = 0, secondary = 0;
  int total() const { return primary + secondary; }
  friend bool operator==(const Sizes&, const Sizes&) = default;
};

int LeastTotal(const Policy& policy);
int MostTotal(const Policy& policy);
// Divides a total by the weights of the groups; their bounds take precedence. The total is first brought between
// LeastTotal and MostTotal.
Sizes Divide(const Policy& policy, int total);

}  // namespace howdah::autoscale
