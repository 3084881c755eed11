// The worked examples of Dataproc's documentation, of our contract for the autoscaler, and of observed clusters.
#include "howdah/autoscale/formula.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "howdah/autoscale/policy.h"

namespace howdah::autoscale {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

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
    Verdict verdict;
    Constraint constraint;
  } cases[] = {
      {50, 0, 6.4, 20, 1.0, 0.0, 7.8125, 8, Verdict::kScaleUp, Constraint::kNone},
      {50, 0, 6.4, 20, 0.5, 0.0, 7.8125, 4, Verdict::kScaleUp, Constraint::kNone},
      {50, 0, 6.4, 20, 0.5, 0.3, 7.8125, 4, Verdict::kNoScale, Constraint::kNone},
      {6, 22, 12, 2, 1.0, 0.0, -16.0 / 12, -1, Verdict::kNoScale, Constraint::kMinimum},
      {10, 17, 12, 10, 1.0, 0.0, -7.0 / 12, 0, Verdict::kNoScale, Constraint::kNone},
      {0, 0, 12, 10, 1.0, 0.0, 0, 0, Verdict::kNoScale, Constraint::kNone},
      {0, 60, 12, 10, 1.0, 0.0, -5, -5, Verdict::kScaleDown, Constraint::kNone},
      {12000, 0, 12, 500, 1.0, 0.0, 1000, 1000, Verdict::kScaleUp, Constraint::kMaximum},
  };
  for (const auto& c : cases) {
    Policy policy = Valid();
    policy.up_factor = c.up;
    policy.up_fraction = c.up_fraction;
    const Sample average{{}, c.pending_gib * kGib, c.available_gib * kGib, 0, 0};
    const Recommendation got = Recommend(policy, average, {c.node_gib * kGib, 4}, {c.workers, 0}, /*cores=*/false);
    EXPECT_DOUBLE_EQ(got.delta, c.delta);
    EXPECT_EQ(got.change, c.change) << c.delta;
    EXPECT_EQ(got.verdict, c.verdict) << c.delta;
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
  EXPECT_EQ(with.verdict, Verdict::kScaleUp);
  const Recommendation without = Recommend(Valid(), average, {12 * kGib, 4}, {2, 0}, /*cores=*/false);
  EXPECT_NEAR(without.delta, 2.42, 0.01);
  EXPECT_EQ(without.metric, Metric::kMemory);
  EXPECT_EQ(without.change, 3);
}

TEST(Formula, ClusterOutsideItsBoundsIsCorrected) {
  Policy policy = Valid();
  policy.primary = {4, 10, std::nullopt};
  const Recommendation up = Recommend(policy, {}, {kGib, 1}, {2, 0}, false);
  EXPECT_EQ(up.verdict, Verdict::kScaleUp);
  EXPECT_EQ(up.sizes, (Sizes{4, 0}));
  const Recommendation down = Recommend(policy, {}, {kGib, 1}, {12, 0}, false);
  EXPECT_EQ(down.verdict, Verdict::kScaleDown);
  EXPECT_EQ(down.sizes, (Sizes{10, 0}));
  policy.secondary = {0, 10, std::nullopt};
  const Recommendation mixed = Recommend(policy, {}, {kGib, 1}, {12, 0}, false);
  EXPECT_EQ(mixed.verdict, Verdict::kMixed);
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
    Bounds primary, secondary;
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

TEST(Division, BoundedKeepsEachGroupWithinItsBounds) {
  Policy policy = Valid();
  policy.primary = {2, 5, std::nullopt};
  policy.secondary = {1, 3, std::nullopt};
  EXPECT_EQ(Bounded(policy, {0, 9}), (Sizes{2, 3}));
  EXPECT_EQ(Bounded(policy, {4, 2}), (Sizes{4, 2}));
}

// A second implementation of the published rule, in another form: with exact fractions of thousandths.
int ChangeOf(int64_t pending, int64_t available, int64_t node, int up_thousandths, int down_thousandths) {
  const int64_t missing = pending - available;
  if (missing > 0) {
    const int64_t numerator = missing * up_thousandths, denominator = node * 1000;
    return static_cast<int>((numerator + denominator - 1) / denominator);
  }
  return -static_cast<int>(-missing * down_thousandths / (node * 1000));
}

TEST(Formula, AgreesWithASecondImplementationOnRandomWindows) {
  std::mt19937_64 random(1);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<uint64_t>(high - low + 1));
  };
  for (int i = 0; i < 100'000; ++i) {
    const int64_t pending = between(0, 1'000'000), available = between(0, 1'000'000), node = between(1, 300'000);
    const int up = between(0, 1000), down = between(0, 1000), workers = between(2, 500);
    Policy policy = Valid();
    policy.up_factor = up / 1000.0;
    policy.down_factor = down / 1000.0;
    policy.primary = {2, 10'000'000, std::nullopt};
    const Sample average{{}, static_cast<double>(pending), static_cast<double>(available), 0, 0};
    const Recommendation got = Recommend(policy, average, {static_cast<double>(node), 1}, {workers, 0}, false);
    const int change = ChangeOf(pending, available, node, up, down);
    ASSERT_EQ(got.change, change) << pending << " " << available << " " << node << " " << up << " " << down;
    ASSERT_EQ(got.sizes, (Sizes{std::max(workers + change, 2), 0}));
  }
}

}  // namespace
}  // namespace howdah::autoscale
