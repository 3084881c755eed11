#include "preemption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>

namespace howdah::backend::yarn::am {
namespace {

using boost::asio::ip::tcp;
using ::hadoop::yarn::QueueInfoProto;
using testing::ElementsAre;
using testing::IsEmpty;

LeafQueue Queue(const std::string& name, double used_share, int64_t containers, int64_t pending) {
  return {name, "", {""}, used_share, containers, pending, false};
}

// The job's own queue. It uses more than its guarantee, and has pending requests for replacement containers.
LeafQueue Own() { return Queue("default", 1.8, 11, 4); }

TEST(PreemptingQueue, StarvedQueueIsReported) {
  const LeafQueue starved = Queue("a", 0.2, 1, 3), also_starved = Queue("b", 0, 0, 1), idle = Queue("i", 0, 0, 0);
  const LeafQueue satisfied = Queue("s", 0.8, 5, 0), beyond = Queue("o", 1.4, 9, 6);
  LeafQueue no_guarantee = Queue("n", 0, 0, 2);
  no_guarantee.guarantees.clear();
  const struct {
    const char* name;
    std::vector<LeafQueue> others;
    const char* preemptor;
  } rows[] = {
      {"one starved queue", {idle, starved, satisfied, beyond, no_guarantee}, "queue a"},
      {"two starved queues", {starved, idle, also_starved}, "queue a or b"},
      {"three starved queues", {starved, also_starved, Queue("c", 0.5, 1, 1)}, "queue a, b or c"},
      {"four starved queues",
       {starved, also_starved, Queue("c", 0, 0, 1), Queue("d", 0, 0, 1)},
       "queue a, b, c or another"},
      {"no pending request, one queue with containers", {satisfied, idle, beyond}, "queue s"},
      {"last container beyond the guarantee", {Queue("a", 1.1, 6, 0), idle}, "queue a"},
      {"guarantee met without the last container", {Queue("a", 1.2, 6, 0), idle}, ""},
      {"one container larger than the guarantee", {Queue("a", 3, 1, 0)}, "queue a"},
      {"no pending request, two queues with containers", {satisfied, Queue("a", 0.5, 2, 0)}, ""},
      {"queues with requests above their guarantees", {beyond}, ""},
      {"starved queue without a guarantee", {no_guarantee}, ""},
      {"no other containers", {idle}, ""},
      {"no other queue", {}, ""},
  };
  for (const auto& row : rows) {
    std::vector<LeafQueue> leaves = row.others;
    leaves.insert(leaves.begin() + static_cast<std::ptrdiff_t>(leaves.size() / 2), Own());
    EXPECT_EQ(PreemptingQueue(leaves, "default", ""), row.preemptor) << row.name;
  }
}

TEST(PreemptingQueue, PreemptionWithinOwnQueueIsReported) {
  LeafQueue own = Own();
  own.preempts_within = true;
  const LeafQueue satisfied = Queue("s", 0.8, 5, 0);
  EXPECT_EQ(PreemptingQueue({own, satisfied}, "default", ""), "another application of the queue default");
  EXPECT_EQ(PreemptingQueue({own, Queue("a", 0.2, 1, 3)}, "default", ""), "queue a");
  own.pending = 0;
  EXPECT_EQ(PreemptingQueue({own, satisfied}, "default", ""), "");
}

TEST(PreemptingQueue, OnlyOtherQueueWithAGuaranteeInTheLabelledPartitionIsReported) {
  LeafQueue own = Own(), gpu = Queue("gpu", 0, 0, 0), starved = Queue("a", 0.2, 1, 3);
  own.guarantees = gpu.guarantees = {"", "big"};
  EXPECT_EQ(PreemptingQueue({own, gpu, starved}, "default", "big"), "queue gpu");
  starved.guarantees.insert("big");
  EXPECT_EQ(PreemptingQueue({own, gpu, starved}, "default", "big"), "");
  own.preempts_within = true;
  EXPECT_EQ(PreemptingQueue({own, gpu}, "default", "big"), "");
}

TEST(PreemptingQueue, OwnQueueIsFoundByNameAndByPath) {
  const LeafQueue starved = Queue("a", 0.2, 1, 3);
  LeafQueue own = Own(), namesake = Queue("default", 0.1, 1, 1);
  EXPECT_EQ(PreemptingQueue({starved, own}, "root.default", ""), "queue a");
  EXPECT_EQ(PreemptingQueue({starved, own}, "root.other", ""), "");
  EXPECT_EQ(PreemptingQueue({starved, own}, "", ""), "");
  own.path = "root.default";
  namesake.path = "root.b.default";
  EXPECT_EQ(PreemptingQueue({namesake, own}, "root.default", ""), "queue default");
  own.name = own.path;  // the FairScheduler reports the path as the name
  EXPECT_EQ(PreemptingQueue({starved, own}, "root.default", ""), "queue a");
}

void Count(QueueInfoProto& queue, int64_t containers, int64_t pending) {
  queue.mutable_queuestatistics()->set_allocatedcontainers(containers);
  queue.mutable_queuestatistics()->set_pendingcontainers(pending);
}

QueueInfoProto& Add(QueueInfoProto& parent, const std::string& name) {
  QueueInfoProto& child = *parent.add_childqueues();
  child.set_queuename(name);
  return child;
}

// A queue below a parent queue, as the CapacityScheduler of Hadoop 3.3.6 reports it.
TEST(LeafQueues, QueuesOfTheCapacitySchedulerAreRead) {
  QueueInfoProto root;
  root.set_queuename("root");
  Count(root, 11, 4);
  QueueInfoProto& parent = Add(root, "teams");
  Count(parent, 11, 4);
  QueueInfoProto& leaf = Add(parent, "urgent");
  leaf.set_queuepath("root.teams.urgent");
  leaf.set_currentcapacity(0.25F);
  leaf.set_intraqueuepreemptiondisabled(false);
  Count(leaf, 1, 4);
  for (const auto& [label, mib] : {std::pair("", 6144), std::pair("big", 1024), std::pair("none", 0)}) {
    auto& partition = *leaf.add_queueconfigurationsmap();
    partition.set_partitionname(label);
    partition.mutable_queueconfigurations()->mutable_effectivemincapacity()->set_memory(mib);
  }
  const std::vector<LeafQueue> leaves = LeafQueues(root);
  ASSERT_EQ(leaves.size(), 1);
  EXPECT_EQ(leaves[0].name, "urgent");
  EXPECT_EQ(leaves[0].path, "root.teams.urgent");
  EXPECT_THAT(leaves[0].guarantees, ElementsAre("", "big"));
  EXPECT_EQ(leaves[0].used_share, 0.25);
  EXPECT_EQ(leaves[0].containers, 1);
  EXPECT_EQ(leaves[0].pending, 4);
  EXPECT_TRUE(leaves[0].preempts_within);
}

// The FairScheduler reports a queue's current share as its capacity, so the capacity of an empty queue is 0.
TEST(LeafQueues, QueuesOfTheFairSchedulerAreRead) {
  QueueInfoProto root;
  for (const auto& [name, share] : {std::pair("root.default", 0.0F), std::pair("root.alice", 0.5F)}) {
    QueueInfoProto& leaf = Add(root, name);
    leaf.set_capacity(share);
    Count(leaf, 1, 0);
  }
  const std::vector<LeafQueue> leaves = LeafQueues(root);
  ASSERT_EQ(leaves.size(), 2);
  EXPECT_THAT(leaves[0].guarantees, IsEmpty());
  EXPECT_THAT(leaves[1].guarantees, ElementsAre(""));
  EXPECT_FALSE(leaves[1].preempts_within);
}

TEST(LeafQueues, QueuesWithoutStatisticsAreSkipped) {
  QueueInfoProto root;
  Add(root, "default");
  EXPECT_THAT(LeafQueues(root), IsEmpty());
}

// The ResourceManager accepts the connection but never answers.
TEST(PreemptorLookup, SilentResourceManagerGivesAnEmptyResultAfterTheTimeout) {
  boost::asio::io_context loop;
  const tcp::acceptor rm(loop, {boost::asio::ip::address_v4::loopback(), 0});
  hadoop::conf::Configuration configuration({[](const std::string&) { return std::nullopt; }, "ann", "/home/ann"});
  configuration.Set("yarn.resourcemanager.address", "127.0.0.1:" + std::to_string(rm.local_endpoint().port()), "test");
  hadoop::rpc::RetryLimits limits;
  limits.connect = limits.call = limits.give_up = std::chrono::milliseconds(1200);
  PreemptorLookup lookup(
      loop,
      HadoopClient(configuration, "ann", std::make_shared<const CredentialStore>(hadoop::rpc::Credentials()), limits),
      JobId{"application_1_0001"});

  std::vector<std::string> found;
  const auto on_found = [&](const std::string& preemptor) { found.push_back(preemptor); };
  const auto run_until_found = [&](size_t count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    loop.restart();
    while (found.size() < count && loop.run_one_until(end) > 0) {
    }
  };
  lookup.Find("", on_found);
  lookup.Find("big", on_found);
  EXPECT_THAT(found, IsEmpty());
  run_until_found(2);
  EXPECT_THAT(found, ElementsAre("", ""));
  // While the first query runs, Find does not call on_found immediately. After the query has failed, Find immediately
  // passes on the cached empty result.
  for (bool at_once = false; !at_once; run_until_found(1)) {
    found.clear();
    lookup.Find("", on_found);
    at_once = found.size() == 1;
  }
  EXPECT_THAT(found, ElementsAre(""));
}

}  // namespace
}  // namespace howdah::backend::yarn::am
