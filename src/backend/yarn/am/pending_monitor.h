// Finds out why requested containers have not been granted.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "background_query.h"
#include "howdah/backend/yarn/why_pending.h"

namespace howdah::backend::yarn::am {

// Queries the ResourceManager when the pending requests have not changed for a second, and then at growing intervals of
// up to a minute. Used on the loop's thread only.
class PendingMonitor {
 public:
  struct Callbacks {
    // Returns the nodes that the conditions of each pending role allow.
    std::function<std::vector<AllowedNodes>()> placement;
    // Called whenever the reason changes. An empty reason means that no request is pending any more.
    std::function<void(const std::string&)> on_reason;
    // Called after each query while requests are pending.
    std::function<void(const Result<ClusterFacts>& facts)> on_facts;
  };
  // queue: the one that the job requested. The monitor uses it only if the ResourceManager does not report the queue in
  // which it runs the job.
  PendingMonitor(boost::asio::io_context& loop, HadoopClient cluster, JobId job, std::string queue, std::string label,
                 Callbacks callbacks);

  void SetPending(std::vector<PendingContainers> pending);
  void SetHeadroom(const hadoop::yarn::Resource& headroom) { headroom_ = headroom; }

 private:
  void QueryAfter(Duration pause);
  void Query();
  void OnFacts(const Result<ClusterFacts>& facts);

  boost::asio::steady_timer timer_;
  BackgroundQuery query_;
  JobId job_;
  std::string queue_, label_;
  Callbacks callbacks_;
  std::vector<PendingContainers> pending_;
  std::optional<hadoop::yarn::Resource> headroom_;
  std::string lack_;      // what the cluster lacked when it last answered
  std::string reported_;  // the last reason
  Duration pause_{0};     // the pause before the next query
};

}  // namespace howdah::backend::yarn::am
