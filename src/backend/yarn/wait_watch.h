// Says what containers that were asked for wait for.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cluster.h"
#include "why_pending.h"

namespace howdah::yarnplace {

// When asks have been open for a second the ResourceManager is asked for its numbers, on a thread of its own, and again
// every few seconds while they stay open. One thread otherwise: the loop's.
class WaitWatch {
 public:
  // say: told the reason whenever it changes; empty: nothing is waited for any more.
  WaitWatch(boost::asio::io_context& loop, Cluster cluster, std::string queue, std::string label,
            std::function<void(const std::string&)> say);
  ~WaitWatch();

  // What is asked for now; empty: nothing.
  void SetWants(std::vector<Want> wants);
  void SetHeadroom(const yarn::Resource& headroom) { headroom_ = headroom; }

 private:
  void LookAfter(Duration pause);
  void Look();
  void Take(const Result<ClusterFacts>& facts);

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<Cluster> cluster_;  // shared with the thread that asks
  std::string queue_, label_;
  std::function<void(const std::string&)> say_;
  std::vector<Want> wants_;
  std::optional<yarn::Resource> headroom_;
  std::string said_;
  bool looking_ = false;
  std::thread thread_;
};

}  // namespace howdah::yarnplace
