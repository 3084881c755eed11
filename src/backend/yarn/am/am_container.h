// Determines which resources YARN granted to the application master's own container.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <string>
#include <vector>

#include "background_query.h"
#include "howdah/core/event.h"
#include "howdah/hadoop/yarn/ids.h"

namespace howdah::backend::yarn::am {

// Converts the resources of a granted container to the core's type. label: the node label that the request named.
core::Resources GrantedResources(const ::hadoop::yarn::ResourceProto& granted, const std::string& label);

// Used on the loop's thread only.
class AmContainerLookup {
 public:
  // Queries the ResourceManager, and repeats an unsuccessful query a few times. Calls on_found at most once. There is
  // no call if the ResourceManager does not answer, if the AM may not query it (a cluster with Kerberos, no token), or
  // if this object is destroyed first. label: the application's node label.
  AmContainerLookup(boost::asio::io_context& loop, HadoopClient cluster, hadoop::yarn::ContainerId own,
                    std::string label, std::function<void(const core::AmContainerReported&)> on_found);

 private:
  void Query();
  void OnContainers(const Result<std::vector<::hadoop::yarn::ContainerReportProto>>& containers);

  BackgroundQuery query_;
  hadoop::yarn::ContainerId own_;
  std::string label_;
  std::function<void(const core::AmContainerReported&)> on_found_;
  boost::asio::steady_timer timer_;
  int attempts_left_;
};

}  // namespace howdah::backend::yarn::am
