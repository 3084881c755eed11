#include "live_cluster.h"

#include <chrono>
#include <utility>

#include "cluster_sampler.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

constexpr std::chrono::milliseconds kPause{500};  // between two events

}  // namespace

void LiveCluster::Begin() {
  services_.cluster->SetWatched(true);
  services_.hub->Open(std::string(kClusterTopic));
}

void LiveCluster::End() { services_.cluster->SetWatched(false); }

void LiveCluster::OnChange(const std::string& backend) {
  if (!services_.hub->HasTopic(std::string(kClusterTopic))) return;
  changed_.insert(backend);
  if (timer_) return;
  timer_ = std::make_unique<boost::asio::steady_timer>(services_.loop, kPause);
  timer_->async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    timer_.reset();
    const std::string topic(kClusterTopic);
    services_.hub->Publish(topic, topic, Dump({{"topic", topic}, {"backends", std::exchange(changed_, {})}}));
  });
}

}  // namespace howdah::portal
