#include "tunnels.h"

#include <utility>

namespace howdah::am {
namespace {

// The time limit for an executor to accept a tunnel. A connected executor answers within milliseconds.
constexpr std::chrono::seconds kAcceptLimit{15};

}  // namespace

void Tunnels::OnTunnel(rpc::ConnectionId tunnel, const wire::Open& open) {
  if (open.has_tensorboard()) return ServeTensorBoard(tunnel);
  const auto container = ports_.container(open.role(), open.index());
  if (!container.ok()) return ports_.server().Refuse(tunnel, container.error().message);
  const uint64_t id = ++last_id_;
  Awaited& awaited = awaited_[id];
  awaited.tunnel = tunnel;
  awaited.limit = std::make_unique<boost::asio::steady_timer>(loop_, kAcceptLimit);
  awaited.limit->async_wait([this, id](const boost::system::error_code& error) {
    const auto it = error ? awaited_.end() : awaited_.find(id);
    if (it == awaited_.end()) return;
    ports_.server().Refuse(it->second.tunnel, "the executor of the task does not respond");
    awaited_.erase(it);
  });
  wire::ToExecutor order;
  order.mutable_open_tunnel()->set_id(id);
  ports_.order(*container, order);
}

void Tunnels::OnAcceptTunnel(rpc::ConnectionId executor_connection, uint64_t id) {
  const auto it = awaited_.find(id);
  if (it == awaited_.end()) return ports_.server().Close(executor_connection);  // the tunnel has timed out
  const rpc::ConnectionId tunnel = it->second.tunnel;
  awaited_.erase(it);
  ports_.server().Join(tunnel, executor_connection);
}

void Tunnels::ServeTensorBoard(rpc::ConnectionId tunnel) {
  const auto port = ports_.tensorboard();
  if (!port.ok()) return ports_.server().Refuse(tunnel, port.error().message);
  Served& served = served_[tunnel];
  served.stream = ports_.server().Serve(tunnel, {[this, tunnel](const wire::Frame& frame) {
                                                   Served& one = served_.at(tunnel);
                                                   if (!one.over) one.end->OnFrame(frame);
                                                 },
                                                 [this, tunnel](const std::string&) {
                                                   Served& one = served_.at(tunnel);
                                                   if (one.over) return static_cast<void>(served_.erase(tunnel));
                                                   one.over = true;
                                                   one.end->OnClosed();
                                                 }});
  if (!served.stream) return static_cast<void>(served_.erase(tunnel));
  served.end = rpc::streams::ConnectLoopback(
      loop_, *port,
      {[this, tunnel](const wire::Frame& frame) { served_.at(tunnel).stream->Send(frame); },
       [this, tunnel](bool) {
         // Finish the stream after a failure, too: the client receives the data sent so far, and detects the failure
         // because the end of a channel is missing.
         Served& one = served_.at(tunnel);
         if (std::exchange(one.over, true)) return static_cast<void>(served_.erase(tunnel));
         one.stream->Finish();
       }});
}

}  // namespace howdah::am
