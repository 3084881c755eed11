#include "howdah/autoscale/policy.h"

#include <algorithm>
#include <cmath>

namespace howdah::autoscale {
namespace {

struct Weights {
  int primary, secondary;
};

Weights WeightsOf(const Policy& policy) {
  const auto primary = policy.primary.weight, secondary = policy.secondary.weight;
  if (!primary && !secondary) return {1, 1};
  return {primary.value_or(0), secondary.value_or(0)};
}

}  // namespace

std::string_view ToText(Group group) { return group == Group::kPrimary ? "primary" : "secondary"; }

int LeastTotal(const Policy& policy) { return policy.primary.min + policy.secondary.min; }
int MostTotal(const Policy& policy) { return policy.primary.max + policy.secondary.max; }

Sizes Divide(const Policy& policy, int total) {
  total = std::clamp(total, LeastTotal(policy), MostTotal(policy));
  const Weights weights = WeightsOf(policy);
  const double share = static_cast<double>(weights.primary) / (weights.primary + weights.secondary);
  // The secondary group must be able to hold the rest.
  const int least = std::max(policy.primary.min, total - policy.secondary.max);
  const int most = std::min(policy.primary.max, total - policy.secondary.min);
  const int primary = std::clamp(static_cast<int>(std::lround(total * share)), least, most);
  return {primary, total - primary};
}

Sizes Bounded(const Policy& policy, const Sizes& sizes) {
  const auto bounded = [](int size, const Bounds& bounds) { return std::clamp(size, bounds.min, bounds.max); };
  return {bounded(sizes.primary, policy.primary), bounded(sizes.secondary, policy.secondary)};
}

}  // namespace howdah::autoscale
