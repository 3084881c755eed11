// Queries the ResourceManager on another thread, so that the AM's loop is never blocked.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "background_call.h"
#include "howdah/backend/yarn/hadoop_client.h"

namespace howdah::backend::yarn::am {

// A BackgroundCall with a client of its own, which always uses the newest tokens of the job.
class BackgroundQuery {
 public:
  BackgroundQuery(boost::asio::io_context& loop, HadoopClient cluster)
      : cluster_(std::make_shared<HadoopClient>(std::move(cluster))), call_(loop) {}

  bool running() const { return call_.running(); }
  // As BackgroundCall::Start.
  void Start(std::function<std::function<void()>(HadoopClient& cluster)> query) {
    call_.Start([cluster = cluster_, query = std::move(query)] {
      cluster->TakeNewerCredentials();
      return query(*cluster);
    });
  }

 private:
  std::shared_ptr<HadoopClient> cluster_;  // shared with the thread
  BackgroundCall call_;
};

}  // namespace howdah::backend::yarn::am
