// The AM's servers: gRPC for executors and clients, and HTTP for browsers that open the status page.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "control.h"
#include "executors.h"
#include "feed_requests.h"
#include "followers.h"
#include "howdah/am/am.h"
#include "howdah/rpc/am_server.h"
#include "job_record.h"
#include "metrics_keeper.h"
#include "tracking.h"
#include "tunnels.h"

namespace howdah::am {

// Call it only on the thread of the AM's loop.
class Endpoints {
 public:
  // Everything referenced here must live longer than the endpoints.
  struct Context {
    Executors& executors;
    Followers& followers;
    MetricsKeeper& metrics;
    const JobRecord& record;
    std::function<journal::JobView()> view;  // the current status, with usage
    std::function<void(core::Event)> post;
    Control::ReplaceTokens replace_tokens;
    std::function<Result<uint16_t>()> tensorboard;  // TensorBoard's port; an error states why it does not serve
    FeedRequests::Ports feeds;
  };
  Endpoints(boost::asio::io_context& io, const AmOptions& options, const os::process::Clock& clock, Context context);

  Result<Listening> Listen();
  // Closes all connections, streams first.
  void Close();
  // As FeedRequests::OnLocationsChanged.
  void OnFeedLocationsChanged() { feed_requests_.OnLocationsChanged(); }

  void Send(rpc::ConnectionId to, const wire::ToExecutor& message, std::shared_ptr<const rpc::SharedCluster> cluster) {
    server_->Send(to, message, std::move(cluster));
  }
  void SendToFollower(rpc::ConnectionId to, const wire::FollowReply& reply) { server_->SendToFollower(to, reply); }
  void SendToFollower(rpc::ConnectionId to, const wire::MetricsReply& reply) { server_->SendToFollower(to, reply); }
  void Close(rpc::ConnectionId connection) { server_->Close(connection); }

 private:
  Tunnels::Ports TunnelPorts();

  boost::asio::io_context& io_;
  const AmOptions& options_;
  const os::process::Clock& clock_;
  Context context_;
  Control control_;
  FeedRequests feed_requests_;
  Tunnels tunnels_;
  std::unique_ptr<rpc::AmServer> server_;
  std::unique_ptr<TrackingServer> tracking_;
};

}  // namespace howdah::am
