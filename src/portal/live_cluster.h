// Publishes that the state of a cluster has changed: the topic "cluster".
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <set>
#include <string>

#include "services.h"

namespace howdah::portal {

inline constexpr std::string_view kClusterTopic = "cluster";

// Changes are collected for a moment, so that a burst becomes one event. Used on the loop's thread only.
class LiveCluster {
 public:
  explicit LiveCluster(Services& services) : services_(services) {}

  // The topic begins or ends.
  void Begin();
  void End();
  // The cluster of this backend, or what a job of the backend waits for, may have changed.
  void OnChange(const std::string& backend);

 private:
  Services& services_;
  std::set<std::string> changed_;  // since the last event
  std::unique_ptr<boost::asio::steady_timer> timer_;
};

}  // namespace howdah::portal
