// Says what containers that were asked for wait for.
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

// When asks have been open, and the same, for a second, the ResourceManager is asked for its numbers, on a thread of
// its own, and again after ever longer pauses, a minute at most, while they stay so. One thread otherwise: the loop's.
class PendingMonitor {
 public:
  // say: told the reason whenever it changes; empty: nothing is waited for any more.
  PendingMonitor(boost::asio::io_context& loop, HadoopClient cluster, std::string queue, std::string label,
                 std::function<void(const std::string&)> say);

  // What is asked for now; empty: nothing.
  void SetPending(std::vector<PendingContainers> wants);
  void SetHeadroom(const hadoop::yarn::Resource& headroom) { headroom_ = headroom; }

 private:
  void LookAfter(Duration pause);
  void Look();
  void Take(const Result<ClusterFacts>& facts);

  boost::asio::steady_timer timer_;
  BackgroundQuery rm_;
  std::string queue_, label_;
  std::function<void(const std::string&)> say_;
  std::vector<PendingContainers> wants_;
  std::optional<hadoop::yarn::Resource> headroom_;
  std::string said_;
  Duration pause_{0};  // before the next look
};

}  // namespace howdah::backend::yarn::am
