#include <gtest/gtest.h>

#include "howdah/testing/autoscale_sim/run_seed.h"

namespace howdah::testing::autoscale_sim {
namespace {

// One seed, because a seed takes 13 s with sanitizers.
TEST(RunSeed, RepeatedRunGivesTheSameDigest) {
  const SeedResult once = RunSeed(1), again = RunSeed(1);
  EXPECT_FALSE(once.violation);
  EXPECT_EQ(once.digest, again.digest);
  EXPECT_EQ(once.coverage, again.coverage);
  EXPECT_GT(once.jobs, 0);
}

}  // namespace
}  // namespace howdah::testing::autoscale_sim
