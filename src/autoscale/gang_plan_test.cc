#include "howdah/autoscale/gang_plan.h"

#include <gmock/gmock.h>

namespace howdah::autoscale {
namespace {

using admission::Resources;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kGibInMib = 1024;

Resources Size(int64_t gib, int64_t vcores = 1, int64_t gpus = 0) { return {gib * kGibInMib, vcores, gpus, {}}; }

admission::Node Empty(const std::string& name, const Resources& size) { return {name, size, size}; }
admission::Node Full(const std::string& name, const Resources& size) { return {name, size, {}}; }

Wanted Gang(const std::string& id, std::vector<admission::Tasks> tasks, const std::string& queue = "q") {
  return {.id = id, .queue = queue, .tasks = std::move(tasks)};
}

Offer Primary(const Resources& size, int most, double cost = 1) { return {Group::kPrimary, {size, ""}, cost, most}; }
Offer Secondary(const Resources& size, int most, double cost = 1) {
  return {Group::kSecondary, {size, ""}, cost, most};
}

TEST(GangPlan, ShapesDecideNotSums) {
  // 64 tasks of one GPU and 20 GiB look like six nodes of 240 GiB. They need sixteen nodes of four GPUs.
  const GangPlan plan = PlanGangs({Gang("j1", {{64, Size(20, 1, 1)}})}, {}, {Primary(Size(240, 64, 4), 100)}, 1);
  EXPECT_EQ(plan.add, (Sizes{16, 0}));
  EXPECT_THAT(plan.served, ElementsAre("j1"));
}

TEST(GangPlan, FreeRoomInSmallPiecesIsNotRoomForAGang) {
  // 17 GiB are available in pieces of 2 GiB or less, and 10 GiB are pending: Dataproc's rule adds nothing.
  Partition partition;
  for (int i = 0; i < 9; ++i) partition.nodes.push_back({"n" + std::to_string(i), Size(12, 4), Size(i == 8 ? 1 : 2)});
  const GangPlan plan =
      PlanGangs({Gang("j1", {{2, Size(4)}, {1, Size(2)}})}, {{"", partition}}, {Primary(Size(12, 4), 5)}, 1);
  EXPECT_EQ(plan.add, (Sizes{1, 0}));
  EXPECT_THAT(plan.used, ElementsAre("n0")) << "the small task fits into a piece";
}

TEST(GangPlan, GangThatFitsAddsNothingAndKeepsItsNodes) {
  Partition partition;
  partition.nodes = {Empty("a", Size(12, 4)), Empty("b", Size(12, 4)), Empty("c", Size(12, 4))};
  const GangPlan plan = PlanGangs({Gang("j1", {{2, Size(8)}})}, {{"", partition}}, {Primary(Size(12, 4), 5)}, 1);
  EXPECT_EQ(plan.add, Sizes());
  EXPECT_EQ(plan.used.size(), 2U);
}

TEST(GangPlan, CheapestGroupThatHoldsATaskIsUsed) {
  const std::vector<Offer> offers = {Primary(Size(12, 4), 10, 0.75), Secondary(Size(6, 4), 10, 0.22)};
  EXPECT_EQ(PlanGangs({Gang("j1", {{2, Size(4)}})}, {}, offers, 1).add, (Sizes{0, 2}));
  EXPECT_EQ(PlanGangs({Gang("j1", {{2, Size(8)}})}, {}, offers, 1).add, (Sizes{2, 0}));
  const std::vector<Offer> no_secondary = {Primary(Size(12, 4), 10, 0.75), Secondary(Size(6, 4), 0, 0.22)};
  EXPECT_EQ(PlanGangs({Gang("j1", {{2, Size(4)}})}, {}, no_secondary, 1).add, (Sizes{1, 0}))
      << "the other group is used";
}

TEST(GangPlan, GangAboveTheMaximumAddsNothingAndIsNamed) {
  const GangPlan plan =
      PlanGangs({Gang("large", {{12, Size(8)}}), Gang("small", {{1, Size(8)}})}, {}, {Primary(Size(12, 4), 10)}, 1);
  EXPECT_EQ(plan.add, (Sizes{1, 0})) << "the job behind it is served";
  ASSERT_EQ(plan.unserved.size(), 1U);
  EXPECT_EQ(plan.unserved[0].id, "large");
  EXPECT_THAT(plan.unserved[0].reason,
              HasSubstr("of which 2 × 8 GiB, 1 vcore do not fit even with the most nodes that may be ordered now"));
  const GangPlan no_gpu = PlanGangs({Gang("gpu", {{1, Size(8, 1, 1)}})}, {}, {Primary(Size(12, 4), 10)}, 1);
  EXPECT_THAT(no_gpu.unserved[0].reason,
              HasSubstr("no group that may grow has a node that holds 8 GiB, 1 vcore, 1 GPU"));
}

TEST(GangPlan, PartOfTheNodesIsOrderedForWholeGangsButNeverLessThanTheFirstNeeds) {
  const std::vector<Wanted> wanted = {Gang("a", {{3, Size(8)}}), Gang("b", {{2, Size(8)}}), Gang("c", {{5, Size(8)}})};
  const struct {
    double factor;
    int nodes;
  } cases[] = {{1.0, 10}, {0.99, 10}, {0.9, 5}, {0.5, 5}, {0.4, 3}, {0.1, 3}, {0, 0}};
  for (const auto& c : cases) {
    EXPECT_EQ(PlanGangs(wanted, {}, {Primary(Size(12, 4), 20)}, c.factor).add.total(), c.nodes) << c.factor;
  }
}

TEST(GangPlan, LabelsAreSeparate) {
  Partition gpu;
  gpu.nodes = {Empty("g", Size(12, 4, 1))};
  Wanted plain = Gang("plain", {{1, Size(8)}});
  Wanted labelled = Gang("gpu", {{2, Size(8, 1, 1)}});
  labelled.label = "gpu";
  const std::vector<Offer> offers = {Primary(Size(12, 4), 5), {Group::kSecondary, {Size(12, 4, 1), "gpu"}, 1, 5}};
  EXPECT_EQ(PlanGangs({plain, labelled}, {{"gpu", gpu}}, offers, 1).add, (Sizes{1, 1}));
}

TEST(GangPlan, DrainsAreCancelledBeforeNodesAreOrdered) {
  Partition partition;
  partition.nodes = {Full("a", Size(12, 4))};
  partition.draining = {Empty("b", Size(12, 4)), Empty("c", Size(12, 4))};
  const GangPlan plan = PlanGangs({Gang("j1", {{3, Size(8)}})}, {{"", partition}}, {Primary(Size(12, 4), 5)}, 1);
  EXPECT_THAT(plan.cancel, ElementsAre("b", "c"));
  EXPECT_EQ(plan.add, (Sizes{1, 0}));
}

TEST(GangPlan, PendingContainersOfOthersAreServedOneByOne) {
  Wanted pods = Gang("spark", {{30, Size(8)}});
  pods.whole = false;
  const GangPlan plan = PlanGangs({pods}, {}, {Primary(Size(12, 4), 10)}, 1);
  EXPECT_EQ(plan.add, (Sizes{10, 0})) << "as many as the policy allows";
  EXPECT_THAT(plan.unserved, IsEmpty());
}

TEST(GangPlan, NodesAreAddedUntilTheShareForApplicationMastersSuffices) {
  // The scheduler does not count vcores. Two nodes of 12 GiB have room, but AMs may use 10 % of the memory, and one of
  // 2 GiB runs. A second one needs 40 GiB.
  Partition partition;
  partition.nodes = {Empty("a", Size(12, 4)), Empty("b", Size(12, 4))};
  partition.queues["q"] = {.most = 1, .most_ams = 0.1, .used = Size(2, 0), .used_by_ams = Size(2, 0)};
  Wanted gang = Gang("j1", {{1, Size(4, 0)}, {1, Size(2, 0)}});
  gang.am = Size(2, 0);
  EXPECT_EQ(PlanGangs({gang}, {{"", partition}}, {Primary(Size(12, 4), 10)}, 1).add, (Sizes{2, 0}));
  const GangPlan named = PlanGangs({gang}, {{"", partition}}, {Primary(Size(12, 4), 1)}, 1);
  EXPECT_EQ(named.add, Sizes()) << "the node would be useless";
  EXPECT_THAT(named.unserved[0].reason, HasSubstr("the application masters of the queue 'q' may use at most 10 %"));
}

TEST(GangPlan, TheShareForApplicationMastersIsRoundedUp) {
  // AMs may use 5 %, of six nodes 1.2 vcores, which YARN rounds up to 2.
  Partition partition;
  partition.nodes = {Empty("a", Size(12, 4)), Empty("b", Size(12, 4))};
  partition.queues["q"] = {
      .most = 0.5, .most_ams = 0.05, .used = Size(2, 2), .used_by_ams = Size(1, 1), .unit = Size(1, 1)};
  Wanted gang = Gang("j1", {{1, Size(1, 1)}, {1, Size(1, 1)}});
  gang.am = Size(1, 1);
  EXPECT_EQ(PlanGangs({gang}, {{"", partition}}, {Primary(Size(12, 4), 10)}, 1).add, (Sizes{4, 0}));
  EXPECT_EQ(PlanGangs({gang}, {{"", partition}}, {Primary(Size(12, 4), 3)}, 1).add, Sizes());
}

TEST(GangPlan, NodesAreAddedUntilTheQueueMayUseThem) {
  Partition partition;
  partition.nodes = {Empty("a", Size(12, 4)), Empty("b", Size(12, 4))};
  partition.queues["q"] = {.most = 0.5};
  // 16 GiB are half of 32 GiB.
  EXPECT_EQ(PlanGangs({Gang("j1", {{2, Size(8)}})}, {{"", partition}}, {Primary(Size(12, 4), 10)}, 1).add,
            (Sizes{1, 0}));
  const GangPlan named = PlanGangs({Gang("j1", {{2, Size(8)}})}, {{"", partition}}, {}, 1);
  EXPECT_THAT(named.unserved[0].reason, HasSubstr("the queue 'q' may use at most 50 % of the cluster"));
}

}  // namespace
}  // namespace howdah::autoscale
