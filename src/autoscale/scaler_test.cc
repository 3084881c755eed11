#include "howdah/autoscale/scaler.h"

#include <gmock/gmock.h>

#include <chrono>

namespace howdah::autoscale {
namespace {

using admission::Resources;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;

const Resources kNode{12 * 1024, 4, 0, {}};

Policy TestPolicy() {
  Policy policy;
  policy.cooldown = minutes(2);
  policy.drain = minutes(15);
  policy.up_factor = policy.down_factor = 1;
  policy.primary = {2, 6, std::nullopt};
  return policy;
}

Policy WithSecondary(int most) {
  Policy policy = TestPolicy();
  policy.secondary = {0, most, std::nullopt};
  return policy;
}

Provider TestProvider() {
  Provider provider;
  provider.primary = NodeGroup{.hosts = ".*", .node = NodeShape{kNode, ""}, .join = minutes(5)};
  provider.exclude.path = "exclude.xml";
  return provider;
}

// With a secondary group of the same nodes, at another cost.
Provider WithSecondaryAt(double cost) {
  Provider provider = TestProvider();
  provider.secondary = NodeGroup{.hosts = ".*", .node = NodeShape{kNode, ""}, .cost = cost};
  return provider;
}

// A cluster under the control of a scaler: the test changes it, and takes the orders.
class Cluster {
 public:
  explicit Cluster(Policy policy = TestPolicy(), Provider provider = TestProvider(), Mode mode = Mode::kGangs)
      : policy_(std::move(policy)), provider_(std::move(provider)), mode_(mode) {
    state_.prefix = "t";
    Restart();
  }

  void Restart() {
    if (scaler_) state_ = scaler_->state();
    scaler_ = std::make_unique<Scaler>(policy_, provider_, mode_, state_);
  }
  void Restart(Policy policy) {
    policy_ = std::move(policy);
    Restart();
  }
  void AddMachine(const std::string& host, const std::string& id = "", Group group = Group::kPrimary) {
    machines_.push_back({.id = id.empty() ? "id-" + host : id, .host = host, .group = group});
  }
  void AddNode(const std::string& host, const std::string& id = "", Group group = Group::kPrimary) {
    AddMachine(host, id, group);
    seen.nodes.push_back({.name = host + ":1", .host = host, .total = kNode});
  }
  void AddFullNode(const std::string& host) {
    AddNode(host);
    Node(host).used = kNode;
    Node(host).containers = 1;
  }
  void Drop(const std::string& host) {
    std::erase_if(machines_, [&](const Machine& machine) { return machine.host == host; });
    std::erase_if(seen.nodes, [&](const NodeReport& node) { return node.host == host; });
  }
  NodeReport& Node(const std::string& host) { return *std::ranges::find(seen.nodes, host, &NodeReport::host); }
  void Want(int instances, int64_t gib) {
    seen.wanted = {{.id = "job", .queue = "q", .tasks = {{instances, {gib * 1024, 1, 0, {}}}}}};
  }

  // Lets time pass, and returns the orders of one look at the cluster.
  std::vector<Order> Look(Duration after = seconds(5)) {
    now_ += after;
    std::vector<Order> orders = Tell(MachinesListed{machines_});
    for (Order& order : Tell(seen)) orders.push_back(std::move(order));
    return orders;
  }
  std::vector<Order> Tell(const Fact& fact) {
    std::vector<Order> orders = scaler_->Step(fact, now_);
    EXPECT_EQ(scaler_->BrokenInvariant(), "");
    return orders;
  }
  const Decision& last() const { return scaler_->last(); }
  Publication Published() const { return scaler_->Published(now_); }

  ClusterSeen seen;

