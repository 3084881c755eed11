#include "published.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn::client {
namespace {

using std::chrono::minutes;

autoscale::Publication TwoGroups() {
  const autoscale::NodeShape shape{{12288, 4, 1, {{"example.com/fpga", 2}}}, "gpu"};
  return {.published = Instant(std::chrono::hours(1)),
          .groups = {{autoscale::Group::kPrimary, 10, 8, shape}, {autoscale::Group::kSecondary, 5, 5, std::nullopt}}};
}

ClusterFacts Added(const Result<autoscale::Publication>& published, Duration age) {
  ClusterFacts facts;
  AddGrowth(published, TwoGroups().published + age, facts);
  return facts;
}

TEST(Published, NodesOfKnownSizeMayBeAdded) {
  const ClusterFacts facts = Added(TwoGroups(), minutes(1));
  ASSERT_EQ(facts.growth.size(), 1u);
  EXPECT_EQ(facts.growth[0].label, "gpu");
  EXPECT_EQ(facts.growth[0].count, 8);
  EXPECT_EQ(facts.growth[0].node,
            (hadoop::yarn::Resource{12288, 4, {{hadoop::yarn::kGpu, 1}, {"example.com/fpga", 2}}}));
  EXPECT_EQ(facts.no_growth, "");
}

TEST(Published, AnAutoscalerThatDoesNotRunAddsNothing) {
  const ClusterFacts facts = Added(TwoGroups(), minutes(11));
  EXPECT_TRUE(facts.growth.empty());
  EXPECT_EQ(facts.no_growth,
            "the autoscaler of this cluster has published nothing for 11m00s, so no nodes will be added");
}

TEST(Published, AFileThatCannotBeReadIsNamed) {
  const ClusterFacts facts = Added(Failed("/a.json: no such file"), minutes(1));
  EXPECT_TRUE(facts.growth.empty());
  EXPECT_EQ(facts.no_growth, "the file of the autoscaler cannot be read: /a.json: no such file");
}

}  // namespace
}  // namespace howdah::backend::yarn::client
