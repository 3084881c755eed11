#include "endpoints.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace howdah::am {

Endpoints::Endpoints(boost::asio::io_context& io, const AmOptions& options, const os::process::Clock& clock,
                     Behind behind)
    : io_(io),
      options_(options),
      clock_(clock),
      behind_(std::move(behind)),
      control_(options.spec, behind_.view, behind_.post),
      tunnels_(io, TunnelWorld()) {}

Result<Listening> Endpoints::Listen() {
  auto server = rpc::AmServer::Start(
      options_.listen_host, options_.identity,
      [this](std::function<void()> f) { boost::asio::post(io_, std::move(f)); },
      {.on_message = [this](rpc::ConnectionId c,
                            wire::FromExecutor m) { behind_.executors.OnMessage(c, std::move(m)); },
       .on_closed = [this](rpc::ConnectionId c) { behind_.executors.OnClosed(c); },
       .on_control = [this](const wire::ControlRequest& r, const auto& reply) { reply(control_.Answer(r)); },
       .on_follow = [this](rpc::ConnectionId c, const wire::FollowRequest& r) { behind_.followers.OnFollow(c, r); },
       .on_follow_written = [this](rpc::ConnectionId c) { behind_.followers.OnWritten(c); },
       .on_follower_gone = [this](rpc::ConnectionId c) { behind_.followers.OnGone(c); },
       .on_tunnel = [this](rpc::ConnectionId c, const wire::Open& open) { tunnels_.OnTunnel(c, open); },
       .on_accept_tunnel = [this](rpc::ConnectionId c, uint64_t id) { tunnels_.OnAcceptTunnel(c, id); }},
      options_.listen_port, options_.peers);
  if (!server.ok()) return server.error().While("starting the application master of " + options_.job.text);
  server_ = std::move(*server);
  Listening listening{options_.listen_host + ":" + std::to_string(server_->port())};
  if (!options_.tracking.peers) return listening;
  auto tracking = TrackingServer::Start(io_, options_.listen_host, options_.tracking, behind_.view, behind_.followers,
                                        options_.spec, clock_);
  if (!tracking.ok()) return tracking.error().While("starting the application master of " + options_.job.text);
  tracking_ = std::move(*tracking);
  listening.tracking_port = tracking_->port();
  return listening;
}

void Endpoints::Close() {
  tunnels_.Close();
  server_.reset();
}

Tunnels::World Endpoints::TunnelWorld() {
  return {.server = [this]() -> rpc::AmServer& { return *server_; },
          .container = [this](const std::string& role, int index) -> Result<ContainerId> {
            const std::string name = TaskText(role, index);
            const journal::TaskView* task = behind_.record.view().Find(role, index);
            if (task == nullptr) return Failed("the job has no task " + name);
            const ContainerId container{task->container};
            if (!behind_.executors.connected(container)) {
              return Failed(name + " is not running: its state is " + std::string(core::ToText(task->state)));
            }
            return container;
          },
          .order = [this](const ContainerId& c, const wire::ToExecutor& order) { behind_.executors.Order(c, order); },
          .tensorboard = [this] { return behind_.tensorboard(); }};
}

}  // namespace howdah::am