 private:
  Policy policy_;
  Provider provider_;
  Mode mode_;
  State state_;
  std::unique_ptr<Scaler> scaler_;
  std::vector<Machine> machines_;
  Instant now_{std::chrono::hours(500'000)};
};

template <typename T>
std::vector<T> Only(const std::vector<Order>& orders) {
  std::vector<T> some;
  for (const Order& order : orders) {
    if (const T* one = std::get_if<T>(&order)) some.push_back(*one);
  }
  return some;
}

// Adds the nodes a, b and c. a and b are full, and c drains because it was idle.
void DrainTheIdleNode(Cluster& cluster) {
  for (const char* host : {"a", "b"}) cluster.AddFullNode(host);
  cluster.AddNode("c");
  cluster.Look();
  cluster.Look(minutes(2));
  cluster.Tell(ExcludeDone{});
  cluster.Node("c").state = NodeReport::State::kDecommissioning;
}

TEST(Scaler, OrdersAllMissingNodesAtOnceAndOnlyOnce) {
  Cluster cluster;
  cluster.AddNode("a");
  cluster.AddNode("b");
  cluster.Want(4, 8);
  const auto added = Only<AddMachines>(cluster.Look());
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0].count, 2);
  EXPECT_EQ(cluster.last().verdict, Verdict::kScaleUp);
  EXPECT_THAT(cluster.last().reason, HasSubstr("2 nodes of the group primary are missing for job (needs 4 × 8 GiB"));
  EXPECT_THAT(Only<AddMachines>(cluster.Look()), IsEmpty());
  cluster.Tell(OrderDone{added[0].token});
  cluster.AddNode("c");
  EXPECT_THAT(Only<AddMachines>(cluster.Look()), IsEmpty()) << "one more node is on its way";
}

TEST(Scaler, PublishesHowManyNodesMayJoinAndWillJoin) {
  Cluster cluster;
  cluster.AddNode("a");
  cluster.AddNode("b");
  cluster.Look();
  const Publication before = cluster.Published();
  ASSERT_EQ(before.groups.size(), 1U) << "the provider has one group";
  EXPECT_EQ(before.groups[0], (Publication::Growth{Group::kPrimary, 6, 4, NodeShape{kNode, ""}}));
  EXPECT_EQ(before.coming, 0);
  EXPECT_EQ(before.verdict, "NO_SCALE");
  cluster.Want(4, 8);
  const auto added = Only<AddMachines>(cluster.Look());
  cluster.Look(seconds(40));
  const Publication ordered = cluster.Published();
  EXPECT_EQ(ComingText(ordered, ordered.published), "2 nodes have been ordered 40.0s ago");
  EXPECT_EQ(ordered.groups[0].more, 4) << "nodes on their way have not joined";
  cluster.Tell(OrderFailed{added[0].token, {Failure::kFatal, "no such project"}});
  EXPECT_EQ(cluster.Published().groups[0].more, 0);
  EXPECT_EQ(cluster.Published().coming, 0);
}

TEST(Scaler, PublicationsDifferOnlyInTheirTimeIfNothingHasChanged) {
  Cluster cluster;
  for (const char* host : {"a", "b"}) cluster.AddNode(host);
  cluster.Look();
  Publication before = cluster.Published();
  cluster.Look();
  const Publication after = cluster.Published();
  EXPECT_EQ(after.published, before.published + seconds(5));
  before.published = after.published;
  EXPECT_EQ(after, before);
}

TEST(Scaler, OrderThatWasNotConfirmedIsGivenAgainWithTheSameTokenAfterARestart) {
  Cluster cluster;
  cluster.AddNode("a");
  cluster.AddNode("b");
  cluster.Want(4, 8);
  const auto added = Only<AddMachines>(cluster.Look());
  cluster.Restart();
  const auto again = Only<AddMachines>(cluster.Look());
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].token, added[0].token);
  EXPECT_EQ(again[0].count, added[0].count);
}

