#include "pending_monitor.h"

#include <algorithm>

namespace howdah::backend::yarn::am {
namespace {

// Ever more rarely: who waits for hours must not cost the ResourceManager much, nor fill the journal with figures.
constexpr Duration kFirstLook = std::chrono::seconds(1), kLongestWatchPause = std::chrono::minutes(1);

}  // namespace

PendingMonitor::PendingMonitor(boost::asio::io_context& loop, HadoopClient cluster, std::string queue,
                               std::string label, std::function<void(const std::string&)> say)
    : timer_(loop),
      rm_(loop, std::move(cluster)),
      queue_(std::move(queue)),
      label_(std::move(label)),
      say_(std::move(say)) {}

void PendingMonitor::SetPending(std::vector<PendingContainers> wants) {
  if (wants == wants_) return;
  wants_ = std::move(wants);
  pause_ = kFirstLook;
  if (!wants_.empty()) return LookAfter(pause_);
  timer_.cancel();
  if (!std::exchange(said_, "").empty()) say_("");
}

void PendingMonitor::LookAfter(Duration pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error && !rm_.asking() && !wants_.empty()) Look();  // one look at a time: the next is planned by its answer
  });
}

void PendingMonitor::Look() {
  rm_.Ask([this, queue = queue_, label = label_](HadoopClient& cluster) {
    const auto rm = cluster.Rm();
    auto facts = rm.ok() ? FetchClusterFacts(**rm, cluster.user(), queue, label) : Result<ClusterFacts>(rm.error());
    return [this, facts = std::move(facts)] { Take(facts); };
  });
}

void PendingMonitor::Take(const Result<ClusterFacts>& facts) {
  if (wants_.empty()) return;
  // Where the AM may not ask (a cluster with Kerberos and no token for it) it says only what it knows.
  const std::string why = facts.ok() ? WhyPending(*facts, wants_, headroom_) : "";
  if (!why.empty() && why != said_) say_(said_ = why);
  LookAfter(pause_);
  pause_ = std::min(pause_ * 2, kLongestWatchPause);
}

}  // namespace howdah::backend::yarn::am
