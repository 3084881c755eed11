#include "refusals.h"

#include <gtest/gtest.h>

#include <functional>

namespace howdah::backend::yarn::client {
namespace {

constexpr int64_t kMib = int64_t{1} << 20;

ClusterFacts Cluster() {
  ClusterFacts facts;
  facts.user = "ann";
  facts.nodes = {{"n1", 1, "/r", "", "RUNNING", "", {1024, 8, {{hadoop::yarn::kGpu, 2}}}, {}},
                 {"n2", 1, "/r", "", "LOST", "", {4096, 4, {}}, {}},
                 {"n3", 1, "/r", "fast", "RUNNING", "", {512, 8, {}}, {}},
                 {"n4", 1, "/r", "", "DECOMMISSIONED", "", {65536, 64, {}}, {}}};
  facts.queue.name = "q";
  facts.queue.exists = true;
  facts.queue.maximum = hadoop::yarn::Resource{2048, 16, {}};
  facts.queue.labels = {"*"};
  facts.allowed_queues = {"root.q", "root.other"};
  facts.labels = {"fast", "empty"};
  facts.resource_types = {"memory-mb", "vcores", hadoop::yarn::kGpu};
  return facts;
}

jobspec::JobSpec Job() {
  jobspec::JobSpec spec;
  jobspec::RoleSpec& role = spec.roles.emplace_back();
  role.name = "worker";
  role.memory_bytes = 256 * kMib;
  role.vcores = 1;
  role.instances = {2, 2};
  return spec;
}

struct Row {
  const char* name;
  std::function<void(jobspec::JobSpec& spec, ClusterFacts& facts)> change;
  std::vector<std::string> why;
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    jobspec::JobSpec spec = Job();
    ClusterFacts facts = Cluster();
    row.change(spec, facts);
    EXPECT_EQ(RefusalsOf(spec, facts), row.why) << row.name;
  }
}

TEST(Refusals, QueueMustExistAndAcceptTheUser) {
  Check({
      {"possible", [](auto&, auto&) {}, {}},
      {"unknown queue, which the ResourceManager may create",
       [](auto& s, auto& f) {
         f.queue = {.name = "root.users.ann"};
         s.node_label = "fast";
       },
       {}},
      {"no queue named, and the user may not use the default queue",
       [](auto&, auto& f) { f.queue.name = "default"; },
       {}},
      {"not permitted",
       [](auto&, auto& f) { f.allowed_queues = {"root.qq"}; },
       {"ann may not submit to the queue 'q'; ann may submit to root.qq"}},
      {"not permitted in any queue",
       [](auto&, auto& f) { f.allowed_queues.clear(); },
       {"ann may not submit to the queue 'q'; ann may not submit to any queue of this cluster"}},
      {"named by its path",
       [](auto&, auto& f) {
         f.queue.name = "root.q";
         f.allowed_queues = {"q"};
       },
       {}},
      {"parent",
       [](auto&, auto& f) {
         f.queue.name = "root";
         f.queue.parent = true;
       },
       {"the queue 'root' is a parent queue, and only leaf queues accept jobs; ann may submit to root.q, root.other"}},
      {"stopped",
       [](auto&, auto& f) { f.queue.stopped = true; },
       {"the queue 'q' is stopped and accepts no jobs; ann may submit to root.q, root.other"}},
  });
}

TEST(Refusals, QueueProblemNamesTheNearestQueue) {
  ClusterFacts facts = Cluster();
  facts.allowed_queues = {"root.small", "root.ml.train"};
  const auto problem = [&](const char* name, bool exists) {
    facts.queue.name = name;
    facts.queue.exists = exists;
    return QueueProblem(facts);
  };
  const std::string may = "; ann may submit to root.small, root.ml.train";
  EXPECT_EQ(problem("smal", false), "the queue 'smal' does not exist; the nearest name is 'small'" + may);
  EXPECT_EQ(problem("root.ml.trian", false),
            "the queue 'root.ml.trian' does not exist; the nearest name is 'root.ml.train'" + may);
  EXPECT_EQ(problem("elsewhere", false), "the queue 'elsewhere' does not exist" + may);
  EXPECT_EQ(problem("default", true), "ann may not submit to the queue 'default'" + may);
  EXPECT_EQ(problem("small", true), "");
}

TEST(Refusals, ResourceManagerDecidesAboutMissingAndUnnamedQueues) {
  ClusterFacts facts = Cluster();
  EXPECT_FALSE(IsQueueOpen(facts));
  facts.queue.exists = false;
  EXPECT_TRUE(IsQueueOpen(facts));
  // These names would end a ResourceManager with the FairScheduler.
  for (const char* name : {"a..b", ".a", "a.", "root. a", "root.a ", "a .b", "\u00a0a", "a\t", ""}) {
    facts.queue.name = name;
    EXPECT_FALSE(IsQueueOpen(facts)) << name;
    EXPECT_NE(QueueProblem(facts).find("cannot be created"), std::string::npos) << name;
  }
  facts.queue.exists = true;
  facts.queue.name = kDefaultQueue;
  EXPECT_TRUE(IsQueueOpen(facts));
}

TEST(Refusals, FilesOfAFeedMustBeWhereTheTasksRun) {
  const auto reads = [](const char* from) {
    return [from](jobspec::JobSpec& spec, ClusterFacts&) {
      spec.feeds.emplace_back().name = "train";
      spec.feeds[0].from = {"hdfs:///data", from};
    };
  };
  Check({{"HDFS", reads("hdfs:///more"), {}},
         {"a path of all nodes", reads("file:///shared/data"), {}},
         {"a path of this machine",
          reads("/home/me/data"),
          {"feeds.train.from: /home/me/data is on this machine, and the tasks run on other nodes; copy it to HDFS and "
           "write hdfs:///..., or, if every node has this path, write file:///home/me/data"}}});
}

TEST(AllowedQueues, ParentsAndQueuesWithoutPermissionAreLeftOut) {
  std::vector<::hadoop::yarn::QueueUserACLInfoProto> acls;
  const auto add = [&](const char* name, ::hadoop::yarn::QueueACLProto acl) {
    acls.emplace_back().set_queuename(name);
    acls.back().add_useracls(acl);
  };
  add("root", ::hadoop::yarn::QACL_SUBMIT_APPLICATIONS);
  add("root.ml", ::hadoop::yarn::QACL_SUBMIT_APPLICATIONS);
  add("root.ml.a", ::hadoop::yarn::QACL_SUBMIT_APPLICATIONS);
  add("root.ml.b", ::hadoop::yarn::QACL_ADMINISTER_QUEUE);
  add("root.mlx", ::hadoop::yarn::QACL_SUBMIT_APPLICATIONS);
  EXPECT_EQ(AllowedQueues(acls), (std::vector<std::string>{"root.ml.a", "root.mlx"}));
  EXPECT_EQ(AllowedQueues({}), std::vector<std::string>{});
}

TEST(Refusals, TaskLargerThanEveryNodeOrGangLargerThanTheQueueIsRefused) {
  Check({
      {"lost nodes count",
       [](auto& s, auto&) {
         s.roles[0].memory_bytes = 1025 * kMib, s.roles[0].instances = {1, 1};
       },
       {}},
      {"too large for every node",
       [](auto& s, auto& f) {
         s.roles[0].memory_bytes = 8192 * kMib;
         f.queue.maximum = std::nullopt;
       },
       {"no node is large enough: roles.worker requests 8 GiB, 1 core per task; the largest node, n2, has 4 GiB, 4 "
        "cores; lower roles.worker.memory to 4GiB"}},
      {"too many GPUs",
       [](auto& s, auto&) { s.roles[0].gpus = 3; },
       {"no node is large enough: roles.worker requests 256 MiB, 1 core, 3 yarn.io/gpu per task; the largest node, n1, "
        "has 1 GiB, 8 cores, 2 yarn.io/gpu; lower roles.worker.gpus to 2"}},
      {"too large in two respects",
       [](auto& s, auto&) {
         s.roles[0].memory_bytes = 8192 * kMib;
         s.roles[0].vcores = 5;
       },
       {"no node is large enough: roles.worker requests 8 GiB, 5 cores per task; the largest node, n2, has 4 GiB, 4 "
        "cores; lower roles.worker.memory to 4GiB, lower roles.worker.vcores to 4"}},
      {"no GPUs on nodes with the label",
       [](auto& s, auto&) {
         s.node_label = "fast";
         s.roles[0].gpus = 1;
       },
       {"no node is large enough: roles.worker requests 256 MiB, 1 core, 1 yarn.io/gpu per task; the largest node with "
        "the label 'fast', n3, has 512 MiB, 8 cores; remove roles.worker.gpus"}},
      {"unknown resource type",
       [](auto& s, auto&) {
         s.roles[0].resources = {{"yarn.io/fpga", 1}};
       },
       {"roles.worker requests 1 yarn.io/fpga, which is not a resource type of this cluster; its types: memory-mb, "
        "vcores, yarn.io/gpu; remove roles.worker.resources.yarn.io/fpga"}},
      {"unknown label",
       [](auto& s, auto&) { s.roles[0].node_label = "slow"; },
       {"roles.worker: the node label 'slow' does not exist; existing labels: fast, empty"}},
      {"label not accessible to the queue",
       [](auto& s, auto& f) {
         s.roles[0].node_label = "fast";
         f.queue.labels = {"empty"};
       },
       {"roles.worker: the queue 'q' may not use nodes with the label 'fast'; it may use empty"}},
      {"too large for the nodes with the label",
       [](auto& s, auto&) {
         s.node_label = "fast";
         s.roles[0].memory_bytes = 600 * kMib;
       },
       {"no node is large enough: roles.worker requests 600 MiB, 1 core per task; the largest node with the label "
        "'fast', n3, has 512 MiB, 8 cores; lower roles.worker.memory to 512MiB"}},
      {"label without nodes", [](auto& s, auto&) { s.node_label = "empty"; }, {}},
      {"gang larger than the queue",
       [](auto& s, auto&) {
         s.roles[0].instances = {9, 9};
       },
       {"the tasks that start together request 2.2 GiB, 9 cores in total, but the queue 'q' can never have more than 2 "
        "GiB, 16 cores; request less, use another queue, or set start: free"}},
      {"larger than the queue, but start: free",
       [](auto& s, auto&) {
         s.roles[0].instances = {9, 9};
         s.start = jobspec::StartMode::kFree;
       },
       {}},
  });
}

TEST(Refusals, ConditionsOnAttributesMustHoldOnSomeNode) {
  const auto gen = [](auto& s, auto& f, const std::string& value, bool none = false) {
    f.nodes[0].attributes = {{"rm.yarn.io/gen", "v100"}};
    f.nodes[1].attributes = {{"rm.yarn.io/gen", "v100"}, {"nm.yarn.io/disk", "ssd"}};
    s.roles[0].placement.attributes = {{"gen", {value}, none}};
  };
  const std::string refused =
      "roles.worker.placement.attributes: no node meets the conditions. Attributes of the nodes: ";
  Check({
      {"met", [&](auto& s, auto& f) { gen(s, f, "v100"); }, {}},
      {"not met", [&](auto& s, auto& f) { gen(s, f, "a100"); }, {refused + "gen: v100 (2 nodes)"}},
      {"excluded on every node", [&](auto& s, auto& f) { gen(s, f, "v100", true); }, {refused + "gen: v100 (2 nodes)"}},
      {"met only by a lost node",
       [&](auto& s, auto& f) {
         gen(s, f, "v100");
         s.roles[0].placement.attributes.push_back({"disk", {"ssd"}});
       },
       {}},
      {"met only together",
       [&](auto& s, auto& f) {
         gen(s, f, "v100");
         f.nodes[0].attributes = {{"rm.yarn.io/gen", "a100"}, {"nm.yarn.io/disk", "nvme"}};
         s.roles[0].placement.attributes.push_back({"disk", {"nvme"}});
       },
       {refused + "gen: a100 (1 node), v100 (1 node); disk: nvme (1 node), ssd (1 node)"}},
      {"unknown attribute",
       [&](auto& s, auto&) {
         s.roles[0].placement.attributes = {{"os", {"rhel7"}}};
       },
       {refused + "os: no node has it"}},
      {"a node that may be added can have any attribute",
       [&](auto& s, auto& f) {
         gen(s, f, "a100");
         f.growth = {{.label = "", .node = {1024, 8, {}}, .count = 1}};
       },
       {}},
  });
}

TEST(Refusals, NodesThatTheAutoscalerMayAddCount) {
  Check({
      {"gang that fits as soon as the autoscaler has added nodes",
       [](auto& s, auto& f) {
         s.roles[0].instances = {12, 12};
         f.growth = {{"", {1024, 8, {}}, 1}};
       },
       {}},
      {"gang larger than the queue on the largest cluster",
       [](auto& s, auto& f) {
         s.roles[0].instances = {12, 12};
         f.queue.maximum_share = 0.5;
         f.growth = {{"", {1024, 8, {}}, 1}, {"fast", {65536, 8, {}}, 1}};
       },
       {"the tasks that start together request 3 GiB, 12 cores in total, but the queue 'q' can never have more than "
        "2.5 "
        "GiB, 20 cores, even with all nodes that the autoscaler may add; request less, use another queue, or set "
        "start: free"}},
      {"gang larger than the queue, and an autoscaler that does not run",
       [](auto& s, auto& f) {
         s.roles[0].instances = {9, 9};
         f.no_growth = "the autoscaler sleeps";
       },
       {"the tasks that start together request 2.2 GiB, 9 cores in total, but the queue 'q' can never have more than 2 "
        "GiB, 16 cores; request less, use another queue, or set start: free; the autoscaler sleeps"}},
      {"task that fits on a node that the autoscaler may add",
       [](auto& s, auto& f) {
         s.roles[0].memory_bytes = 8192 * kMib;
         f.growth = {{"", {16384, 8, {}}, 1}};
       },
       {}},
      {"task that fits only on added nodes with another label",
       [](auto& s, auto& f) {
         s.roles[0].memory_bytes = 8192 * kMib;
         f.growth = {{"fast", {16384, 8, {}}, 1}};
       },
       {"no node is large enough: roles.worker requests 8 GiB, 1 core per task; the largest node, n2, has 4 GiB, 4 "
        "cores; lower roles.worker.memory to 4GiB"}},
  });
}

TEST(Refusals, TaskLargerThanTheContainerMaximumIsRefused) {
  EXPECT_EQ(OversizedContainers(Job(), {256, 1, {}}, {}), std::vector<std::string>());
  EXPECT_EQ(
      OversizedContainers(Job(), {255, 4, {}}, {}),
      std::vector<std::string>{"roles.worker requests 256 MiB, 1 core per task; the ResourceManager grants at most 255 "
                               "MiB, 4 cores per container (yarn.scheduler.maximum-allocation-mb, -vcores); lower "
                               "roles.worker.memory to 255MiB"});
}

TEST(Refusals, TaskOfAGangMayBeAsLargeAsANodeThatWillBeAdded) {
  jobspec::JobSpec spec = Job();
  EXPECT_EQ(OversizedContainers(spec, {255, 4, {}}, {{"", {512, 4, {}}, 1}}), std::vector<std::string>());
  EXPECT_EQ(OversizedContainers(spec, {255, 4, {}}, {{"fast", {512, 4, {}}, 1}}).size(), 1u);
  spec.start = jobspec::StartMode::kFree;  // requested at once, so the ResourceManager refuses it
  EXPECT_EQ(OversizedContainers(spec, {255, 4, {}}, {{"", {512, 4, {}}, 1}}).size(), 1u);
}

}  // namespace
}  // namespace howdah::backend::yarn::client
