#include "wait_watch.h"

#include <boost/asio/post.hpp>

namespace howdah::yarnplace {
namespace {

constexpr Duration kFirstLook = std::chrono::seconds(1), kNextLook = std::chrono::seconds(5);

}  // namespace

WaitWatch::WaitWatch(boost::asio::io_context& loop, Cluster cluster, std::string queue, std::string label,
                     std::function<void(const std::string&)> say)
    : loop_(loop),
      timer_(loop),
      cluster_(std::make_shared<Cluster>(std::move(cluster))),
      queue_(std::move(queue)),
      label_(std::move(label)),
      say_(std::move(say)) {}

WaitWatch::~WaitWatch() {
  if (thread_.joinable()) thread_.join();
}

void WaitWatch::SetWants(std::vector<Want> wants) {
  const bool waited = !wants_.empty();
  wants_ = std::move(wants);
  if (wants_.empty()) {
    timer_.cancel();
    if (!std::exchange(said_, "").empty()) say_("");
  } else if (!waited) {
    LookAfter(kFirstLook);
  }
}

void WaitWatch::LookAfter(Duration pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error && !looking_ && !wants_.empty()) Look();
  });
}

void WaitWatch::Look() {
  looking_ = true;
  if (thread_.joinable()) thread_.join();  // it has posted its answer: it is over
  thread_ = std::thread([this, cluster = cluster_, queue = queue_, label = label_] {
    const auto rm = cluster->Rm();
    auto facts = rm.ok() ? GatherFacts(**rm, cluster->user(), queue, label) : Result<ClusterFacts>(rm.error());
    boost::asio::post(loop_, [this, facts = std::move(facts)] { Take(facts); });
  });
}

void WaitWatch::Take(const Result<ClusterFacts>& facts) {
  looking_ = false;
  if (wants_.empty()) return;
  // Where the AM may not ask (a cluster with Kerberos and no token for it) it says only what it knows.
  const std::string why = facts.ok() ? WhyPending(*facts, wants_, headroom_) : "";
  if (!why.empty() && why != said_) say_(said_ = why);
  LookAfter(kNextLook);
}

}  // namespace howdah::yarnplace
