#include "am_facts.h"

#include <boost/asio/post.hpp>
#include <mutex>
#include <thread>
#include <utility>

namespace howdah::yarnplace {

// Shared with the thread, which may outlive the gatherer.
struct FactsGatherer::State {
  explicit State(boost::asio::io_context& l, Cluster c) : loop(&l), cluster(std::move(c)) {}
  std::mutex mutex;
  boost::asio::io_context* loop;  // null: the gatherer is gone
  bool busy = false;              // the loop's alone
  Cluster cluster;                // the thread's alone while busy
};

FactsGatherer::FactsGatherer(boost::asio::io_context& loop, const Cluster& cluster)
    : state_(std::make_shared<State>(loop, cluster.Another())) {}

FactsGatherer::~FactsGatherer() {
  const std::scoped_lock lock(state_->mutex);
  state_->loop = nullptr;
}

void FactsGatherer::Gather(const std::string& queue, const std::string& label,
                           std::function<void(const Result<ClusterFacts>& facts)> done) {
  if (std::exchange(state_->busy, true)) return;
  std::thread([state = state_, queue, label, done = std::move(done)] {
    auto rm = state->cluster.Rm();
    Result<ClusterFacts> facts =
        rm.ok() ? GatherFacts(**rm, state->cluster.user(), queue, label) : Result<ClusterFacts>(rm.error());
    const std::scoped_lock lock(state->mutex);
    if (state->loop == nullptr) return;
    boost::asio::post(*state->loop, [weak = std::weak_ptr(state), facts = std::move(facts), done] {
      const auto alive = weak.lock();
      if (!alive || alive->loop == nullptr) return;
      alive->busy = false;
      done(facts);
    });
  }).detach();
}

}  // namespace howdah::yarnplace