// A cluster of two nodes that has ordered two more.
class OrderedCluster : public Cluster {
 public:
  OrderedCluster() : Cluster(TestPolicy(), LongCommands()) {
    for (const char* host : {"a", "b"}) AddNode(host);
    Want(4, 8);
    token = Only<AddMachines>(Look()).at(0).token;
  }
  void Expect(const std::vector<Order>& orders) const {
    for (const AddMachines& add : Only<AddMachines>(orders)) EXPECT_EQ(add.token, token);
    EXPECT_EQ(last().error, "");
  }
  std::string token;

 private:
  static Provider LongCommands() {
    Provider provider = TestProvider();
    provider.timeout = minutes(15);
    return provider;
  }
};

TEST(Scaler, OrderThatIsGivenAgainAfterALongStopIsNotGivenUp) {
  OrderedCluster cluster;
  cluster.Restart();
  cluster.Expect(cluster.Look(minutes(11)));
  cluster.Expect(cluster.Look());
  cluster.Tell(OrderDone{cluster.token});
  cluster.Expect(cluster.Look(minutes(4)));
  cluster.Look(minutes(1));
  EXPECT_EQ(cluster.last().error, "2 nodes of the group primary did not appear within 5m");
}

TEST(Scaler, OrderThatIsGivenAgainAfterALongPauseIsNotGivenUp) {
  OrderedCluster cluster;
  cluster.Tell(Paused{});
  cluster.Look(minutes(20));
  cluster.Expect(cluster.Tell(Resumed{}));
  cluster.Expect(cluster.Look());
}

TEST(Scaler, OrderWhoseCommandTakesLongerThanMachinesMayTakeIsNotGivenUp) {
  for (const bool fails : {false, true}) {
    OrderedCluster cluster;
    cluster.Expect(cluster.Look(minutes(6)));
    if (fails) {
      cluster.Tell(OrderFailed{cluster.token, {Failure::kTransient, "no answer within 6m"}});
      EXPECT_EQ(Only<AddMachines>(cluster.Look()).at(0).token, cluster.token);
    }
    cluster.Tell(OrderDone{cluster.token});
    EXPECT_THAT(Only<AddMachines>(cluster.Look()), IsEmpty()) << "the list may be older than the machines";
  }
}

TEST(Scaler, NodeIsDrainedReleasedStoppedAndRemoved) {
  Cluster cluster;
  for (const char* host : {"a", "b", "c"}) cluster.AddNode(host);
  cluster.Node("a").containers = cluster.Node("b").containers = 1;
  EXPECT_THAT(Only<SetExcluded>(cluster.Look()), IsEmpty()) << "it has not been idle for long";
  const auto drain = Only<SetExcluded>(cluster.Look(minutes(2)));
  ASSERT_EQ(drain.size(), 1U);
  EXPECT_EQ(drain[0].timeouts, (std::map<std::string, Duration>{{"c", minutes(15)}}));
  cluster.Tell(ExcludeDone{});
  cluster.Node("c").state = NodeReport::State::kDecommissioning;
  const auto checks = Only<CheckNode>(cluster.Look());
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].host, "c");
  EXPECT_THAT(Only<SetExcluded>(cluster.Tell(NodeChecked{"c", NodeChecked::Answer::kHasOthers})), IsEmpty());
  const auto release = Only<SetExcluded>(cluster.Tell(NodeChecked{"c", NodeChecked::Answer::kFree}));
  ASSERT_EQ(release.size(), 1U);
  EXPECT_EQ(release[0].timeouts, (std::map<std::string, Duration>{{"c", seconds(1)}}));
  cluster.Tell(ExcludeDone{});
  cluster.Node("c").state = NodeReport::State::kDecommissioned;
  EXPECT_THAT(Only<RemoveMachines>(cluster.Look()), IsEmpty()) << "its NodeManager stores logs";
  const auto remove = Only<RemoveMachines>(cluster.Tell(NodeChecked{"c", NodeChecked::Answer::kGone}));
  ASSERT_EQ(remove.size(), 1U);
  EXPECT_EQ(remove[0].machines, (std::vector<MachineId>{{"id-c", "c"}}));
  cluster.Tell(OrderDone{remove[0].token});
  cluster.Drop("c");
  const auto clean = Only<SetExcluded>(cluster.Look());
  ASSERT_EQ(clean.size(), 1U);
  EXPECT_THAT(clean[0].timeouts, IsEmpty());
  EXPECT_EQ(clean[0].own, (std::set<std::string>{"c"}));
}

