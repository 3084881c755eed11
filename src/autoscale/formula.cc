#include "howdah/autoscale/formula.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "rounding.h"

namespace howdah::autoscale {
namespace {

double Delta(double pending, double available, double of_node) {
  return of_node > 0 ? (pending - available) / of_node : 0;
}

int ChangeFor(const Policy& policy, double delta) {
  if (delta > 0) return static_cast<int>(std::ceil(delta * policy.up_factor - kRounding));
  return -static_cast<int>(std::floor(-delta * policy.down_factor + kRounding));
}

Verdict VerdictOf(const Sizes& current, const Sizes& wanted) {
  const bool grows = wanted.primary > current.primary || wanted.secondary > current.secondary;
  const bool shrinks = wanted.primary < current.primary || wanted.secondary < current.secondary;
  if (grows && shrinks) return Verdict::kMixed;
  if (grows) return Verdict::kScaleUp;
  return shrinks ? Verdict::kScaleDown : Verdict::kNoScale;
}

}  // namespace

Sample Average(const std::vector<Sample>& samples, Instant end) {
  Sample average;
  average.at = end;
  const double whole = std::chrono::duration<double>(end - samples.front().at).count();
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    const Instant until = i + 1 < samples.size() ? samples[i + 1].at : end;
    const double share = whole > 0 ? std::chrono::duration<double>(until - sample.at).count() / whole
                                   : 1.0 / static_cast<double>(samples.size());
    average.pending_mib += share * sample.pending_mib;
    average.available_mib += share * sample.available_mib;
    average.pending_vcores += share * sample.pending_vcores;
    average.available_vcores += share * sample.available_vcores;
  }
  return average;
}

Recommendation Recommend(const Policy& policy, const Sample& average, const NodeSize& node, const Sizes& current,
                         bool cores) {
  Recommendation result;
  result.delta = Delta(average.pending_mib, average.available_mib, node.memory_mib);
  const double of_cores = Delta(average.pending_vcores, average.available_vcores, node.vcores);
  if (cores && of_cores > result.delta) {
    result.delta = of_cores;
    result.metric = Metric::kCores;
  }
  result.change = ChangeFor(policy, result.delta);
  const int total = current.total();
  const double fraction = result.change > 0 ? policy.up_fraction : policy.down_fraction;
  const bool ignored = std::abs(result.change) < fraction * total - kRounding;
  const int wanted = ignored ? total : total + result.change;
  const int bounded = std::clamp(wanted, LeastTotal(policy), MostTotal(policy));
  if (bounded > wanted) result.constraint = Constraint::kMinimum;
  if (bounded < wanted) result.constraint = Constraint::kMaximum;
  result.sizes = bounded == total && Bounded(policy, current) == current ? current : Divide(policy, bounded);
  result.verdict = VerdictOf(current, result.sizes);
  return result;
}

}  // namespace howdah::autoscale
