#include "preemptor_lookup.h"

#include <utility>

#include "howdah/hadoop/yarn/ids.h"

namespace howdah::backend::yarn::am {
namespace {

// Nobody's grace may pass with waiting for a name; a scheduler takes what it needs in rounds of some seconds.
constexpr std::chrono::seconds kPatience(1), kNews(1);

}  // namespace

PreemptorLookup::PreemptorLookup(boost::asio::io_context& loop, HadoopClient cluster, JobId job)
    : rm_(loop, std::move(cluster)), job_(std::move(job)), patience_(loop) {}

void PreemptorLookup::Find(const std::string& label, std::function<void(const std::string& preemptor)> tell) {
  if (std::chrono::steady_clock::now() < newest_until_)
    return tell(PreemptingQueue(newest_.leaves, newest_.own, label));
  waiting_.push_back({label, std::move(tell)});
  if (waiting_.size() > 1) return;
  patience_.expires_after(kPatience);
  patience_.async_wait([this](const boost::system::error_code& error) {
    if (!error) TellAll({});
  });
  if (rm_.asking()) return;  // late, and told to whoever still waits
  rm_.Ask([this, job = job_](HadoopClient& cluster) { return [this, queues = Ask(cluster, job)] { Take(queues); }; });
}

Result<PreemptorLookup::Queues> PreemptorLookup::Ask(HadoopClient& cluster, const JobId& job) {
  HOWDAH_TRY(const auto rm, cluster.Rm());
  // The queue that was asked for may not be the one it was put into, or moved to.
  HOWDAH_TRY(const auto report,
             rm->Report(hadoop::yarn::ParseApplicationId(job.text).value_or(hadoop::yarn::ApplicationId())));
  HOWDAH_TRY(const auto root, rm->QueueInfo("root", /*with_children=*/true));
  return Queues{report.queue(), LeafQueues(root)};
}

void PreemptorLookup::Take(const Result<Queues>& queues) {
  newest_ = queues.ok() ? *queues : Queues();
  newest_until_ = std::chrono::steady_clock::now() + kNews;
  patience_.cancel();
  TellAll(newest_);
}

void PreemptorLookup::TellAll(const Queues& queues) {
  for (const Waiting& one : std::exchange(waiting_, {}))
    one.tell(PreemptingQueue(queues.leaves, queues.own, one.label));
}

}  // namespace howdah::backend::yarn::am
