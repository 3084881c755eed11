#include "howdah/autoscale/policy.h"

#include <algorithm>
#include <cmath>

namespace howdah::autoscale {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Duration kShortestPeriod = minutes(2), kLongestPeriod = hours(24);
constexpr double kHighFraction = 0.5;  // above it, only changes of more than half of the cluster are made
constexpr int kLeastPrimary = 2;

struct Weights {
  int primary, secondary;
};

Weights WeightsOf(const Policy& policy) {
  const auto primary = policy.primary.weight, secondary = policy.secondary.weight;
  if (!primary && !secondary) return {1, 1};
  return {primary.value_or(0), secondary.value_or(0)};
}

std::string NumberText(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text + "0" : text;
}

class Check {
 public:
  void Period(const char* key, Duration value, Duration least, Duration most) {
    if (value >= least && value <= most) return;
    Add(key,
        "must be between " + DurationToText(least) + " and " + DurationToText(most) + ", not " + DurationToText(value));
  }
  void Share(const char* key, double value) {
    if (value >= 0 && value <= 1) return;
    Add(key, "must be between 0.0 and 1.0, not " + NumberText(value));
  }
  void HighFraction(const char* key, double value) {
    if (value <= kHighFraction || value > 1) return;
    problems.push_back({key, "changes of less than " + NumberText(100 * value) + " % of the cluster are never made",
                        /*only_warning=*/true});
  }
  void Bounds(const char* key, const Group& group, int least) {
    if (group.min < least) {
      Add(std::string(key) + ".minInstances",
          "must be at least " + std::to_string(least) + ", not " + std::to_string(group.min));
    } else if (group.max < group.min) {
      Add(std::string(key) + ".maxInstances", "must be at least minInstances, which is " + std::to_string(group.min) +
                                                  ", not " + std::to_string(group.max));
    }
    if (group.weight.value_or(0) < 0) Add(std::string(key) + ".weight", "must not be negative");
  }
  void Add(std::string key, std::string text) { problems.push_back({std::move(key), std::move(text)}); }

  std::vector<PolicyProblem> problems;
};

}  // namespace

std::vector<PolicyProblem> ProblemsOf(const Policy& policy, ShortPeriods short_periods) {
  Check check;
  const Duration least = short_periods == ShortPeriods::kAllowed ? std::chrono::seconds(1) : kShortestPeriod;
  check.Period("basicAlgorithm.cooldownPeriod", policy.cooldown, least, kLongestPeriod);
  check.Period("basicAlgorithm.yarnConfig.gracefulDecommissionTimeout", policy.drain, Duration(0), kLongestPeriod);
  check.Share("basicAlgorithm.yarnConfig.scaleUpFactor", policy.up_factor);
  check.Share("basicAlgorithm.yarnConfig.scaleDownFactor", policy.down_factor);
  check.Share("basicAlgorithm.yarnConfig.scaleUpMinWorkerFraction", policy.up_fraction);
  check.Share("basicAlgorithm.yarnConfig.scaleDownMinWorkerFraction", policy.down_fraction);
  check.HighFraction("basicAlgorithm.yarnConfig.scaleUpMinWorkerFraction", policy.up_fraction);
  check.HighFraction("basicAlgorithm.yarnConfig.scaleDownMinWorkerFraction", policy.down_fraction);
  check.Bounds("workerConfig", policy.primary, policy.zero_scale ? 0 : kLeastPrimary);
  check.Bounds("secondaryWorkerConfig", policy.secondary, 0);
  const Weights weights = WeightsOf(policy);
  if (weights.primary == 0 && weights.secondary == 0) {
    check.Add("workerConfig.weight", "the weights of both groups are 0");
  }
  return check.problems;
}

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

}  // namespace howdah::autoscale
