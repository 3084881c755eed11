#include "howdah/hadoop/yarn/allocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_attempt.h"

namespace howdah::hadoop::yarn {
namespace {

using namespace ::hadoop::yarn;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Instant kNow{1000s};

ContainerId Id(int64_t n) { return {kAttempt, n}; }

ContainerProto Container(int64_t n, int key, const std::string& host) {
  ContainerProto container;
  *container.mutable_id() = ToProto(Id(n));
  *container.mutable_nodeid() = ToProto(NodeId{host, 45454});
  container.set_allocation_request_id(key);
  return container;
}

ContainerStatusProto Ended(int64_t n, int exit_status) {
  ContainerStatusProto status;
  *status.mutable_container_id() = ToProto(Id(n));
  status.set_exit_status(exit_status);
  return status;
}

AllocateResponseProto Response(int id, std::vector<ContainerProto> granted = {},
                               std::vector<ContainerStatusProto> completed = {}) {
  AllocateResponseProto response;
  response.set_response_id(id);
  for (auto& container : granted) *response.add_allocated_containers() = std::move(container);
  for (auto& status : completed) *response.add_completed_container_statuses() = std::move(status);
  return response;
}

// Formats the rows of one key in a request: "*:3 node1:3 /r1:3". A strict row ends with "!".
std::string Asks(const AllocateRequestProto& request, int key = 0) {
  std::string text;
  for (const auto& ask : request.ask()) {
    if (ask.allocation_request_id() != key) continue;
    text += (text.empty() ? "" : " ") + ask.resource_name() + ":" + std::to_string(ask.num_containers()) +
            (ask.relax_locality() ? "" : "!");
  }
  return text;
}

std::vector<int64_t> Releases(const AllocateRequestProto& request) {
  std::vector<int64_t> ids;
  for (const auto& id : request.release()) ids.push_back(id.id());
  return ids;
}

std::vector<KnownNode> Nodes(int n, const std::string& label = "") {
  std::vector<KnownNode> nodes;
  for (int i = 1; i <= n; ++i)
    nodes.push_back({"node" + std::to_string(i), i % 2 ? "/odd" : "/even", label, {8192, 8, {}}});
  return nodes;
}

const Shape kSmall{.resource = {1024, 1, {}}};

TEST(Allocation, AskHasAbsoluteCountsForNodesRacksAndAnywhere) {
  Allocation a;
  a.SetNodes(Nodes(3));
  EXPECT_FALSE(a.HasChanges(kNow));
  a.Ask(0, kSmall, 4);
  EXPECT_TRUE(a.HasChanges(kNow));
  const AllocateRequestProto request = a.Request(kNow);
  EXPECT_EQ(request.response_id(), 0);
  EXPECT_EQ(Asks(request), "*:4 /even:4 /odd:4 node1:4 node2:4 node3:4");
  EXPECT_EQ(request.ask(0).capability().memory(), 1024);
  EXPECT_EQ(request.ask(0).capability().virtual_cores(), 1);
  a.Apply(Response(1));
  EXPECT_FALSE(a.HasChanges(kNow));
  EXPECT_THAT(a.Request(kNow).ask(), IsEmpty());
  EXPECT_EQ(a.Request(kNow).response_id(), 1);
}

// The scheduler lowers its own count when it grants. A new count is sent only when the demand changes.
TEST(Allocation, AskAfterPartialAllocationHasTheRemainingCount) {
  Allocation a;
  a.Ask(0, kSmall, 4);
  a.Request(kNow);
  auto effects = a.Apply(Response(1, {Container(1, 0, "node1"), Container(2, 0, "node2")}));
  EXPECT_EQ(effects.granted.size(), 2u);
  EXPECT_EQ(a.outstanding(), 2);
  EXPECT_FALSE(a.HasChanges(kNow));
  a.Ask(0, kSmall, 1);
  EXPECT_EQ(Asks(a.Request(kNow)), "*:3");
}

TEST(Allocation, DifferentContainerRequestsHaveDifferentRequestIds) {
  Allocation a;
  a.Ask(0, kSmall, 1);
  a.Ask(3, {.resource = {2048, 2, {{kGpu, 1}}}, .label = "gpu"}, 2);
  const AllocateRequestProto request = a.Request(kNow);
  EXPECT_EQ(Asks(request, 0), "*:1");
  EXPECT_EQ(Asks(request, 3), "*:2");
  EXPECT_FALSE(request.ask(0).has_node_label_expression());
  EXPECT_EQ(request.ask(1).node_label_expression(), "gpu");
  EXPECT_EQ(FromProto(request.ask(1).capability()).other(kGpu), 1);
  const auto effects = a.Apply(Response(1, {Container(1, 3, "node1"), Container(2, 0, "node1")}));
  ASSERT_EQ(effects.granted.size(), 2u);
  EXPECT_EQ(effects.granted[0].shape, 3);
  EXPECT_EQ(effects.granted[1].shape, 0);
}

TEST(Allocation, RequestNamesOnlyNodesWithEnoughResources) {
  Allocation a;
  auto nodes = Nodes(2);
  nodes.push_back({"big", "/odd", "", {65536, 32, {}}});
  nodes.push_back({"labelled", "/odd", "gpu", {65536, 32, {}}});
  a.SetNodes(nodes);
  a.Ask(0, {.resource = {16384, 1, {}}}, 1);
  a.Ask(1, {.resource = {1024, 1, {}}, .label = "gpu"}, 1);
  const AllocateRequestProto request = a.Request(kNow);
  EXPECT_EQ(Asks(request, 0), "*:1 /odd:1 big:1");
  EXPECT_EQ(Asks(request, 1), "*:1 /odd:1 labelled:1");
  for (const auto& ask : request.ask())
    EXPECT_EQ(ask.has_node_label_expression(), ask.allocation_request_id() == 1 && ask.resource_name() == "*");
}

TEST(Allocation, RequestHasRowsForRequestedLocations) {
  struct Case {
    std::vector<std::string> nodes, racks;
    bool strict;
    const char* asks;
  };
  for (const Case& c :
       {Case{{"node1"}, {}, false, "*:2 /odd:2 node1:2"}, Case{{"node1"}, {}, true, "*:2! /odd:2! node1:2"},
        Case{{}, {"/even"}, true, "*:2! /even:2"}, Case{{"node1"}, {"/even"}, true, "*:2! /even:2 /odd:2! node1:2"},
        Case{{"node1", "node3"}, {"/odd"}, true, "*:2! /odd:2 node1:2 node3:2"},
        Case{{"unknown"}, {}, true, "*:2! /default-rack:2! unknown:2"}}) {
    Allocation a;
    a.SetNodes(Nodes(3));
    a.Ask(0, {.resource = {1024, 1, {}}, .nodes = c.nodes, .racks = c.racks, .strict = c.strict}, 2);
    EXPECT_EQ(Asks(a.Request(kNow)), c.asks);
  }
}

TEST(Allocation, RequestedHostMatchesItsNodesWithPorts) {
  Allocation a({.ports_in_names = true});
  a.SetNodes({{"h:1", "/r", "", {8192, 8, {}}}, {"h:2", "/r", "", {8192, 8, {}}}, {"g:1", "/r", "", {8192, 8, {}}}});
  a.Ask(0, {.resource = {1024, 1, {}}, .nodes = {"h"}, .strict = true}, 1);
  EXPECT_EQ(Asks(a.Request(kNow)), "*:1! /r:1! h:1:1 h:2:1");
  EXPECT_EQ(a.NameOf(ToProto(NodeId{"h", 2})), "h:2");
  EXPECT_EQ(Allocation().NameOf(ToProto(NodeId{"h", 2})), "h");
}

TEST(Allocation, LimitPerNodeIsNeverExceeded) {
  Allocation a;
  a.SetNodes(Nodes(2));
  a.Ask(0, {.resource = {1024, 1, {}}, .max_per_node = 1}, 3);
  EXPECT_EQ(Asks(a.Request(kNow)), "*:3! /even:3! /odd:3! node1:1 node2:1");
  auto effects = a.Apply(Response(1, {Container(1, 0, "node1"), Container(2, 0, "node1")}));
  EXPECT_EQ(effects.granted.size(), 1u);
  EXPECT_EQ(effects.surplus.size(), 1u);
  // The scheduler lowered its own count for the surplus container, too.
  AllocateRequestProto request = a.Request(kNow);
  EXPECT_EQ(Asks(request), "*:2! /even:2! /odd:2! node1:0 node2:1");
  EXPECT_THAT(Releases(request), ElementsAre(2));
  a.Apply(Response(2, {Container(3, 0, "node2")}, {Ended(2, -100)}));
  EXPECT_FALSE(a.HasChanges(kNow));
  a.Apply(Response(3, {}, {Ended(1, 0)}));
  EXPECT_EQ(Asks(a.Request(kNow)), "*:1! /even:1! /odd:1! node1:1 node2:0");
}

TEST(Allocation, CancelSendsZeroForAllRows) {
  Allocation a;
  a.SetNodes(Nodes(1));
  a.Ask(0, kSmall, 2);
  a.Request(kNow);
  a.Apply(Response(1));
  a.CancelAll();
  EXPECT_EQ(a.outstanding(), 0);
  EXPECT_EQ(Asks(a.Request(kNow)), "*:0 /odd:0 node1:0");
  a.Apply(Response(2));
  a.CancelAll();
  EXPECT_FALSE(a.HasChanges(kNow));
}

TEST(Allocation, AskMadeDuringARequestIsSentInTheNextRequest) {
  Allocation a;
  a.Ask(0, kSmall, 1);
  a.Request(kNow);
  a.Ask(0, kSmall, 2);
  EXPECT_EQ(Asks(a.Request(kNow)), "*:1");
  a.Apply(Response(1, {Container(1, 0, "node1")}));
  EXPECT_EQ(Asks(a.Request(kNow)), "*:2");
}

TEST(Allocation, SurplusContainerIsReleased) {
  Allocation a;
  a.Ask(0, kSmall, 1);
  a.Request(kNow);
  auto effects =
      a.Apply(Response(1, {Container(1, 0, "n"), Container(2, 0, "n"), Container(3, 7, "n"), Container(4, -1, "n")}));
  EXPECT_EQ(effects.granted.size(), 1u);
  EXPECT_EQ(effects.surplus.size(), 3u);
  EXPECT_THAT(Releases(a.Request(kNow)), ElementsAre(2, 3, 4));
  effects = a.Apply(Response(2, {}, {Ended(2, -100), Ended(3, -100), Ended(4, -100)}));
  EXPECT_THAT(effects.completed, IsEmpty()) << "the owner does not know them";
  EXPECT_EQ(a.held(), 1);
  AllocateResponseProto response = Response(3);  // has a container of an earlier attempt that was not adopted
  *response.add_containers_from_previous_attempts() = Container(9, 0, "n");
  effects = a.Apply(response);
  EXPECT_THAT(effects.granted, IsEmpty());
  ASSERT_EQ(effects.surplus.size(), 1u);
  EXPECT_EQ(effects.surplus[0].shape, -1);
  EXPECT_THAT(Releases(a.Request(kNow)), ElementsAre(9));
}

TEST(Allocation, ContainerGrantedAfterCancelIsReleased) {
  Allocation a;
  a.Ask(0, kSmall, 1);
  a.Request(kNow);
  a.CancelAll();
  const auto effects = a.Apply(Response(1, {Container(1, 0, "n")}));
  EXPECT_THAT(effects.granted, IsEmpty());
  const AllocateRequestProto request = a.Request(kNow);
  EXPECT_EQ(Asks(request), "*:0");
  EXPECT_THAT(Releases(request), ElementsAre(1));
}

TEST(Allocation, DuplicateGrantIsIgnored) {
  Allocation a;
  a.Ask(0, kSmall, 2);
  a.Request(kNow);
  EXPECT_EQ(a.Apply(Response(1, {Container(1, 0, "n")})).granted.size(), 1u);
  a.Request(kNow);
  const auto again = a.Apply(Response(1, {Container(1, 0, "n")}));
  EXPECT_THAT(again.granted, IsEmpty());
  EXPECT_THAT(again.surplus, IsEmpty());
  EXPECT_EQ(a.outstanding(), 1);
  a.Request(kNow);
  EXPECT_EQ(a.Apply(Response(2, {}, {Ended(1, 0), Ended(1, 0)})).completed.size(), 1u);
  a.Request(kNow);
  const auto late = a.Apply(Response(3, {Container(1, 0, "n")}, {Ended(1, 0), Ended(99, 0)}));
  EXPECT_THAT(late.granted, IsEmpty());
  EXPECT_THAT(late.completed, IsEmpty());
}

TEST(Allocation, SameRequestIsRepeatedAfterLostAnswer) {
  Allocation a;
  a.Ask(0, kSmall, 2);
  const std::string first = a.Request(kNow).SerializeAsString();
  a.Ask(0, kSmall, 5);
  a.NodeFailed("node1", kNow);
  EXPECT_EQ(a.Request(kNow + 20min).SerializeAsString(), first);
  EXPECT_TRUE(a.HasChanges(kNow));
}

TEST(Allocation, ResponseIdWrapsAroundAtMaximum) {
  Allocation a;
  a.Request(kNow);
  a.Apply(Response(0x7fffffff));
  EXPECT_EQ(a.Request(kNow).response_id(), 0x7fffffff);
  a.Apply(Response(0));
  EXPECT_EQ(a.Request(kNow).response_id(), 0);
}

TEST(Allocation, ReleasedContainerIsHeldUntilCompleted) {
  Allocation a;
  a.Ask(0, kSmall, 1);
  a.Request(kNow);
  a.Apply(Response(1, {Container(1, 0, "n")}));
  a.Release(Id(1));
  a.Release(Id(1));
  a.Release(Id(77));
  EXPECT_THAT(Releases(a.Request(kNow)), ElementsAre(1));
  a.Apply(Response(2));
  EXPECT_FALSE(a.HasChanges(kNow)) << "sent once per registration";
  a.Resync();
  EXPECT_THAT(Releases(a.Request(kNow)), ElementsAre(1));
  const auto effects = a.Apply(Response(1, {}, {Ended(1, -100)}));
  ASSERT_EQ(effects.completed.size(), 1u);
  EXPECT_EQ(effects.completed[0].status.exit_status(), -100);
  a.Resync();
  EXPECT_FALSE(a.HasChanges(kNow));
}

// A restarted ResourceManager does not know containers that were not started before, and never reports their end.
TEST(Allocation, ReleasedContainerMakesRoomBeforeItsEndIsReported) {
  Allocation a;
  a.SetNodes(Nodes(2));
  const Shape shape{.resource = {1024, 1, {}}, .max_per_node = 1};
  a.Ask(0, shape, 2);
  a.Request(kNow);
  a.Apply(Response(1, {Container(1, 0, "node1")}));
  a.Resync();
  a.Request(kNow);
  a.Apply(Response(1, {Container(2, 0, "node2")}));
  a.Release(Id(1));
  a.Ask(0, shape, 1);
  const AllocateRequestProto request = a.Request(kNow);
  EXPECT_EQ(Asks(request), "*:1! /even:1! /odd:1! node1:1 node2:0");
  EXPECT_THAT(Releases(request), ElementsAre(1));
  EXPECT_EQ(a.Apply(Response(2, {Container(3, 0, "node1")})).granted.size(), 1u);
  // If the ResourceManager reports the end nevertheless, the node still has no room.
  EXPECT_EQ(a.Apply(Response(3, {}, {Ended(1, -100)})).completed.size(), 1u);
  a.Ask(0, shape, 1);
  EXPECT_EQ(Asks(a.Request(kNow)), "*:1! /even:1! /odd:1! node1:0 node2:0");
}

// The scheduler answers the first request with the answer that the earlier process missed, and ignores the request.
TEST(Allocation, ChangesOfAnotherProcessAreInItsSecondRequest) {
  Allocation a;
  a.Resume(7);
  a.AdoptSurplus(Id(5), "node1");
  a.Ask(0, kSmall, 2);
  const AllocateRequestProto first = a.Request(kNow);
  EXPECT_EQ(first.response_id(), 7);
  EXPECT_THAT(first.ask(), IsEmpty());
  EXPECT_THAT(first.release(), IsEmpty());
  EXPECT_EQ(a.Apply(Response(8, {Container(6, 0, "node1")})).granted.size(), 1u);
  EXPECT_TRUE(a.HasChanges(kNow));
  const AllocateRequestProto second = a.Request(kNow);
  EXPECT_EQ(second.response_id(), 8);
  EXPECT_EQ(Asks(second), "*:1");
  EXPECT_THAT(Releases(second), ElementsAre(5));
}

TEST(Allocation, ResyncSendsFullState) {
  Allocation a;
  a.SetNodes(Nodes(4));
  a.Ask(0, kSmall, 3);
  a.Ask(1, kSmall, 1);
  a.NodeFailed("node1", kNow);
  a.NodeFailed("node1", kNow);
  a.Request(kNow);
  a.Apply(Response(1, {Container(1, 0, "node2"), Container(2, 1, "node2")}));
  a.Release(Id(1));
  a.Request(kNow);
  a.Apply(Response(2));
  a.Request(kNow);  // the ResourceManager's answer to this request is that the attempt is not registered
  a.Resync();
  EXPECT_TRUE(a.HasChanges(kNow));
  const AllocateRequestProto request = a.Request(kNow);
  EXPECT_EQ(request.response_id(), 0);
  EXPECT_EQ(Asks(request, 0), "*:2 /even:2 /odd:2 node1:2 node2:2 node3:2 node4:2");
  EXPECT_EQ(Asks(request, 1), "");
  EXPECT_THAT(Releases(request), ElementsAre(1));
  EXPECT_THAT(request.blacklist_request().blacklist_additions(), ElementsAre("node1"));
}

TEST(Allocation, OnlyTheAsksOfARejectedRequestAreNotSentAgain) {
  Allocation a;
  a.SetNodes(Nodes(4));
  a.Ask(0, kSmall, 1);
  a.Request(kNow);
  a.Apply(Response(1, {Container(1, 0, "node1")}));
  a.Release(Id(1));
  a.NodeFailed("node2", kNow);
  a.NodeFailed("node2", kNow);
  a.Ask(1, {.resource = {1 << 30, 1, {}}}, 1);
  a.Request(kNow);
  a.Rejected();
  EXPECT_EQ(a.outstanding(), 1);
  const AllocateRequestProto request = a.Request(kNow);
  EXPECT_THAT(request.ask(), IsEmpty());
  EXPECT_EQ(request.response_id(), 1);
  EXPECT_THAT(Releases(request), ElementsAre(1));
  EXPECT_THAT(request.blacklist_request().blacklist_additions(), ElementsAre("node2"));
}

// The scheduler accepted an ask, and rejected its repetition because its largest node was lost. The node has returned.
TEST(Allocation, EarlierAskOfARejectedRequestIsStillGranted) {
  Allocation a;
  a.Ask(0, kSmall, 3);
  a.Request(kNow);
  a.Apply(Response(1));
  a.SetNodes(Nodes(2));
  a.Request(kNow);
  EXPECT_THAT(a.Rejected(), ElementsAre(testing::Pair(0, 3)));
  a.SetNodes(Nodes(3));
  EXPECT_FALSE(a.HasChanges(kNow));
  EXPECT_THAT(a.Request(kNow).ask(), IsEmpty());
  EXPECT_EQ(a.Apply(Response(2, {Container(1, 0, "node1")})).granted.size(), 1u);
  a.Ask(0, kSmall, 0);
  EXPECT_EQ(Asks(a.Request(kNow), 0), "*:2 /even:2 /odd:2 node1:2 node2:2 node3:2");
  a.Rejected();
  a.CancelAll();
  EXPECT_THAT(a.Request(kNow).ask(), IsEmpty());
  EXPECT_EQ(a.Apply(Response(3, {Container(2, 0, "node1")})).surplus.size(), 1u);
}

TEST(Allocation, FailingNodeIsBlacklistedForTenMinutes) {
  Allocation a;
  a.SetNodes(Nodes(3));
  a.NodeFailed("node1", kNow);
  EXPECT_FALSE(a.HasChanges(kNow));
  a.NodeSucceeded("node1");
  a.NodeFailed("node1", kNow);
  EXPECT_FALSE(a.HasChanges(kNow)) << "failures were not consecutive";
  a.NodeFailed("node1", kNow);
  EXPECT_THAT(a.Request(kNow).blacklist_request().blacklist_additions(), ElementsAre("node1"));
  // A container that was granted before the scheduler received the blacklist is released, and another one is requested.
  a.Ask(0, kSmall, 1);
  a.Apply(Response(1));
  a.Request(kNow);
  EXPECT_EQ(a.Apply(Response(2, {Container(1, 0, "node1")})).surplus.size(), 1u);
  EXPECT_THAT(Asks(a.Request(kNow)), testing::HasSubstr("*:1"));
  a.Apply(Response(3));
  ASSERT_EQ(a.NextBlacklistExpiry(), kNow + 10min);
  EXPECT_FALSE(a.HasChanges(kNow + 10min - 1us));
  EXPECT_TRUE(a.HasChanges(kNow + 10min));
  EXPECT_THAT(a.Request(kNow + 10min).blacklist_request().blacklist_removals(), ElementsAre("node1"));
  a.Apply(Response(4));
  EXPECT_FALSE(a.NextBlacklistExpiry());
  a.NodeFailed("node1", kNow + 11min);
  EXPECT_FALSE(a.HasChanges(kNow + 11min)) << "the count starts again";
}

TEST(Allocation, AtMostHalfOfClusterIsBlacklisted) {
  for (const auto& [nodes, most] : {std::pair(1, 0), {2, 1}, {3, 1}, {4, 2}}) {
    Allocation a;
    a.SetNodes(Nodes(nodes));
    for (int n = 1; n <= nodes; ++n)
      for (int i = 0; i < 5; ++i) a.NodeFailed("node" + std::to_string(n), kNow);
    EXPECT_EQ(a.avoided(kNow).size(), static_cast<size_t>(most)) << nodes;
  }
}

TEST(Allocation, BlacklistOfEarlierApplicationMasterIsReplaced) {
  Allocation a({.inherits_blacklist = true});
  a.SetNodes(Nodes(3));
  a.Avoid("node2", kNow, 1h);
  AllocateRequestProto request = a.Request(kNow);
  EXPECT_THAT(request.blacklist_request().blacklist_additions(), ElementsAre("node2"));
  EXPECT_THAT(request.blacklist_request().blacklist_removals(), ElementsAre("node1", "node3"));
  a.Apply(Response(1));
  EXPECT_FALSE(a.HasChanges(kNow));
  a.SetNodes(Nodes(4));
  EXPECT_THAT(a.Request(kNow).blacklist_request().blacklist_removals(), ElementsAre("node4"));
  a.Rejected();
  EXPECT_THAT(a.Request(kNow).blacklist_request().blacklist_removals(), ElementsAre("node4"));
  a.Apply(Response(2));
  EXPECT_THAT(a.Request(kNow + 1h).blacklist_request().blacklist_removals(), ElementsAre("node2"));
}

TEST(Allocation, HostIsAvoidedBeforeItsNodeIsKnown) {
  Allocation a;
  a.SetNodes(Nodes(3));
  a.Avoid("node7", kNow, 1h);
  EXPECT_THAT(a.Request(kNow).blacklist_request().blacklist_additions(), ElementsAre("node7"));
  Allocation with_ports({.ports_in_names = true});
  std::vector<KnownNode> nodes;
  for (const char* name : {"h:1", "h:2", "g:1", "g:2"}) nodes.push_back({name, "/r", "", {8192, 8, {}}});
  with_ports.SetNodes(nodes);
  with_ports.Avoid("h", kNow, 1h);
  EXPECT_THAT(with_ports.avoided(kNow), ElementsAre("h:1", "h:2"));
}

TEST(Allocation, RemovedNodesAreNotRequested) {
  Allocation a;
  a.SetNodes(Nodes(2));
  a.Ask(0, kSmall, 2);
  a.Request(kNow);
  a.Apply(Response(1));
  a.SetNodes(Nodes(1));
  EXPECT_EQ(Asks(a.Request(kNow)), "*:2 /even:0 /odd:2 node1:2 node2:0");
  a.Apply(Response(2));
  a.Ask(0, kSmall, 1);
  EXPECT_EQ(Asks(a.Request(kNow)), "*:3 /odd:3 node1:3");
}

TEST(Allocation, NumberOfRowsIsLimitedInALargeCluster) {
  Allocation a;
  a.SetNodes(Nodes(10000));
  a.Ask(0, kSmall, 2);
  EXPECT_EQ(a.Request(kNow).ask_size(), 400 + 2 + 1);
}

}  // namespace
}  // namespace howdah::hadoop::yarn
