#include "cluster_sampler.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

namespace howdah::portal {
namespace {

using namespace std::chrono_literals;

constexpr Duration kWatchedPause = 3s, kIdlePause = 60s, kSampleRetryPause = 5s;
constexpr int kSampleCostFactor = 20;  // a backend is read for at most 5 % of the time
// A state of this age is shown without another reading.
constexpr Duration kRecent = 2s;
// A reading that takes longer is a problem, and nobody waits for it any longer.
constexpr Duration kLate = 4s;

Result<ClusterSample> ReadSample(const Result<backend::Cluster*>& cluster, const os::process::Clock& clock) {
  if (!cluster.ok()) return cluster.error();
  ClusterSample sample;
  sample.at = clock.Now();
  HOWDAH_TRY(sample.info, (*cluster)->site().Info());
  sample.cost = clock.Now() - sample.at;
  return sample;
}

}  // namespace

Duration PauseBetweenSamples(bool is_watched, bool is_failing, Duration cost) {
  if (!is_watched) return kIdlePause;
  return is_failing ? kSampleRetryPause : std::clamp(cost * kSampleCostFactor, kWatchedPause, kIdlePause);
}

ClusterSampler::ClusterSampler(Services& services, const std::string& folder, OnChange on_change)
    : services_(services), folder_(folder), on_change_(std::move(on_change)) {}

ClusterSampler::~ClusterSampler() = default;

void ClusterSampler::Start() {
  for (const BackendService& backend : services_.backends) {
    if (!backend.runs_jobs) continue;
    backends_.push_back(backend.name);
    Source& source = sources_[backend.name];
    source.history = std::make_unique<ClusterHistory>(folder_ + "/cluster-" + backend.name, services_.clock.Now());
    source.timer = std::make_unique<boost::asio::steady_timer>(services_.loop);
    Read(backend.name);
  }
}

void ClusterSampler::SetWatched(bool is_watched) {
  if (std::exchange(is_watched_, is_watched) == is_watched) return;
  for (auto& [name, source] : sources_) {
    if (source.is_reading) continue;
    if (is_watched && !IsRecent(source)) {
      Read(name);
    } else {
      Schedule(name);
    }
  }
}

void ClusterSampler::Await(std::function<void()> done) {
  const auto waiter = std::make_shared<Waiter>();
  for (auto& [name, source] : sources_) {
    if (!source.is_reading && !IsRecent(source)) Read(name);
    // The first reading may take long. After a failure the last state is shown at once.
    if (source.is_reading && source.state.problem.empty()) waiter->backends.insert(name);
  }
  if (waiter->backends.empty()) return done();
  waiter->done = std::move(done);
  waiter->limit = std::make_unique<boost::asio::steady_timer>(services_.loop, kLate);
  waiter->limit->async_wait([this, waiter](const boost::system::error_code& error) {
    if (error) return;
    std::erase(waiters_, waiter);
    waiter->done();
  });
  waiters_.push_back(waiter);
}

const ClusterState& ClusterSampler::StateOf(const std::string& backend) const { return sources_.at(backend).state; }

const ClusterHistory& ClusterSampler::HistoryOf(const std::string& backend) const {
  return *sources_.at(backend).history;
}

bool ClusterSampler::IsRecent(const Source& source) const {
  const Duration cost = source.ended - source.begun;
  return services_.clock.Now() - source.ended <
         std::max<Duration>(kRecent, std::min(cost * kSampleCostFactor, kIdlePause));
}

void ClusterSampler::Read(const std::string& backend) {
  Source& source = sources_.at(backend);
  source.is_reading = true;
  source.begun = services_.clock.Now();
  source.timer->expires_after(kLate);
  source.timer->async_wait([this, backend](const boost::system::error_code& error) {
    if (error || !sources_.at(backend).is_reading) return;
    SetProblem(backend, "the backend '" + backend + "' did not answer within " + FormatDuration(kLate));
    Release(backend);
  });
  const auto work = [this, backend, clock = services_.clock, loop = &services_.loop](const auto& cluster) {
    auto sample = std::make_shared<Result<ClusterSample>>(ReadSample(cluster, clock));
    boost::asio::post(*loop, [this, backend, sample] { Take(backend, *sample); });
  };
  if (services_.Find(backend)->pool->Post(work)) return;
  Take(backend, Error{ErrorCode::kUnavailable, "the backend '" + backend + "' is busy with other requests"});
}

void ClusterSampler::Take(const std::string& backend, const Result<ClusterSample>& sample) {
  Source& source = sources_.at(backend);
  source.is_reading = false;
  source.ended = services_.clock.Now();
  if (sample.ok()) {
    const auto before = source.state.sample;
    const bool is_changed = !before || !source.state.problem.empty() || before->info != sample->info;
    source.state = {std::make_shared<const ClusterSample>(*sample), "", {}};
    if (source.history->Lacks(sample->at)) source.history->Add(PointOf(sample->info, sample->at));
    if (is_changed) on_change_(backend);
  } else {
    SetProblem(backend, sample.error().message);
  }
  Schedule(backend);
  Release(backend);
}

void ClusterSampler::SetProblem(const std::string& backend, const std::string& problem) {
  Source& source = sources_.at(backend);
  if (source.state.problem.empty())
    source.state.failing_since = source.state.sample ? source.state.sample->at : source.begun;
  if (std::exchange(source.state.problem, problem) != problem) on_change_(backend);
}

void ClusterSampler::Schedule(const std::string& backend) {
  Source& source = sources_.at(backend);
  const Duration pause = PauseBetweenSamples(is_watched_, !source.state.problem.empty(), source.ended - source.begun);
  source.timer->expires_after(std::max(Duration::zero(), source.ended + pause - services_.clock.Now()));
  source.timer->async_wait([this, backend](const boost::system::error_code& error) {
    if (!error && !sources_.at(backend).is_reading) Read(backend);
  });
}

// Answers the requests that have waited only for this backend.
void ClusterSampler::Release(const std::string& backend) {
  std::vector<std::shared_ptr<Waiter>> ready;
  for (const auto& waiter : waiters_) {
    waiter->backends.erase(backend);
    if (waiter->backends.empty()) ready.push_back(waiter);
  }
  std::erase_if(waiters_, [](const auto& waiter) { return waiter->backends.empty(); });
  for (const auto& waiter : ready) {
    waiter->limit->cancel();
    waiter->done();
  }
}

}  // namespace howdah::portal
