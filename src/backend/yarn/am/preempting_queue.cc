#include "preempting_queue.h"

#include <algorithm>

namespace howdah::backend::yarn::am {
namespace {

using ::hadoop::yarn::QueueInfoProto;

constexpr size_t kQueuesNamed = 3;

LeafQueue FactsOf(const QueueInfoProto& info) {
  const auto& counts = info.queuestatistics();
  LeafQueue leaf{.name = info.queuename(),
                 .path = info.queuepath(),
                 .promised = {},
                 .used_share = info.currentcapacity(),
                 .containers = counts.allocatedcontainers(),
                 .asks = counts.pendingcontainers(),
                 .preempts_within = info.has_intraqueuepreemptiondisabled() && !info.intraqueuepreemptiondisabled()};
  for (const auto& partition : info.queueconfigurationsmap()) {
    if (partition.queueconfigurations().effectivemincapacity().memory() > 0) {
      leaf.promised.insert(partition.partitionname());
    }
  }
  // The fair scheduler has no partitions; capacity is the queue's share at the moment there.
  if (info.queueconfigurationsmap_size() == 0 && info.capacity() > 0) leaf.promised.insert("");
  return leaf;
}

void Collect(const QueueInfoProto& info, std::vector<LeafQueue>& leaves) {
  for (const QueueInfoProto& child : info.childqueues()) Collect(child, leaves);
  if (info.childqueues_size() == 0 && info.has_queuestatistics()) leaves.push_back(FactsOf(info));
}

bool IsCalled(const LeafQueue& leaf, const std::string& name) {
  if (leaf.name == name || leaf.path == name) return true;
  return leaf.path.empty() && name.ends_with("." + leaf.name);
}

// Schedulers let the last container of a queue go beyond what it is promised.
bool HasNoMoreThanPromised(const LeafQueue& leaf) {
  return leaf.used_share * static_cast<double>(leaf.containers - 1) < static_cast<double>(leaf.containers);
}

std::vector<LeafQueue> Those(const std::vector<LeafQueue>& leaves, bool (*fits)(const LeafQueue&)) {
  std::vector<LeafQueue> those;
  std::copy_if(leaves.begin(), leaves.end(), std::back_inserter(those), fits);
  return those;
}

std::string Named(const std::vector<LeafQueue>& leaves) {
  std::string text;
  for (size_t i = 0; i < leaves.size() && i < kQueuesNamed; ++i) {
    const bool last = i + 1 == leaves.size();
    text += (i == 0 ? "the queue " : last ? " or " : ", ") + leaves[i].name;
  }
  return leaves.size() > kQueuesNamed ? text + " or another" : text;
}

}  // namespace

std::vector<LeafQueue> LeafQueues(const QueueInfoProto& root) {
  std::vector<LeafQueue> leaves;
  Collect(root, leaves);
  return leaves;
}

std::string PreemptingQueue(const std::vector<LeafQueue>& leaves, const std::string& own, const std::string& label) {
  const auto self = std::find_if(leaves.begin(), leaves.end(), [&](const auto& leaf) { return IsCalled(leaf, own); });
  if (self == leaves.end()) return "";
  std::vector<LeafQueue> others;
  for (auto leaf = leaves.begin(); leaf != leaves.end(); ++leaf) {
    if (leaf != self && leaf->promised.contains(label)) others.push_back(*leaf);
  }
  const bool counted = label.empty();
  if (counted) {
    const auto deprived = Those(others, [](const LeafQueue& leaf) { return leaf.asks > 0 && leaf.used_share < 1; });
    if (!deprived.empty()) return Named(deprived);
    if (self->preempts_within && self->asks > 0) return "another application of the queue " + self->name;
    // What was asked for may have been granted by now.
    others = Those(others, [](const LeafQueue& leaf) { return leaf.containers > 0 && HasNoMoreThanPromised(leaf); });
  }
  return others.size() == 1 && !self->preempts_within ? Named(others) : "";
}

}  // namespace howdah::backend::yarn::am
