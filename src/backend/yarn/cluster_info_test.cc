#include "howdah/backend/yarn/cluster_info.h"

#include <gtest/gtest.h>

#include <limits>

namespace howdah::backend::yarn {
namespace {

namespace proto = ::hadoop::yarn;

constexpr int64_t kMiB = int64_t{1} << 20;

void Set(proto::ResourceProto& resource, int64_t mib, int vcores, int64_t gpus) {
  resource.set_memory(mib);
  resource.set_virtual_cores(vcores);
  auto& gpu = *resource.add_resource_value_map();
  gpu.set_key("yarn.io/gpu");
  gpu.set_value(gpus);
}

TEST(ClusterInfo, NodeHasItsAmountsStateAndPlace) {
  proto::NodeReportProto report;
  report.mutable_nodeid()->set_host("node7");
  report.mutable_nodeid()->set_port(8041);
  report.set_rackname("/r1");
  report.add_node_labels("a100");
  report.set_node_state(proto::NS_RUNNING);
  report.set_numcontainers(3);
  Set(*report.mutable_capability(), 1024, 8, 4);
  Set(*report.mutable_used(), 512, 2, 1);
  const NodeInfo node = InfoOf(report);
  EXPECT_EQ(node.host, "node7");
  EXPECT_EQ(node.port, 8041);
  EXPECT_EQ(node.rack, "/r1");
  EXPECT_EQ(node.label, "a100");
  EXPECT_TRUE(node.usable);
  EXPECT_EQ(node.containers, 3);
  EXPECT_EQ(node.total, (Amounts{1024 * kMiB, 8, 4}));
  EXPECT_EQ(node.used, (Amounts{512 * kMiB, 2, 1}));
}

TEST(ClusterInfo, UnreportedUseOfALostNodeIsUnknown) {
  proto::NodeReportProto report;
  report.mutable_nodeid()->set_host("node7");
  report.set_node_state(proto::NS_UNHEALTHY);
  report.set_health_report("1/1 local-dirs are bad\nmore");
  const NodeInfo node = InfoOf(report);
  EXPECT_FALSE(node.usable);
  EXPECT_EQ(node.state, "UNHEALTHY");
  EXPECT_EQ(node.health, "1/1 local-dirs are bad");
  EXPECT_EQ(node.used, Amounts());
  EXPECT_EQ(node.containers, std::nullopt);
}

TEST(ClusterInfo, ApplicationOfAnotherUserHasNoAmounts) {
  proto::ApplicationReportProto report;
  report.set_user("bob");
  report.set_applicationtype("SPARK");
  report.set_yarn_application_state(proto::RUNNING);
  report.set_host("N/A");
  auto& usage = *report.mutable_app_resource_usage();
  usage.set_num_used_containers(-1);
  Set(*usage.mutable_used_resources(), -1, -1, 0);
  const ApplicationInfo application = InfoOf(report);
  EXPECT_TRUE(application.running);
  EXPECT_EQ(application.user, "bob");
  EXPECT_EQ(application.type, "SPARK");
  EXPECT_EQ(application.master_host, "");
  EXPECT_EQ(application.containers, std::nullopt);
  EXPECT_EQ(application.used, Amounts());
}

TEST(ClusterInfo, AcceptedApplicationRunsOnceItHasAContainer) {
  proto::ApplicationReportProto report;
  report.set_yarn_application_state(proto::ACCEPTED);
  auto& usage = *report.mutable_app_resource_usage();
  usage.set_num_used_containers(0);
  Set(*usage.mutable_used_resources(), 0, 0, 0);
  EXPECT_FALSE(InfoOf(report).running);
  EXPECT_EQ(InfoOf(report).used, (Amounts{0, 0, 0}));
  usage.set_num_used_containers(1);
  EXPECT_TRUE(InfoOf(report).running);
}

TEST(ClusterInfo, QueuesFollowTheirParentsWithWholePaths) {
  proto::QueueInfoProto root;
  root.set_queuename("root");
  root.set_state(proto::Q_RUNNING);
  auto& ml = *root.add_childqueues();
  ml.set_queuename("ml");
  ml.set_state(proto::Q_RUNNING);
  auto& train = *ml.add_childqueues();
  train.set_queuename("root.ml.train");
  train.set_state(proto::Q_DRAINING);
  train.set_currentcapacity(1.1F);
  auto& labelled = *train.add_queueconfigurationsmap();
  labelled.set_partitionname("a100");
  labelled.mutable_queueconfigurations()->set_absolutecapacity(0.9F);
  auto& partition = *train.add_queueconfigurationsmap();
  partition.set_partitionname("");
  auto& limits = *partition.mutable_queueconfigurations();
  limits.set_absolutecapacity(0.25F);
  limits.set_absolutemaxcapacity(0.5F);
  limits.set_maxampercentage(0.125F);
  Set(*limits.mutable_effectivemaxcapacity(), 2048, 16, 4);
  auto& statistics = *train.mutable_queuestatistics();
  statistics.set_allocatedmemorymb(1024);
  statistics.set_allocatedvcores(8);
  statistics.set_numappsrunning(2);
  statistics.set_numappspending(1);
  statistics.set_pendingcontainers(5);
  statistics.set_pendingmemorymb(640);
  statistics.set_pendingvcores(5);
  const auto queues = QueuesOf(root);
  ASSERT_EQ(queues.size(), 3u);
  EXPECT_EQ(queues[0].path, "root");
  EXPECT_FALSE(queues[0].leaf);
  EXPECT_EQ(queues[0].running, std::nullopt);
  EXPECT_EQ(queues[0].pending, PendingInfo());
  EXPECT_EQ(queues[1].path, "root.ml");
  EXPECT_EQ(queues[1].parent, "root");
  const QueueInfo& leaf = queues[2];
  EXPECT_EQ(leaf.path, "root.ml.train");
  EXPECT_EQ(leaf.parent, "root.ml");
  EXPECT_TRUE(leaf.leaf);
  EXPECT_TRUE(leaf.stopped);
  EXPECT_FLOAT_EQ(static_cast<float>(*leaf.used_share), 1.1F);
  EXPECT_EQ(leaf.capacity_share, 0.25);
  EXPECT_EQ(leaf.maximum_share, 0.5);
  EXPECT_EQ(leaf.master_share, 0.125);
  EXPECT_EQ(leaf.capacity, Amounts());
  EXPECT_EQ(leaf.maximum, (Amounts{2048 * kMiB, 16, 4}));
  EXPECT_EQ(leaf.used, (Amounts{1024 * kMiB, 8, std::nullopt}));
  EXPECT_EQ(leaf.running, 2);
  EXPECT_EQ(leaf.waiting, 1);
  EXPECT_EQ(leaf.pending, (PendingInfo{5, {640 * kMiB, 5, std::nullopt}}));
}

TEST(ClusterInfo, NumbersOutOfRangeAreUnknownOrLimited) {
  proto::QueueInfoProto queue;
  queue.set_currentcapacity(std::numeric_limits<float>::quiet_NaN());
  queue.set_capacity(-1);
  queue.mutable_queuestatistics()->set_pendingmemorymb(INT64_MAX);
  queue.mutable_queuestatistics()->set_pendingcontainers(-7);
  const QueueInfo info = QueuesOf(queue).front();
  EXPECT_EQ(info.used_share, std::nullopt);
  EXPECT_EQ(info.capacity_share, std::nullopt);
  EXPECT_EQ(info.pending.amounts.memory_bytes, INT64_MAX);
  EXPECT_EQ(info.pending.containers, std::nullopt);
}

}  // namespace
}  // namespace howdah::backend::yarn
