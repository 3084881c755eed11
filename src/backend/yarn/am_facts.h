// Facts of the cluster for the AM, gathered by a thread of its own: the ResourceManager may be slow.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "cluster.h"
#include "cluster_facts.h"

namespace howdah::yarnplace {

// One thread: the loop's.
class FactsGatherer {
 public:
  // cluster: the AM's; a connection of its own is made.
  FactsGatherer(boost::asio::io_context& loop, const Cluster& cluster);
  // Does not wait for what is being gathered.
  ~FactsGatherer();
  FactsGatherer(const FactsGatherer&) = delete;
  FactsGatherer& operator=(const FactsGatherer&) = delete;

  // done, on the loop; not called if one is being gathered already.
  void Gather(const std::string& queue, const std::string& label,
              std::function<void(const Result<ClusterFacts>& facts)> done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace howdah::yarnplace
