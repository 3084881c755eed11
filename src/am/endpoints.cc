#include "endpoints.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace howdah::am {

Endpoints::Endpoints(boost::asio::io_context& io, const AmOptions& options, const os::process::Clock& clock,
                     Context context)
    : io_(io),
      options_(options),
      clock_(clock),
      context_(std::move(context)),
      control_(options.spec, context_.view, context_.post, context_.replace_tokens),
      feed_requests_(io, options.spec, context_.feeds),
      // An AM opens fewer tunnels than one per microsecond.
      tunnels_(io, static_cast<uint64_t>(clock.Now().time_since_epoch().count()), TunnelPorts()) {}

Result<Listening> Endpoints::Listen() {
  auto server = rpc::AmServer::Start(
      options_.listen_host, options_.identity,
      [this](std::function<void()> f) { boost::asio::post(io_, std::move(f)); },
      {.on_message = [this](rpc::ConnectionId c,
                            wire::FromExecutor m) { context_.executors.OnMessage(c, std::move(m)); },
       .on_closed = [this](rpc::ConnectionId c) { context_.executors.OnClosed(c); },
       .on_control =
           [this](const wire::ControlRequest& r, const auto& reply) {
             if (r.has_feed()) return feed_requests_.Answer(r.feed(), reply);
             reply(control_.Answer(r));
           },
       .on_follow = [this](rpc::ConnectionId c, const wire::FollowRequest& r) { context_.followers.OnFollow(c, r); },
       .on_metrics = [this](rpc::ConnectionId c, const wire::MetricsRequest& r) { context_.metrics.OnWatch(c, r); },
       .on_follow_written =
           [this](rpc::ConnectionId c) {
             context_.followers.OnWritten(c);
             context_.metrics.OnWritten(c);
           },
       .on_follower_gone =
           [this](rpc::ConnectionId c) {
             context_.followers.OnGone(c);
             context_.metrics.OnGone(c);
           },
       .on_tunnel = [this](rpc::ConnectionId c, const wire::Open& open) { tunnels_.OnTunnel(c, open); },
       .on_accept_tunnel = [this](rpc::ConnectionId c, uint64_t id) { tunnels_.OnAcceptTunnel(c, id); }},
      options_.listen_port, options_.peers);
  if (!server.ok()) return server.error().While("starting the application master of " + options_.job.text);
  server_ = std::move(*server);
  Listening listening{options_.listen_host + ":" + std::to_string(server_->port())};
  listening.add_executor = [this](os::files::Fd socket) { server_->AddExecutor(std::move(socket)); };
  if (!options_.tracking.peers) return listening;
  auto tracking = TrackingServer::Start(io_, options_.listen_host, options_.tracking, context_.view, context_.followers,
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

Tunnels::Ports Endpoints::TunnelPorts() {
  return {.server = [this]() -> rpc::AmServer& { return *server_; },
          .container = [this](const std::string& role, int index) -> Result<ContainerId> {
            const std::string name = TaskText(role, index);
            const journal::TaskView* task = context_.record.view().Find(role, index);
            if (task == nullptr) return Failed("the job has no task " + name);
            const ContainerId container{task->container};
            if (context_.executors.connected(container)) return container;
            if (task->state == core::TaskState::kReady || task->state == core::TaskState::kRunning) {
              return Failed("the executor of " + name + " is not connected to the application master; try again in a " +
                            "few seconds");
            }
            return Failed(name + " is not running: its state is " + std::string(core::ToText(task->state)));
          },
          .order = [this](const ContainerId& c, const wire::ToExecutor& order) { context_.executors.Order(c, order); },
          .tensorboard = [this] { return context_.tensorboard(); }};
}

}  // namespace howdah::am
