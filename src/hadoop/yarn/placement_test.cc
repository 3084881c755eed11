#include "howdah/hadoop/yarn/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/hadoop/yarn/allocation.h"
#include "test_attempt.h"

namespace howdah::hadoop::yarn {
namespace {

using testing::ElementsAre;

constexpr Instant kBegin{std::chrono::seconds(1000)};
constexpr int kPs = 0, kWorker = 1;

TEST(Placement, ConditionsOnAttributes) {
  const NodeAttributes node = {
      {"rm.yarn.io/gen", "v100"}, {"nm.yarn.io/disk", "ssd"}, {"nm.yarn.io/gen", "k80"}, {"x.org/zone", "a"}};
  const struct {
    AttributeCondition condition;
    bool met;
  } rows[] = {
      {{"gen", {"v100"}}, true},
      {{"gen", {"a100", "v100"}}, true},
      {{"gen", {"k80"}}, false},  // rm.yarn.io takes precedence
      {{"nm.yarn.io/gen", {"k80"}}, true},
      {{"disk", {"ssd"}}, true},
      {{"zone", {"a"}}, false},
      {{"x.org/zone", {"a"}}, true},
      {{"os", {"rhel7"}}, false},
      {{"os", {"rhel7"}, true}, true},
      {{"gen", {"v100"}, true}, false},
      {{"gen", {"a100"}, true}, true},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Meets(node, {row.condition}), row.met) << row.condition.name << " " << row.condition.values.front();
  }
  EXPECT_TRUE(Meets(node, {}));
  EXPECT_FALSE(Meets(node, {rows[0].condition, rows[2].condition}));
}

// An allocation on the nodes node1 and node3 in the rack /odd, and node2 and node4 in the rack /even. Node1 and node2
// are of the generation v100.
class PlacementTest : public testing::Test {
 protected:
  PlacementTest() {
    std::vector<KnownNode> nodes;
    for (int i = 1; i <= 4; ++i) {
      nodes.push_back({"node" + std::to_string(i),
                       i % 2 ? "/odd" : "/even",
                       "",
                       {8192, 8, {}},
                       {{"rm.yarn.io/gen", i <= 2 ? "v100" : "a100"}}});
    }
    allocation_.SetNodes(std::move(nodes));
  }

  void Ask(int key, int count, Placement placement) {
    allocation_.Ask(key, {.resource = {1024, 1, {}}, .placement = std::move(placement)}, count);
  }
  // The rows of the next request for the key: "*:2! /odd:2! node1:2". A strict row ends with "!".
  std::string Rows(int key) {
    std::string text;
    for (const auto& ask : allocation_.Request(kBegin).ask()) {
      if (ask.allocation_request_id() != key) continue;
      text += (text.empty() ? "" : " ") + ask.resource_name() + ":" + std::to_string(ask.num_containers()) +
              (ask.relax_locality() ? "" : "!");
    }
    return text;
  }
  // Grants a container of the key on each of the hosts, and returns the hosts on which the grant was accepted.
  std::vector<std::string> Grant(int key, const std::vector<std::string>& hosts) {
    ::hadoop::yarn::AllocateResponseProto response;
    response.set_response_id(++response_id_);
    for (const std::string& host : hosts) {
      auto& container = *response.add_allocated_containers();
      *container.mutable_id() = ToProto(ContainerId{kAttempt, ++container_});
      *container.mutable_nodeid() = ToProto(NodeId{host, 45454});
      container.set_allocation_request_id(key);
    }
    std::vector<std::string> accepted;
    for (const auto& granted : allocation_.Apply(response).granted) accepted.push_back(granted.node);
    return accepted;
  }
  void End(int64_t container) {
    ::hadoop::yarn::AllocateResponseProto response;
    response.set_response_id(++response_id_);
    *response.add_completed_container_statuses()->mutable_container_id() = ToProto(ContainerId{kAttempt, container});
    allocation_.Apply(response);
  }

  Allocation allocation_;

