// An autoscaling policy, with the keys, defaults and bounds of `gcloud dataproc autoscaling-policies`. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/time.h"
#include "howdah/keyfile/problem.h"

namespace howdah::autoscale {

// The two groups of nodes that a policy sizes: workerConfig and secondaryWorkerConfig.
enum class Group { kPrimary, kSecondary };
inline constexpr std::array kGroups = {Group::kPrimary, Group::kSecondary};
// "primary" or "secondary".
std::string_view ToText(Group group);

// The number of nodes in each group.
struct Sizes {
  int primary = 0, secondary = 0;
  int total() const { return primary + secondary; }
  int& of(Group group) { return group == Group::kPrimary ? primary : secondary; }
  int of(Group group) const { return group == Group::kPrimary ? primary : secondary; }
  friend bool operator==(const Sizes&, const Sizes&) = default;
};

// The bounds of a group.
struct Bounds {
  int min = 0, max = 0;
  std::optional<int> weight;  // if only one group has a weight, that of the other is 0; if none has, both have 1
};

struct Policy {
  std::string id;
  Duration cooldown = std::chrono::minutes(2);  // cooldownPeriod
  Duration drain{0};                            // gracefulDecommissionTimeout
  double up_factor = 0, down_factor = 0;        // scaleUpFactor, scaleDownFactor: 0 never adds or removes nodes
  double up_fraction = 0, down_fraction = 0;    // scaleUpMinWorkerFraction, scaleDownMinWorkerFraction
  Bounds primary{2, 2, std::nullopt}, secondary;
  bool zero_scale = false;  // clusterType ZERO_SCALE: primary.min may be 0

  const Bounds& of(Group group) const { return group == Group::kPrimary ? primary : secondary; }
};

enum class ShortPeriods { kRefused, kAllowed };

// Parses a policy, YAML or JSON, as `gcloud dataproc autoscaling-policies export` writes it. file: for messages.
// short_periods: whether a cooldownPeriod below two minutes is valid. Hints: bounds that prevent most changes.
keyfile::Contents<Policy> ParsePolicy(std::string_view text, const std::string& file, ShortPeriods short_periods);

int LeastTotal(const Policy& policy);
int MostTotal(const Policy& policy);
// Divides a total by the weights of the groups; their bounds take precedence. The total is first brought between
// LeastTotal and MostTotal.
Sizes Divide(const Policy& policy, int total);
// Brings each size between the bounds of its group.
Sizes Bounded(const Policy& policy, const Sizes& sizes);

}  // namespace howdah::autoscale
