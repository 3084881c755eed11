#include "pending_monitor.h"

#include <algorithm>

namespace howdah::backend::yarn::am {
namespace {

// The pause between two queries grows, because a job that is pending for hours must neither load the ResourceManager
// nor fill the journal.
constexpr Duration kFirstPause = std::chrono::seconds(1), kMaxPause = std::chrono::minutes(1);

Result<ClusterFacts> FactsOfJob(HadoopClient& cluster, const JobId& job, const std::string& requested_queue,
                                const std::string& label) {
  HOWDAH_TRY(const auto rm, cluster.Rm());
  const auto report = rm->Report(hadoop::yarn::ParseApplicationId(job.text).value_or(hadoop::yarn::ApplicationId()));
  // The scheduler may have put the job into a queue other than the requested one.
  return FetchClusterFacts(*rm, cluster.user(), report.ok() ? report->queue() : requested_queue, label);
}

}  // namespace

PendingMonitor::PendingMonitor(boost::asio::io_context& loop, HadoopClient cluster, JobId job, std::string queue,
                               std::string label, Callbacks callbacks)
    : timer_(loop),
      query_(loop, std::move(cluster)),
      job_(std::move(job)),
      queue_(std::move(queue)),
      label_(std::move(label)),
      callbacks_(std::move(callbacks)) {}

void PendingMonitor::SetPending(std::vector<PendingContainers> pending) {
  if (pending == pending_) return;
  pending_ = std::move(pending);
  pause_ = kFirstPause;
  if (!pending_.empty()) return QueryAfter(pause_);
  timer_.cancel();
  lack_.clear();
  if (!std::exchange(reported_, "").empty()) callbacks_.on_reason("");
}

void PendingMonitor::QueryAfter(Duration pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this](const boost::system::error_code& error) {
    // If a query is still running, OnFacts schedules the next query after the answer.
    if (!error && !query_.running() && !pending_.empty()) Query();
  });
}

void PendingMonitor::Query() {
  query_.Start([this, job = job_, queue = queue_, label = label_](HadoopClient& cluster) {
    return [this, facts = FactsOfJob(cluster, job, queue, label)] { OnFacts(facts); };
  });
}

void PendingMonitor::OnFacts(const Result<ClusterFacts>& facts) {
  if (pending_.empty()) return;
  // Without an answer the last one applies. If there is none, because the AM may not query the ResourceManager (a
  // cluster with Kerberos, no token), only the placement is known.
  if (facts.ok()) lack_ = WhyPending(*facts, pending_, headroom_);
  std::string why = lack_;
  const std::string placement = DescribePlacement(callbacks_.placement());
  why += (why.empty() || placement.empty() ? "" : "; ") + placement;
  if (!why.empty() && why != reported_) callbacks_.on_reason(reported_ = why);
  QueryAfter(pause_);
  pause_ = std::min(pause_ * 2, kMaxPause);
  callbacks_.on_facts(facts);
}

}  // namespace howdah::backend::yarn::am