TEST(Scaler, NodeWithContainersIsNotReleased) {
  Cluster cluster;
  DrainTheIdleNode(cluster);
  cluster.Node("c").containers = 1;
  EXPECT_THAT(Only<CheckNode>(cluster.Look()), IsEmpty());
  EXPECT_THAT(Only<SetExcluded>(cluster.Tell(NodeChecked{"c", NodeChecked::Answer::kFree})), IsEmpty());
}

TEST(Scaler, DrainIsCancelledWhenTheNodeIsNeededAgain) {
  Cluster cluster;
  DrainTheIdleNode(cluster);
  cluster.Want(1, 8);
  const auto orders = cluster.Look();
  ASSERT_EQ(Only<SetExcluded>(orders).size(), 1U);
  EXPECT_THAT(Only<SetExcluded>(orders)[0].timeouts, IsEmpty());
  EXPECT_THAT(Only<AddMachines>(orders), IsEmpty());
  EXPECT_EQ(cluster.last().verdict, Verdict::kCancel);
  cluster.Tell(ExcludeDone{});
  EXPECT_THAT(Only<AddMachines>(cluster.Look()), IsEmpty()) << "its room counts before the ResourceManager shows it";
}

TEST(Scaler, NodeThatIsDecommissionedInSpiteOfACancelledDrainIsRemoved) {
  Cluster cluster;
  DrainTheIdleNode(cluster);
  cluster.Want(1, 8);
  ASSERT_EQ(Only<SetExcluded>(cluster.Look()).size(), 1U);
  EXPECT_EQ(cluster.last().verdict, Verdict::kCancel);
  // Another ResourceManager becomes active. It has not read the exclude file yet, and then reads the old one.
  cluster.Tell(ExcludeFailed{"the ResourceManager does not answer"});
  cluster.Node("c").state = NodeReport::State::kRunning;
  cluster.Look();
  cluster.Node("c").state = NodeReport::State::kDecommissioned;
  const auto checks = Only<CheckNode>(cluster.Look());
  ASSERT_EQ(checks.size(), 1U) << "the node leaves";
  EXPECT_EQ(checks[0].host, "c");
}

TEST(Scaler, OldListDoesNotBringBackAMachineWhoseHostNameIsInUseAgain) {
  Cluster cluster;
  for (const char* host : {"a", "b", "c"}) cluster.AddNode(host);
  cluster.Look();
  cluster.Drop("c");
  cluster.Look();
  cluster.Look(seconds(15));
  EXPECT_EQ(cluster.Published().groups.at(0).more, 4) << "two machines are registered, of at most six";
  cluster.Tell(MachinesListed{{{.id = "id-a", .host = "a"}, {.id = "id-b", .host = "b"}, {.id = "id-c", .host = "c"}}});
  cluster.AddNode("c", "new");
  cluster.Look();
  EXPECT_EQ(cluster.Published().groups.at(0).more, 3);
}

TEST(Scaler, OtherGroupIsUsedWithoutQuotaAndTheReasonSaysSo) {
  Cluster cluster(WithSecondary(4), WithSecondaryAt(0.2));
  cluster.AddNode("a");
  cluster.AddNode("b");
  cluster.Want(4, 8);
  const auto first = Only<AddMachines>(cluster.Look());
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].group, Group::kSecondary);
  cluster.Tell(OrderFailed{first[0].token, {Failure::kQuota, "CPUS exceeded"}});
  const auto second = Only<AddMachines>(cluster.Look());
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].group, Group::kPrimary);
  EXPECT_EQ(second[0].count, 2);
  EXPECT_THAT(cluster.last().reason, HasSubstr("the group secondary is not used for some time (QUOTA: CPUS exceeded)"));
}

