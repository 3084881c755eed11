#include "pending_monitor.h"

#include <algorithm>

namespace howdah::backend::yarn::am {
namespace {

// The pause between two queries grows, because a job that is pending for hours must neither load the ResourceManager
// nor fill the journal.
constexpr Duration kFirstPause = std::chrono::seconds(1), kMaxPause = std::chrono::minutes(1);

}  // namespace

PendingMonitor::PendingMonitor(boost::asio::io_context& loop, HadoopClient cluster, std::string queue,
                               std::string label, std::function<void(const std::string&)> on_reason)
    : timer_(loop),
      query_(loop, std::move(cluster)),
      queue_(std::move(queue)),
      label_(std::move(label)),
      on_reason_(std::move(on_reason)) {}

void PendingMonitor::SetPending(std::vector<PendingContainers> pending) {
  if (pending == pending_) return;
  pending_ = std::move(pending);
  pause_ = kFirstPause;
  if (!pending_.empty()) return QueryAfter(pause_);
  timer_.cancel();
  if (!std::exchange(reported_, "").empty()) on_reason_("");
}

void PendingMonitor::QueryAfter(Duration pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this](const boost::system::error_code& error) {
    // If a query is still running, OnFacts schedules the next query after the answer.
    if (!error && !query_.running() && !pending_.empty()) Query();
  });
}

void PendingMonitor::Query() {
  query_.Start([this, queue = queue_, label = label_](HadoopClient& cluster) {
    const auto rm = cluster.Rm();
    auto facts = rm.ok() ? FetchClusterFacts(**rm, cluster.user(), queue, label) : Result<ClusterFacts>(rm.error());
    return [this, facts = std::move(facts)] { OnFacts(facts); };
  });
}

void PendingMonitor::OnFacts(const Result<ClusterFacts>& facts) {
  if (pending_.empty()) return;
  // Report no reason if the AM may not query the ResourceManager (a cluster with Kerberos, no token).
  const std::string why = facts.ok() ? WhyPending(*facts, pending_, headroom_) : "";
  if (!why.empty() && why != reported_) on_reason_(reported_ = why);
  QueryAfter(pause_);
  pause_ = std::min(pause_ * 2, kMaxPause);
}

}  // namespace howdah::backend::yarn::am
