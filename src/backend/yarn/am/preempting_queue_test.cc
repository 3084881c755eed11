#include "preempting_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::backend::yarn::am {
namespace {

using ::hadoop::yarn::QueueInfoProto;
using testing::ElementsAre;
using testing::IsEmpty;

LeafQueue Queue(const std::string& name, double used_share, int64_t containers, int64_t asks) {
  return {name, "", {""}, used_share, containers, asks, false};
}

// The job's own queue has more than it is promised, and asks for what it has lost.
LeafQueue Own() { return Queue("default", 1.8, 11, 4); }

TEST(PreemptingQueue, WhoIsDeprivedOfWhatItIsPromised) {
  const LeafQueue waits = Queue("a", 0.2, 1, 3), waits_too = Queue("b", 0, 0, 1), idle = Queue("i", 0, 0, 0);
  const LeafQueue satisfied = Queue("s", 0.8, 5, 0), beyond = Queue("o", 1.4, 9, 6);
  LeafQueue nothing_promised = Queue("n", 0, 0, 2);
  nothing_promised.promised.clear();
  const struct {
    const char* name;
    std::vector<LeafQueue> others;
    const char* preemptor;
  } rows[] = {
      {"the one that waits", {idle, waits, satisfied, beyond, nothing_promised}, "the queue a"},
      {"two wait", {waits, idle, waits_too}, "the queue a or b"},
      {"three wait", {waits, waits_too, Queue("c", 0.5, 1, 1)}, "the queue a, b or c"},
      {"four wait", {waits, waits_too, Queue("c", 0, 0, 1), Queue("d", 0, 0, 1)}, "the queue a, b, c or another"},
      {"nobody waits any more, and one has something", {satisfied, idle, beyond}, "the queue s"},
      {"its last container went beyond", {Queue("a", 1.1, 6, 0), idle}, "the queue a"},
      {"it has its promise without its last container", {Queue("a", 1.2, 6, 0), idle}, ""},
      {"one container that is larger than all it is promised", {Queue("a", 3, 1, 0)}, "the queue a"},
      {"nobody waits any more, and any of two may have got it", {satisfied, Queue("a", 0.5, 2, 0)}, ""},
      {"those who wait have what they are promised", {beyond}, ""},
      {"nothing is promised to who waits", {nothing_promised}, ""},
      {"nobody else has anything", {idle}, ""},
      {"there is no other queue", {}, ""},
  };
  for (const auto& row : rows) {
    std::vector<LeafQueue> leaves = row.others;
    leaves.insert(leaves.begin() + static_cast<std::ptrdiff_t>(leaves.size() / 2), Own());
    EXPECT_EQ(PreemptingQueue(leaves, "default", ""), row.preemptor) << row.name;
  }
}

TEST(PreemptingQueue, AQueueMayPreemptWithinItself) {
  LeafQueue own = Own();
  own.preempts_within = true;
  const LeafQueue satisfied = Queue("s", 0.8, 5, 0);
  EXPECT_EQ(PreemptingQueue({own, satisfied}, "default", ""), "another application of the queue default");
  EXPECT_EQ(PreemptingQueue({own, Queue("a", 0.2, 1, 3)}, "default", ""), "the queue a");
  own.asks = 0;
  EXPECT_EQ(PreemptingQueue({own, satisfied}, "default", ""), "");
}

TEST(PreemptingQueue, OfALabelOnlyPromisesAreKnown) {
  LeafQueue own = Own(), gpu = Queue("gpu", 0, 0, 0), waits = Queue("a", 0.2, 1, 3);
  own.promised = gpu.promised = {"", "big"};
  EXPECT_EQ(PreemptingQueue({own, gpu, waits}, "default", "big"), "the queue gpu");
  waits.promised.insert("big");
  EXPECT_EQ(PreemptingQueue({own, gpu, waits}, "default", "big"), "");
  own.preempts_within = true;
  EXPECT_EQ(PreemptingQueue({own, gpu}, "default", "big"), "");
}

TEST(PreemptingQueue, TheOwnQueueByNameAndByPath) {
  const LeafQueue waits = Queue("a", 0.2, 1, 3);
  LeafQueue own = Own(), namesake = Queue("default", 0.1, 1, 1);
  EXPECT_EQ(PreemptingQueue({waits, own}, "root.default", ""), "the queue a");
  EXPECT_EQ(PreemptingQueue({waits, own}, "root.other", ""), "");
  EXPECT_EQ(PreemptingQueue({waits, own}, "", ""), "");
  own.path = "root.default";
  namesake.path = "root.b.default";
  EXPECT_EQ(PreemptingQueue({namesake, own}, "root.default", ""), "the queue default");
  own.name = own.path;  // as the FairScheduler calls it
  EXPECT_EQ(PreemptingQueue({waits, own}, "root.default", ""), "the queue a");
}

void Count(QueueInfoProto& queue, int64_t containers, int64_t asks) {
  queue.mutable_queuestatistics()->set_allocatedcontainers(containers);
  queue.mutable_queuestatistics()->set_pendingcontainers(asks);
}

QueueInfoProto& Add(QueueInfoProto& parent, const std::string& name) {
  QueueInfoProto& child = *parent.add_childqueues();
  child.set_queuename(name);
  return child;
}

// As the CapacityScheduler of 3.3.6 tells it, with a parent between.
TEST(LeafQueues, ACapacityScheduler) {
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
  EXPECT_THAT(leaves[0].promised, ElementsAre("", "big"));
  EXPECT_EQ(leaves[0].used_share, 0.25);
  EXPECT_EQ(leaves[0].containers, 1);
  EXPECT_EQ(leaves[0].asks, 4);
  EXPECT_TRUE(leaves[0].preempts_within);
}

// Its capacity is the share at the moment: none while nobody runs anything there.
TEST(LeafQueues, AFairScheduler) {
  QueueInfoProto root;
  for (const auto& [name, share] : {std::pair("root.default", 0.0F), std::pair("root.alice", 0.5F)}) {
    QueueInfoProto& leaf = Add(root, name);
    leaf.set_capacity(share);
    Count(leaf, 1, 0);
  }
  const std::vector<LeafQueue> leaves = LeafQueues(root);
  ASSERT_EQ(leaves.size(), 2);
  EXPECT_THAT(leaves[0].promised, IsEmpty());
  EXPECT_THAT(leaves[1].promised, ElementsAre(""));
  EXPECT_FALSE(leaves[1].preempts_within);
}

TEST(LeafQueues, WithoutNumbersThereIsNothingToConcludeFrom) {
  QueueInfoProto root;
  Add(root, "default");
  EXPECT_THAT(LeafQueues(root), IsEmpty());
}

}  // namespace
}  // namespace howdah::backend::yarn::am