TEST(Scaler, FatalErrorDisablesAGroupUntilResume) {
  Cluster cluster;
  cluster.AddNode("a");
  cluster.AddNode("b");
  cluster.Want(4, 8);
  const auto added = Only<AddMachines>(cluster.Look());
  cluster.Tell(OrderFailed{added.at(0).token, {Failure::kFatal, "no such project"}});
  EXPECT_THAT(Only<AddMachines>(cluster.Look(minutes(60))), IsEmpty());
  EXPECT_THAT(cluster.last().reason, HasSubstr("until `howdah autoscale resume` (FATAL: no such project)"));
  cluster.AddMachine("late");
  cluster.Look();
  cluster.Look(minutes(5));
  cluster.Look();
  EXPECT_THAT(cluster.last().reason, HasSubstr("(FATAL: no such project)")) << "a later failure is not the cause";
  cluster.Tell(Resumed{});
  EXPECT_EQ(Only<AddMachines>(cluster.Look()).size(), 1U);
}

TEST(Scaler, TransientErrorIsRetriedWithLongerPauses) {
  Cluster cluster;
  cluster.AddNode("a");
  cluster.AddNode("b");
  cluster.Want(4, 8);
  const std::string token = Only<AddMachines>(cluster.Look()).at(0).token;
  const CommandError error{Failure::kTransient, "try again"};
  cluster.Tell(OrderFailed{token, error});
  EXPECT_THAT(Only<AddMachines>(cluster.Look(seconds(4))), IsEmpty());
  EXPECT_EQ(Only<AddMachines>(cluster.Look(seconds(1))).at(0).token, token);
  cluster.Tell(OrderFailed{token, error});
  EXPECT_THAT(Only<AddMachines>(cluster.Look(seconds(9))), IsEmpty());
  EXPECT_EQ(Only<AddMachines>(cluster.Look(seconds(1))).at(0).token, token);
}

TEST(Scaler, RepeatedOrderIsNotForgottenWhileItsEndIsUnknown) {
  Cluster cluster;
  cluster.AddNode("a");
  cluster.AddNode("b");
  cluster.Want(4, 8);
  const auto first = Only<AddMachines>(cluster.Look());
  cluster.Tell(OrderFailed{first.at(0).token, {Failure::kTransient, "busy"}});
  const auto repeated = Only<AddMachines>(cluster.Look());
  ASSERT_EQ(repeated.size(), 1U);
  EXPECT_EQ(repeated[0].token, first[0].token);
  cluster.seen.wanted.clear();
  cluster.Look();
  cluster.Want(4, 8);
  EXPECT_THAT(Only<AddMachines>(cluster.Look()), IsEmpty()) << "the repeated order may have made the machines";
}

TEST(Scaler, NothingChangesWithoutAListOrWhilePaused) {
  Cluster cluster;
  cluster.AddNode("a");
  cluster.Want(4, 8);
  EXPECT_THAT(Only<AddMachines>(cluster.Tell(cluster.seen)), IsEmpty()) << "the machines are not known";
  cluster.Tell(ListFailed{"the command `list` ended with exit code 1: no login"});
  EXPECT_EQ(cluster.last().error, "the command `list` ended with exit code 1: no login");
  cluster.Tell(Paused{});
  EXPECT_THAT(Only<AddMachines>(cluster.Look()), IsEmpty());
  cluster.Tell(Resumed{});
  EXPECT_EQ(Only<AddMachines>(cluster.Look()).size(), 1U);
}

