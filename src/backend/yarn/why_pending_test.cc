#include "howdah/backend/yarn/why_pending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace howdah::backend::yarn {
namespace {

using testing::HasSubstr;

hadoop::yarn::Resource Of(int64_t mib, int64_t cores, int64_t gpus = 0) {
  hadoop::yarn::Resource resource{mib, cores, {}};
  if (gpus > 0) resource.others[hadoop::yarn::kGpu] = gpus;
  return resource;
}

NodeFacts Node(const std::string& host, const hadoop::yarn::Resource& total, const hadoop::yarn::Resource& used) {
  return {host, 1, "/r", "", "RUNNING", "", total, used};
}

// A cluster with two nodes of 1 GiB. The queue may use both nodes, and bob uses 512 MiB.
ClusterFacts Cluster() {
  ClusterFacts facts;
  facts.user = "ann";
  facts.nodes = {Node("n1", Of(1024, 8, 2), Of(512, 1, 2)), Node("n2", Of(1024, 8), Of(0, 0))};
  facts.queue.name = "q";
  facts.queue.exists = true;
  facts.queue.maximum = Of(2048, 16);
  facts.queue.capacity = Of(512, 4);
  facts.queue.am_share = 0.1;
  facts.queue.applications = {{"application_1_1", "bob", true, Of(512, 1, 2)}};
  return facts;
}

using Change = std::function<void(ClusterFacts& facts, std::vector<PendingContainers>& pending,
                                  std::optional<hadoop::yarn::Resource>& headroom)>;

TEST(WhyPending, FirstCauseInOrderIsReported) {
  const struct {
    const char* name;
    Change change;
    const char* why;
  } rows[] = {
      {"no obstacle", [](auto&, auto&, auto&) {},
       "waiting for YARN to grant 1 container of 256 MiB, 1 core for worker in the queue 'q'"},
      {"no nodes", [](auto& f, auto&, auto&) { f.nodes.clear(); },
       "the cluster has no nodes: no NodeManager has registered"},
      {"no healthy node",
       [](auto& f, auto&, auto&) {
         f.nodes[0].state = "UNHEALTHY";
         f.nodes[0].health = "1/1 log-dirs are bad";
         f.nodes[1].state = "LOST";
       },
       "the cluster has no healthy node: 1 LOST, 1 UNHEALTHY; n1 is UNHEALTHY (1/1 log-dirs are bad), n2 is LOST"},
      {"label without nodes", [](auto&, auto& w, auto&) { w[0].label = "fast"; }, "no node has the label 'fast'"},
      {"label without healthy nodes",
       [](auto& f, auto& w, auto&) {
         w[0].label = f.nodes[1].label = "fast";
         f.nodes[1].state = "DECOMMISSIONED";
       },
       "no node with the label 'fast' is healthy: 1 DECOMMISSIONED; n2 is DECOMMISSIONED"},
      {"GPUs in use", [](auto&, auto& w, auto&) { w[0].size = Of(64, 1, 1); },
       "0 of 2 yarn.io/gpu are free, but worker requests 1; n1 uses 2 of 2"},
      {"queue full",
       [](auto& f, auto& w, auto&) {
         f.queue.maximum = Of(768, 6);
         f.queue.maximum_share = 0.375;
         w[0].count = 2;
       },
       "the queue 'q' is full: it uses 512 MiB, 1 core, 2 yarn.io/gpu of its maximum 768 MiB, 6 cores (37.5 % of the "
       "cluster); largest user: bob with application_1_1 (512 MiB, 1 core, 2 yarn.io/gpu); this job needs 2 more "
       "containers of 256 MiB, 1 core for worker"},
      {"fragmented",
       [](auto& f, auto& w, auto& h) {
         f.nodes[1].used = Of(640, 1);
         w[0].size = Of(768, 1);
         h = Of(0, 0);  // the scheduler counts reservations on full nodes as used
       },
       "free memory is fragmented: 896 MiB, 14 cores in total, at most 512 MiB, 7 cores on one node (n1), but worker "
       "needs 768 MiB, 1 core"},
      {"user limit with some headroom",
       [](auto& f, auto&, auto& h) {
         f.queue.applications.push_back({"application_1_2", "ann", true, Of(448, 3)});
         h = Of(64, 1);
       },
       "the user limit of the queue 'q' is reached: ann uses 448 MiB, 3 cores of 512 MiB, 4 cores; this job needs 1 "
       "more container of 256 MiB, 1 core for worker (limit: the queue's capacity, 512 MiB, 4 cores, times its "
       "user-limit-factor, shared according to its minimum-user-limit-percent)"},
      {"cluster full",
       [](auto& f, auto& w, auto&) {
         f.nodes[1].used = Of(1000, 1);
         w[0].count = 3;
         f.queue.maximum = std::nullopt;
       },
       "the cluster is full: 536 MiB, 14 cores are free; this job needs 3 more containers of 256 MiB, 1 core for "
       "worker; largest user: bob with application_1_1 (512 MiB, 1 core, 2 yarn.io/gpu)"},
      {"nothing pending", [](auto&, auto& w, auto&) { w.clear(); }, ""},
  };
  for (const auto& row : rows) {
    ClusterFacts facts = Cluster();
    std::vector<PendingContainers> pending = {{"worker", 1, Of(256, 1), ""}};
    std::optional<hadoop::yarn::Resource> headroom;
    row.change(facts, pending, headroom);
    EXPECT_EQ(WhyPending(facts, pending, headroom), row.why) << row.name;
  }
}

TEST(WhyPending, NodesThatWouldBeLargeEnoughAreNamed) {
  ClusterFacts facts = Cluster();
  EXPECT_EQ(WhyPending(facts, {{"worker", 1, Of(4096, 1), ""}}, std::nullopt),
            "no running node is large enough for a container of 4 GiB, 1 core for worker: a larger node must join the "
            "cluster");
  facts.nodes[0].state = "LOST";
  EXPECT_EQ(WhyPending(facts, {{"worker", 1, Of(64, 1, 1), ""}}, std::nullopt),
            "no running node is large enough for a container of 64 MiB, 1 core, 1 yarn.io/gpu for worker: n1 is LOST");
}

TEST(WhyPending, QueueIsFullOfApplicationsThatTheUserMayNotView) {
  ClusterFacts facts = Cluster();
  facts.queue.maximum = Of(768, 6);
  facts.queue.maximum_share = 0.375;
  facts.queue.applications = {{"application_1_1", "bob", true, {}, /*hidden=*/true},
                              {"application_1_2", "ann", true, Of(64, 1)}};
  facts.queue.allocated = Of(576, 2);
  EXPECT_EQ(WhyPending(facts, {{"worker", 2, Of(256, 1), ""}}, std::nullopt),
            "the queue 'q' is full: it uses 576 MiB, 2 cores of its maximum 768 MiB, 6 cores (37.5 % of the cluster); "
            "applications of bob that ann may not view use 512 MiB, 1 core; this job needs 2 more containers of 256 "
            "MiB, 1 core for worker");
}

TEST(WhyPending, MissingCoresAreNotCalledFragmentedMemory) {
  ClusterFacts facts = Cluster();
  for (NodeFacts& node : facts.nodes) node.used.vcores = node.total.vcores - 1;
  EXPECT_EQ(WhyPending(facts, {{"worker", 1, Of(256, 2), ""}}, std::nullopt),
            "no node has enough free cores: worker needs 2 per container, but 1 of 8 are free on n2, the node with the "
            "most free memory");
}

TEST(WhyPending, NumbersAtTheirLimitsDoNotOverflow) {
  ClusterFacts facts = Cluster();
  facts.nodes = {Node("n1", Of(INT64_MAX, INT64_MAX, INT64_MAX), Of(0, 0)),
                 Node("n2", Of(INT64_MAX, INT64_MAX, INT64_MAX), Of(0, 0))};
  facts.queue.applications[0].used = Of(INT64_MAX, INT64_MAX);
  facts.queue.maximum = Of(1, 1);
  facts.queue.maximum_share = 1e300;
  const PendingContainers pending{"worker", 1, Of(256, 1, 1), ""};
  const std::string why = WhyPending(facts, {pending}, std::nullopt);
  EXPECT_THAT(why, HasSubstr("the queue 'q' is full"));
  EXPECT_THAT(why, HasSubstr("9223372036854775807 cores of its maximum 1 MiB, 1 core (100000 % of the cluster)"));
  facts.queue.maximum_share = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(WhyPending(facts, {pending}, std::nullopt), HasSubstr("(0 % of the cluster)"));
}

TEST(WhyPending, ZeroHeadroomIsReportedAsUserLimitReached) {
  ClusterFacts facts = Cluster();
  facts.queue.applications.push_back({"application_1_2", "ann", true, Of(768, 3)});
  const std::string why = WhyPending(facts, {{"worker", 1, Of(256, 1), ""}}, Of(0, 5));
  EXPECT_THAT(why, HasSubstr("ann uses 768 MiB, 3 cores, at or above the limit"));
  EXPECT_THAT(why, HasSubstr("the queue's capacity, 512 MiB, 4 cores, times its user-limit-factor"));
}

TEST(WhyPending, PlacementNamesTheKeysThatExcludeNodes) {
  EXPECT_EQ(DescribePlacement({}), "");
  EXPECT_EQ(DescribePlacement({{"worker", {"placement.attributes"}, 3, 3}, {"ps", {"placement.near"}, 0, 0}}), "");
  EXPECT_EQ(DescribePlacement({{"worker", {"roles.ps.placement.apart"}, 2, 3}}),
            "roles.ps.placement.apart allows worker only 2 of 3 nodes at present");
  EXPECT_EQ(DescribePlacement({{"worker", {"placement.near", "max_per_node"}, 0, 1}, {"ps", {"max_per_node"}, 1, 4}}),
            "placement.near and max_per_node allow worker only 0 of 1 node at present; "
            "max_per_node allows ps only 1 of 4 nodes at present");
}

// Diagnostics of the CapacityScheduler of Hadoop 3.3.6.
constexpr char kOfQueue[] =
    "[Sat Nov 21 19:37:21 +0000 2026] Application is added to the scheduler and is not yet activated. Queue's AM "
    "resource limit exceeded.  Details : AM Partition = <DEFAULT_PARTITION>; AM Resource Request = <memory:64, "
    "vCores:1>; Queue Resource Limit for AM = <memory:128, vCores:2, yarn.io/gpu: 1>; User AM Resource Limit of the "
    "queue = <memory:64, vCores:1>; Queue AM Resource Usage = <memory:112, vCores:2>; ";

TEST(WhyPending, AmLimitIsReadFromTheDiagnostics) {
  const PendingContainers am{"the application master", 1, Of(64, 1), ""};
  EXPECT_EQ(WhyAmPending(Cluster(), kOfQueue, am),
            "the application master limit of the queue 'q' is reached: 1 application runs, its application master uses "
            "112 MiB, 2 cores of 128 MiB, 2 cores; limit: yarn.scheduler.capacity.maximum-am-resource-percent (10 % of "
            "the queue)");
  std::string of_user = kOfQueue;
  of_user.replace(of_user.find("Queue's AM"), 10, "User's AM");
  EXPECT_THAT(WhyAmPending(Cluster(), of_user, am),
              HasSubstr("limit of one user in the queue 'q' is reached: 1 application runs, its application master "
                        "uses 112 MiB, 2 cores of 64 MiB, 1 core;"));
  EXPECT_THAT(WhyAmPending(Cluster(), "User capacity has reached its maximum limit.", am),
              HasSubstr("the user limit of the queue 'q' is reached: ann uses 0 B"));
  EXPECT_EQ(WhyAmPending(Cluster(), "", am),
            "waiting for YARN to grant 1 container of 64 MiB, 1 core for the application master in the queue 'q'");
}

TEST(WhyPending, AmOfUnknownSizeIsDescribedWithoutASize) {
  ClusterFacts facts = Cluster();
  const PendingContainers am{"the application master", 1, {}, ""};
  EXPECT_EQ(WhyAmPending(facts, "", am),
            "waiting for YARN to grant 1 container for the application master in the queue 'q'");
  facts.queue.maximum = Of(512, 4);
  EXPECT_THAT(WhyAmPending(facts, "", am), HasSubstr("the queue 'q' is full: it uses 512 MiB"));
}

TEST(WhyPending, TruncatedDiagnosticsAreAccepted) {
  const std::string text = kOfQueue;
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_NE(WhyAmPending(Cluster(), text.substr(0, cut), {"the application master", 1, Of(64, 1), ""}), "");
    EXPECT_NE(WhyAmPending(Cluster(), text.substr(cut), {"the application master", 1, Of(64, 1), ""}), "");
  }
}

}  // namespace
}  // namespace howdah::backend::yarn
