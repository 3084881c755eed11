// The worked examples of Dataproc's documentation, of our contract for the autoscaler, and of observed clusters.
#include <gmock/gmock.h>

#include "howdah/autoscale/formula.h"
#include "howdah/autoscale/policy.h"

namespace howdah::autoscale {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kGib = 1024;

Policy Valid() {
  Policy policy;
  policy.drain = minutes(15);
  policy.up_factor = policy.down_factor = 1;
  policy.primary = {2, 1000, std::nullopt};
  return policy;
}

TEST(Formula, WorkedExamples) {
  const struct {
    double pending_gib, available_gib, node_gib;
    int workers;
    double up, up_fraction;
    double delta;
    int change;
    Decision decision;
    Constraint constraint;
  } cases[] = {
      {50, 0, 6.4, 20, 1.0, 0.0, 7.8125, 8, Decision::kScaleUp, Constraint::kNone},
      {50, 0, 6.4, 20, 0.5, 0.0, 7.8125, 4, Decision::kScaleUp, Constraint::kNone},
      {50, 0, 6.4, 20, 0.5, 0.3, 7.8125, 4, Decision::kNoScale, Constraint::kNone},
      {6, 22, 12, 2, 1.0, 0.0, -16.0 / 12, -1, Decision::kNoScale, Constraint::kMinimum},
      {10, 17, 12, 10, 1.0, 0.0, -7.0 / 12, 0, Decision::kNoScale, Constraint::kNone},
      {0, 0, 12, 10, 1.0, 0.0, 0, 0, Decision::kNoScale, Constraint::kNone},
      {0, 60, 12, 10, 1.0, 0.0, -5, -5, Decision::kScaleDown, Constraint::kNone},
      {12000, 0, 12, 500, 1.0, 0.0, 1000, 1000, Decision::kScaleUp, Constraint::kMaximum},
  };
  for (const auto& c : cases) {
    Policy policy = Valid();
    policy.up_factor = c.up;
    policy.up_fraction = c.up_fraction;
    const Sample average{{}, c.pending_gib * kGib, c.available_gib * kGib, 0, 0};
    const Recommendation got = Recommend(policy, average, {c.node_gib * kGib, 4}, {c.workers, 0}, /*cores=*/false);
    EXPECT_DOUBLE_EQ(got.delta, c.delta);
    EXPECT_EQ(got.change, c.change) << c.delta;
    EXPECT_EQ(got.decision, c.decision) << c.delta;
    EXPECT_EQ(got.constraint, c.constraint) << c.delta;
  }
}

TEST(Formula, FactorsRoundUpWhenNodesAreAddedAndDownWhenTheyAreRemoved) {
  const struct {
    double delta, up, down;
    int change;
  } cases[] = {{0.5, 0.5, 1, 1},  {-1.5, 1, 0.5, 0}, {-5, 1, 0.5, -2}, {30, 0.1, 1, 3},
               {-30, 1, 0.1, -3}, {-5, 1, 0, 0},     {5, 0, 1, 0}};
  for (const auto& c : cases) {
    Policy policy = Valid();
    policy.up_factor = c.up;
    policy.down_factor = c.down;
    const Sample average{{}, std::max(c.delta, 0.0) * kGib, std::max(-c.delta, 0.0) * kGib, 0, 0};
    EXPECT_EQ(Recommend(policy, average, {kGib, 1}, {100, 0}, false).change, c.change) << c.delta;
  }
}

TEST(Formula, CoresDecideIfMoreNodesAreMissing) {
  const Sample average{{}, 38.5 * kGib, 9.5 * kGib, 13, 0};
  const Recommendation with = Recommend(Valid(), average, {12 * kGib, 4}, {2, 0}, /*cores=*/true);
  EXPECT_DOUBLE_EQ(with.delta, 3.25);
  EXPECT_EQ(with.metric, Metric::kCores);
  EXPECT_EQ(with.change, 4);
  EXPECT_EQ(with.decision, Decision::kScaleUp);
  const Recommendation without = Recommend(Valid(), average, {12 * kGib, 4}, {2, 0}, /*cores=*/false);
  EXPECT_NEAR(without.delta, 2.42, 0.01);
  EXPECT_EQ(without.metric, Metric::kMemory);
  EXPECT_EQ(without.change, 3);
}

TEST(Formula, ClusterOutsideItsBoundsIsCorrected) {
  Policy policy = Valid();
  policy.primary = {4, 10, std::nullopt};
  const Recommendation up = Recommend(policy, {}, {kGib, 1}, {2, 0}, false);
  EXPECT_EQ(up.decision, Decision::kScaleUp);
  EXPECT_EQ(up.sizes, (Sizes{4, 0}));
  const Recommendation down = Recommend(policy, {}, {kGib, 1}, {12, 0}, false);
  EXPECT_EQ(down.decision, Decision::kScaleDown);
  EXPECT_EQ(down.sizes, (Sizes{10, 0}));
  policy.secondary = {0, 10, std::nullopt};
  const Recommendation mixed = Recommend(policy, {}, {kGib, 1}, {12, 0}, false);
  EXPECT_EQ(mixed.decision, Decision::kMixed);
  EXPECT_EQ(mixed.sizes, (Sizes{6, 6}));
}

TEST(Formula, AveragesAreWeightedByTime) {
  const Instant begin{seconds(1'000'000)};
  const std::vector<Sample> samples = {{begin, 100, 0, 10, 0}, {begin + seconds(30), 0, 50, 0, 5}};
  const Sample average = Average(samples, begin + seconds(120));
  EXPECT_DOUBLE_EQ(average.pending_mib, 25);
  EXPECT_DOUBLE_EQ(average.available_mib, 37.5);
  EXPECT_DOUBLE_EQ(average.pending_vcores, 2.5);
  EXPECT_DOUBLE_EQ(average.available_vcores, 3.75);
  EXPECT_DOUBLE_EQ(Average({samples.front()}, begin).pending_mib, 100) << "a window without a duration";
}

TEST(Division, BoundsTakePrecedenceOverWeights) {
  const struct {
    Group primary, secondary;
    int total;
    Sizes expected;
  } cases[] = {
      {{2, 100, 2}, {0, 100, 1}, 9, {6, 3}},
      {{2, 100, 50}, {0, 0, 50}, 10, {10, 0}},
      {{2, 100, std::nullopt}, {0, 100, std::nullopt}, 10, {5, 5}},
      {{2, 100, 1}, {0, 100, std::nullopt}, 10, {10, 0}},
      {{2, 100, std::nullopt}, {0, 100, 1}, 10, {2, 8}},
      {{2, 4, 1}, {0, 100, 1}, 10, {4, 6}},
      {{2, 100, 1}, {6, 100, 1}, 10, {4, 6}},
      {{2, 4, 1}, {0, 3, 1}, 10, {4, 3}},
      {{2, 4, 1}, {1, 3, 1}, 0, {2, 1}},
  };
  for (const auto& c : cases) {
    Policy policy = Valid();
    policy.primary = c.primary;
    policy.secondary = c.secondary;
    const Sizes got = Divide(policy, c.total);
    EXPECT_EQ(got, c.expected) << got.primary << " + " << got.secondary << " of " << c.total;
  }
}

std::vector<std::string> KeysOf(const std::vector<PolicyProblem>& problems) {
  std::vector<std::string> keys;
  for (const PolicyProblem& problem : problems) {
    keys.push_back((problem.only_warning ? "warning: " : "") + problem.key + " " + problem.text);
  }
  return keys;
}

TEST(PolicyProblems, AllAreReportedAtOnce) {
  EXPECT_THAT(ProblemsOf(Valid(), ShortPeriods::kRefused), IsEmpty());
  Policy policy = Valid();
  policy.cooldown = seconds(30);
  policy.drain = std::chrono::hours(25);
  policy.up_factor = 1.5;
  policy.down_fraction = 0.6;
  policy.primary = {1, 0, -1};
  policy.secondary = {3, 2, std::nullopt};
  EXPECT_THAT(
      KeysOf(ProblemsOf(policy, ShortPeriods::kRefused)),
      ElementsAre("basicAlgorithm.cooldownPeriod must be between 2m and 1d, not 30s",
                  "basicAlgorithm.yarnConfig.gracefulDecommissionTimeout must be between 0s and 1d, not 25h",
                  "basicAlgorithm.yarnConfig.scaleUpFactor must be between 0.0 and 1.0, not 1.5",
                  "warning: basicAlgorithm.yarnConfig.scaleDownMinWorkerFraction changes of less than 60.0 % of the "
                  "cluster are never made",
                  "workerConfig.minInstances must be at least 2, not 1", "workerConfig.weight must not be negative",
                  "secondaryWorkerConfig.maxInstances must be at least minInstances, which is 3, not 2"));
}

TEST(PolicyProblems, TestsAndEmptyClustersHaveOtherBounds) {
  Policy policy = Valid();
  policy.cooldown = seconds(5);
  policy.primary.min = 0;
  policy.zero_scale = true;
  EXPECT_THAT(ProblemsOf(policy, ShortPeriods::kAllowed), IsEmpty());
  policy.primary.weight = 0;
  EXPECT_THAT(KeysOf(ProblemsOf(policy, ShortPeriods::kAllowed)),
              ElementsAre("workerConfig.weight the weights of both groups are 0"));
}

}  // namespace
}  // namespace howdah::autoscale