TEST(Scaler, GroupOutsideItsBoundsIsCorrectedAtOnce) {
  Cluster cluster;
  cluster.AddNode("a");
  EXPECT_EQ(Only<AddMachines>(cluster.Look()).at(0).count, 1);
  EXPECT_THAT(cluster.last().reason, HasSubstr("the group primary has 1 node, and the policy at least 2"));
  Cluster large;
  for (const char* host : {"a", "b", "c", "d", "e", "f", "g"}) large.AddNode(host);
  EXPECT_EQ(Only<SetExcluded>(large.Look()).at(0).timeouts.size(), 1U);
}

TEST(Scaler, OtherGroupIsUsedWhileOneCannotReachItsMinimum) {
  for (const Failure failure : {Failure::kFatal, Failure::kQuota}) {
    Cluster cluster(WithSecondary(4), WithSecondaryAt(2));
    cluster.AddFullNode("a");
    cluster.Want(1, 8);
    cluster.Tell(OrderFailed{Only<AddMachines>(cluster.Look()).at(0).token, {failure, "CPUS exceeded"}});
    const auto added = Only<AddMachines>(cluster.Look());
    ASSERT_EQ(added.size(), 1U);
    EXPECT_EQ(added[0].group, Group::kSecondary);
    EXPECT_THAT(cluster.last().reason, HasSubstr("the group primary has 1 node, and the policy at least 2; "
                                                 "1 node of the group secondary is missing for job"));
    EXPECT_THAT(cluster.last().reason, HasSubstr("the group primary is not used"));
  }
}

TEST(Scaler, OtherGroupIsUsedWhileSuperfluousMachinesJoin) {
  Cluster cluster(WithSecondary(4), WithSecondaryAt(2));
  for (const char* host : {"a", "b", "c", "d", "e", "f", "g"}) cluster.AddMachine(host);
  cluster.Want(8, 12);
  const auto added = Only<AddMachines>(cluster.Look());
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0].group, Group::kSecondary);
  EXPECT_THAT(cluster.last().reason, HasSubstr("the group primary has 7 nodes, and the policy at most 6"));
}

TEST(Scaler, IdleNodesLeaveWhileAnotherGroupCannotReachItsMinimum) {
  Cluster cluster(WithSecondary(4), WithSecondaryAt(2));
  cluster.AddFullNode("a");
  cluster.AddNode("s", "", Group::kSecondary);
  cluster.Tell(OrderFailed{Only<AddMachines>(cluster.Look()).at(0).token, {Failure::kFatal, "no such project"}});
  cluster.Look();
  const auto drain = Only<SetExcluded>(cluster.Look(minutes(2)));
  ASSERT_EQ(drain.size(), 1U);
  EXPECT_TRUE(drain[0].timeouts.contains("s"));
}

TEST(Scaler, DataprocModeReplacesNodesOfAGroupThatCannotReachItsMinimumOnce) {
  Cluster cluster(WithSecondary(4), WithSecondaryAt(2), Mode::kDataproc);
  cluster.AddFullNode("a");
  cluster.Tell(OrderFailed{Only<AddMachines>(cluster.Look()).at(0).token, {Failure::kFatal, "no such project"}});
  cluster.Look();
  const auto added = Only<AddMachines>(cluster.Look(minutes(2)));
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0].group, Group::kSecondary);
  cluster.Tell(OrderDone{added[0].token});
  cluster.AddNode("s", "", Group::kSecondary);
  cluster.Look();
  for (int window = 0; window < 3; ++window) {
    const auto orders = cluster.Look(minutes(2));
    EXPECT_THAT(Only<AddMachines>(orders), IsEmpty());
    EXPECT_THAT(Only<SetExcluded>(orders), IsEmpty());
  }
}