 private:
  int response_id_ = 0;
  int64_t container_ = 0;
};

TEST_F(PlacementTest, OnlyNodesWithTheAttributesAreRequested) {
  Ask(kWorker, 2, {.attributes = {{"gen", {"v100"}}}});
  EXPECT_EQ(Rows(kWorker), "*:2! /even:2! /odd:2! node1:2 node2:2");
  EXPECT_THAT(Grant(kWorker, {"node3", "node9", "node2"}), ElementsAre("node2"));
  EXPECT_EQ(Rows(kWorker), "*:1! /even:1! /odd:1! node1:1 node2:1");
}

TEST_F(PlacementTest, NearWaitsForTheOtherRole) {
  Ask(kPs, 1, {});
  Ask(kWorker, 2, {.near = {kPs}});
  EXPECT_EQ(Rows(kWorker), "*:2!");
  EXPECT_THAT(Grant(kPs, {"node3"}), ElementsAre("node3"));
  EXPECT_EQ(Rows(kWorker), "*:2! /odd:2! node3:2");
  EXPECT_THAT(Grant(kWorker, {"node1", "node3"}), ElementsAre("node3"));
}

TEST_F(PlacementTest, ApartExcludesTheNodesOfTheOtherRole) {
  Ask(kPs, 1, {.apart = {kWorker}});
  Ask(kWorker, 1, {.apart = {kPs}});
  EXPECT_EQ(Rows(kWorker), "*:1! /even:1! /odd:1! node1:1 node2:1 node3:1 node4:1");
  EXPECT_THAT(Grant(kPs, {"node1"}), ElementsAre("node1"));
  EXPECT_EQ(Rows(kWorker), "*:1! /even:1! /odd:1! node1:0 node2:1 node3:1 node4:1");
  EXPECT_THAT(Grant(kWorker, {"node1"}), ElementsAre());
  End(1);
  EXPECT_EQ(Rows(kWorker), "*:1! /even:1! /odd:1! node1:1 node2:1 node3:1 node4:1");
}

TEST_F(PlacementTest, RoleApartFromItselfHasOneContainerPerNode) {
  Ask(kWorker, 3, {.attributes = {{"gen", {"v100"}}}, .apart = {kWorker}});
  EXPECT_EQ(Rows(kWorker), "*:3! /even:3! /odd:3! node1:1 node2:1");
  EXPECT_THAT(Grant(kWorker, {"node1", "node1", "node2"}), ElementsAre("node1", "node2"));
  EXPECT_EQ(Rows(kWorker), "*:1! /even:0 /odd:0 node1:0 node2:0");
  End(1);
  EXPECT_EQ(Rows(kWorker), "*:1! /odd:1! node1:1");
}

TEST_F(PlacementTest, RackHasAtMostTheAllowedNumber) {
  Ask(kWorker, 4, {.max_per_rack = 1});
  EXPECT_EQ(Rows(kWorker), "*:4! /even:4! /odd:4! node1:1 node2:1 node3:1 node4:1");
  EXPECT_THAT(Grant(kWorker, {"node1", "node3", "node4"}), ElementsAre("node1", "node4"));
  EXPECT_EQ(Rows(kWorker), "*:2! /even:0 /odd:0 node1:0 node2:0 node3:0 node4:0");
  End(1);
  EXPECT_EQ(Rows(kWorker), "*:2! /odd:2! node1:1 node3:1");
}

TEST_F(PlacementTest, StrictLocalityAndPlacementHoldTogether) {
  allocation_.Ask(
      kWorker,
      {.resource = {1024, 1, {}}, .racks = {"/odd"}, .strict = true, .placement = {.attributes = {{"gen", {"v100"}}}}},
      1);
  EXPECT_EQ(Rows(kWorker), "*:1! /odd:1! node1:1");
}

TEST_F(PlacementTest, NewNodeIsRequestedWhenItsAttributesAreKnown) {
  Ask(kWorker, 1, {.attributes = {{"gen", {"h100"}}}});
  EXPECT_EQ(Rows(kWorker), "*:1!");
  Grant(kWorker, {});
  allocation_.SetNodes({{"node5", "/odd", "", {8192, 8, {}}, {{"rm.yarn.io/gen", "h100"}}}});
  EXPECT_EQ(Rows(kWorker), "*:1! /odd:1! node5:1");
}

TEST_F(PlacementTest, AllowedNodesAreCountedAmongTheSuitableOnes) {
  Ask(kPs, 2, {});
  Grant(kPs, {"node1", "node2"});
  const Resource small{1024, 1, {}};
  const struct {
    Shape shape;
    KnownNodes::Count count;
  } rows[] = {
      {{.resource = small}, {4, 4}},
      {{.resource = {10000, 1, {}}}, {0, 0}},
      {{.resource = small, .label = "gpu"}, {0, 0}},
      {{.resource = small, .nodes = {"node1"}, .racks = {"/even"}}, {4, 4}},
      {{.resource = small, .nodes = {"node1"}, .racks = {"/even"}, .strict = true}, {3, 3}},
      {{.resource = small, .placement = {.near = {kPs}}}, {4, 2}},
      {{.resource = small, .placement = {.apart = {kPs}}}, {4, 2}},
      {{.resource = small, .placement = {.attributes = {{"gen", {"a100"}}}, .near = {kPs}}}, {4, 0}},
  };
  for (const auto& row : rows) {
    const KnownNodes::Count count = allocation_.nodes().CountFor(kWorker, row.shape);
    EXPECT_EQ(count, row.count) << "row " << &row - rows << ": " << count.allowed << " of " << count.suitable;
  }
  EXPECT_EQ(allocation_.nodes().CountFor(kPs, {.resource = small, .max_per_node = 1}), (KnownNodes::Count{4, 2}));
  End(2);
  EXPECT_EQ(allocation_.nodes().CountFor(kPs, {.resource = small, .max_per_node = 1}), (KnownNodes::Count{4, 3}));
}

}  // namespace
}  // namespace howdah::hadoop::yarn
