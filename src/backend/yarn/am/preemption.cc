#include "preemption.h"

#include <algorithm>
#include <utility>

#include "howdah/hadoop/yarn/ids.h"

namespace howdah::backend::yarn::am {
namespace {

using ::hadoop::yarn::QueueInfoProto;

constexpr size_t kMaxListed = 3;
// The AM waits only briefly for the queue's name, because the preempted container's grace period is already running. An
// answer is reused for one second, because schedulers preempt in rounds that are seconds apart.
constexpr std::chrono::seconds kMaxWait(1), kCacheTime(1);

LeafQueue FactsOf(const QueueInfoProto& info) {
  const auto& counts = info.queuestatistics();
  LeafQueue leaf{.name = info.queuename(),
                 .path = info.queuepath(),
                 .guarantees = {},
                 .used_share = info.currentcapacity(),
                 .containers = counts.allocatedcontainers(),
                 .pending = counts.pendingcontainers(),
                 .preempts_within = info.has_intraqueuepreemptiondisabled() && !info.intraqueuepreemptiondisabled()};
  for (const auto& partition : info.queueconfigurationsmap()) {
    if (partition.queueconfigurations().effectivemincapacity().memory() > 0) {
      leaf.guarantees.insert(partition.partitionname());
    }
  }
  // The FairScheduler reports no partitions. As the queue's capacity it reports the queue's current share.
  if (info.queueconfigurationsmap_size() == 0 && info.capacity() > 0) leaf.guarantees.insert("");
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

// Whether the queue would be below its guarantee with one container fewer. Schedulers may grant a queue one container
// beyond its guarantee.
bool IsWithinGuarantee(const LeafQueue& leaf) {
  return leaf.used_share * static_cast<double>(leaf.containers - 1) < static_cast<double>(leaf.containers);
}

std::vector<LeafQueue> Select(const std::vector<LeafQueue>& leaves, bool (*matches)(const LeafQueue&)) {
  std::vector<LeafQueue> selected;
  std::copy_if(leaves.begin(), leaves.end(), std::back_inserter(selected), matches);
  return selected;
}

std::string Named(const std::vector<LeafQueue>& leaves) {
  std::string text;
  for (size_t i = 0; i < leaves.size() && i < kMaxListed; ++i) {
    const bool last = i + 1 == leaves.size();
    text += (i == 0 ? "queue " : last ? " or " : ", ") + leaves[i].name;
  }
  return leaves.size() > kMaxListed ? text + " or another" : text;
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
    if (leaf != self && leaf->guarantees.contains(label)) others.push_back(*leaf);
  }
  const bool counted = label.empty();
  if (counted) {
    const auto starved = Select(others, [](const LeafQueue& leaf) { return leaf.pending > 0 && leaf.used_share < 1; });
    if (!starved.empty()) return Named(starved);
    if (self->preempts_within && self->pending > 0) return "another application of the queue " + self->name;
    // If no queue is starved now, the preempting queue may already have its containers.
    others = Select(others, [](const LeafQueue& leaf) { return leaf.containers > 0 && IsWithinGuarantee(leaf); });
  }
  return others.size() == 1 && !self->preempts_within ? Named(others) : "";
}

PreemptorLookup::PreemptorLookup(boost::asio::io_context& loop, HadoopClient cluster, JobId job)
    : query_(loop, std::move(cluster)), job_(std::move(job)), timeout_(loop), cache_end_(loop) {}

void PreemptorLookup::Find(const std::string& label, OnFound on_found) {
  if (cached_) return on_found(PreemptingQueue(cached_->leaves, cached_->own, label));
  waiting_.push_back({label, std::move(on_found)});
  if (waiting_.size() > 1) return;
  timeout_.expires_after(kMaxWait);
  timeout_.async_wait([this](const boost::system::error_code& error) {
    if (!error) AnswerAll({});
  });
  if (query_.running()) return;  // the answer of the running query also applies to this container
  query_.Start(
      [this, job = job_](HadoopClient& cluster) { return [this, queues = Query(cluster, job)] { OnQueues(queues); }; });
}

Result<PreemptorLookup::Queues> PreemptorLookup::Query(HadoopClient& cluster, const JobId& job) {
  HOWDAH_TRY(const auto rm, cluster.Rm());
  // Query the application's queue, because the scheduler may have put it into a queue other than the requested one.
  HOWDAH_TRY(const auto report,
             rm->Report(hadoop::yarn::ParseApplicationId(job.text).value_or(hadoop::yarn::ApplicationId())));
  HOWDAH_TRY(const auto root, rm->QueueInfo("root", /*with_children=*/true));
  return Queues{report.queue(), LeafQueues(root)};
}

void PreemptorLookup::OnQueues(const Result<Queues>& queues) {
  cached_ = queues.ok() ? *queues : Queues();
  cache_end_.expires_after(kCacheTime);
  cache_end_.async_wait([this](const boost::system::error_code& error) {
    if (!error) cached_.reset();
  });
  timeout_.cancel();
  AnswerAll(*cached_);
}

void PreemptorLookup::AnswerAll(const Queues& queues) {
  for (const Waiting& one : std::exchange(waiting_, {}))
    one.on_found(PreemptingQueue(queues.leaves, queues.own, one.label));
}

}  // namespace howdah::backend::yarn::am