TEST(Scaler, NodeThatDrainsStaysWhenThePolicyGetsAHigherMinimum) {
  Cluster cluster;
  for (const char* host : {"a", "b", "c"}) cluster.AddNode(host);
  cluster.Look();
  ASSERT_EQ(Only<SetExcluded>(cluster.Look(minutes(2))).at(0).timeouts.size(), 1U);
  cluster.Tell(ExcludeDone{});
  Policy policy = TestPolicy();
  policy.primary.min = 4;
  cluster.Restart(policy);
  const auto added = Only<AddMachines>(cluster.Look());
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0].count, 1);
  const auto excluded = Only<SetExcluded>(cluster.Tell(ExcludeDone{}));
  ASSERT_EQ(excluded.size(), 1U);
  EXPECT_THAT(excluded[0].timeouts, IsEmpty());
}

TEST(Scaler, DataprocModeWaitsForItsWindowAndCancelsRemovals) {
  Cluster cluster(TestPolicy(), TestProvider(), Mode::kDataproc);
  for (const char* host : {"a", "b", "c", "d"}) cluster.AddNode(host);
  cluster.seen.metrics.available_mib = 2 * 12 * 1024;
  cluster.Look();
  EXPECT_EQ(cluster.last().state, ScalerState::kCooldown);
  const auto drain = Only<SetExcluded>(cluster.Look(minutes(2)));
  ASSERT_EQ(drain.size(), 1U);
  EXPECT_EQ(drain[0].timeouts.size(), 2U);
  EXPECT_EQ(cluster.last().metric, Metric::kMemory);
  cluster.Tell(ExcludeDone{});
  for (const auto& [host, timeout] : drain[0].timeouts) cluster.Node(host).state = NodeReport::State::kDecommissioning;
  cluster.seen.metrics = {.pending_mib = 12 * 1024};
  cluster.Look(minutes(2));
  EXPECT_EQ(cluster.last().verdict, Verdict::kDoNotCancel) << "fewer nodes are missing than are being drained";
  cluster.seen.metrics = {.pending_mib = 3 * 12 * 1024};
  cluster.Look();
  cluster.Look(minutes(2));
  EXPECT_EQ(cluster.last().verdict, Verdict::kCancel);
}

TEST(DecisionLog, HasTheFieldsOfDataproc) {
  const Decision decision{.at = Instant(std::chrono::hours(24 * 365)),
                          .state = ScalerState::kScaling,
                          .verdict = Verdict::kScaleUp,
                          .current = {2, 0},
                          .recommended = {4, 1},
                          .min = {2, 0},
                          .max = {10, 5},
                          .metrics = {{}, 1040, 7, 2, 1},
                          .metric = Metric::kCores,
                          .constraints = {"REACHED_MAXIMUM_CLUSTER_SIZE"},
                          .drain = minutes(15),
                          .reason = "because"};
  EXPECT_EQ(
      ToLogLine(decision),
      R"({"timestamp":"1971-01-01T00:00:00.000Z","status":{"state":"SCALING","details":"because"},)"
      R"("recommendation":{"inputs":{"clusterMetrics":{"avg-yarn-pending-memory":"1040 MB",)"
      R"("avg-yarn-available-memory":"7 MB","avg-yarn-pending-vcores":"2","avg-yarn-available-vcores":"1"},)"
      R"("currentClusterSize":{"primaryWorkerCount":2,"secondaryWorkerCount":0},)"
      R"("minWorkerCounts":{"primaryWorkerCount":2,"secondaryWorkerCount":0},)"
      R"("maxWorkerCounts":{"primaryWorkerCount":10,"secondaryWorkerCount":5}},)"
      R"("outputs":{"decision":"SCALE_UP","recommendedClusterSize":{"primaryWorkerCount":4,)"
      R"("secondaryWorkerCount":1},"gracefulDecommissionTimeout":"900s",)"
      R"("constraintsReached":["REACHED_MAXIMUM_CLUSTER_SIZE"],"decisionMetric":"YARN_CORES"}},"reason":"because"})"
      "\n");
}

}  // namespace
}  // namespace howdah::autoscale
