#include "executors.h"

#include <algorithm>

#include "howdah/base/version.h"
#include "logged_event.h"

namespace howdah::am {
namespace {

// Encodes each host name only once, because even a cluster of thousands of tasks has few hosts.
wire::Cluster ToWire(const core::PeerGroup& cluster, const core::Exports& exports) {
  wire::Cluster out;
  std::unordered_map<std::string, uint32_t> positions;
  for (const auto& role : cluster) {
    out.add_sizes(static_cast<int>(role.size()));
    for (const HostPort& endpoint : role) {
      const auto [it, added] = positions.try_emplace(endpoint.host, static_cast<uint32_t>(out.hosts_size()));
      if (added) out.add_hosts(endpoint.host);
      out.add_host(it->second);
      out.add_port(endpoint.port);
    }
  }
  for (size_t role = 0; role < exports.size(); ++role) {
    if (exports[role].empty()) continue;
    wire::Exported& exported = *out.add_exports();
    exported.set_role(static_cast<uint32_t>(role));
    for (const auto& [name, value] : exports[role]) {
      wire::Variable& variable = *exported.add_variables();
      variable.set_name(name);
      variable.set_value(value);
    }
  }
  return out;
}

wire::ToExecutor KeepLogsOrder() {
  wire::ToExecutor order;
  order.mutable_keep_logs();
  return order;
}

}  // namespace

Duration HeartbeatInterval(Duration heartbeat_limit) {
  return std::clamp(heartbeat_limit / 10, Duration(std::chrono::milliseconds(50)), Duration(std::chrono::seconds(5)));
}

Duration ProgressInterval(Duration heartbeat_limit, int tasks) {
  constexpr int kManyTasks = 100;
  return std::min(heartbeat_limit, Duration(std::chrono::seconds(10))) * std::max(1, tasks / kManyTasks);
}

Executors::Executors(boost::asio::io_context& io, Limits limits, const os::process::Clock& clock, Parts parts,
                     Deliver deliver, Send send, OnLeft on_left, OnMoved on_moved)
    : io_(io),
      limits_(limits),
      clock_(clock),
      parts_(parts),
      deliver_(std::move(deliver)),
      send_(std::move(send)),
      on_left_(std::move(on_left)),
      on_moved_(std::move(on_moved)) {}

void Executors::OnMessage(rpc::ConnectionId connection, wire::FromExecutor message) {
  if (message.kind_case() == wire::FromExecutor::kRegister) return Register(connection, message.register_());
  const auto it = by_connection_.find(connection);
  if (it == by_connection_.end()) return;  // the container has ended, or its executor has not registered
  const ContainerId& container = it->second;
  Executor& executor = by_container_[container];
  if (message.has_heartbeat()) {
    executor.usage = FromWire(message.heartbeat().usage());
    return OnProgress(container, message.heartbeat().progress());
  }
  if (parts_.feeds.OnMessage(container, message)) return;
  if (message.has_metric_samples()) return parts_.metrics.OnSamples(container, message.metric_samples());
  if (message.has_progress() && !message.progress().saving()) return OnProgress(container, message.progress());
  // The core may need the newest progress of the task to handle this message, so deliver the progress first.
  if (executor.undelivered && !message.has_log_sizes() && !message.has_log_data()) {
    deliver_(*std::exchange(executor.undelivered, std::nullopt));
  }
  switch (message.kind_case()) {
    case wire::FromExecutor::kProgress:
      return deliver_(EventOf(container, message.progress()));
    case wire::FromExecutor::kStalled:
      return deliver_(EventOf(container, message.stalled()));
    case wire::FromExecutor::kStands:
      return deliver_(EventOf(container, message.stands()));
    case wire::FromExecutor::kStarted: {
      const wire::Started& m = message.started();
      parts_.followers.OnStarted(container, m.attempt());
      return deliver_(EventOf(container, m));
    }
    case wire::FromExecutor::kServes:
      return deliver_(EventOf(container, message.serves()));
    case wire::FromExecutor::kRankExited:
      if (message.rank_exited().has_usage()) ReportUsage(container, message.rank_exited().usage());
      return deliver_(EventOf(container, message.rank_exited()));
    case wire::FromExecutor::kStartFailed:
      parts_.followers.OnAttemptEnded(container, message.start_failed().attempt(), message.start_failed().logs());
      return deliver_(EventOf(container, message.start_failed()));
    case wire::FromExecutor::kEnded:
      if (message.ended().has_usage()) ReportUsage(container, message.ended().usage());
      parts_.followers.OnAttemptEnded(container, message.ended().attempt(), message.ended().logs());
      return deliver_(EventOf(container, message.ended()));
    case wire::FromExecutor::kLogSizes:
      return parts_.followers.OnSizes(container, message.log_sizes());
    case wire::FromExecutor::kLogData:
      return parts_.followers.OnData(container, std::move(*message.mutable_log_data()));
    case wire::FromExecutor::kStoring:
      return deliver_(core::ExecutorStoring{container});
    case wire::FromExecutor::kMoved:
      return on_moved_();
    case wire::FromExecutor::kLeft:
      return on_left_(ContainerId(container));  // a copy, because the call may forget the container
    default:
      return deliver_(core::HeartbeatReceived{container});
  }
}

// Delivers the newest usage sample before the end of an attempt, because the core records that sample together with the
// end.
void Executors::ReportUsage(const ContainerId& container, const wire::Usage& usage) {
  Executor& executor = by_container_[container];
  executor.usage = FromWire(usage);
  deliver_(core::HeartbeatReceived{container, executor.usage});
}

// message: empty if the progress has not changed since the executor's last message.
void Executors::OnProgress(const ContainerId& container, const wire::Progress& message) {
  Executor& executor = by_container_[container];
  const core::Event event = EventOf(container, message);
  if (const auto* progressed = std::get_if<core::TaskProgressed>(&event); progressed && message.at_micros() > 0) {
    executor.progress = {progressed->attempt, progressed->progress};
    executor.undelivered = *progressed;
  }
  deliver_(core::HeartbeatReceived{container, executor.usage});
  const Instant now = clock_.Now();
  if (!executor.undelivered || now < executor.deliver_next) return;
  executor.deliver_next = now + limits_.progress;
  deliver_(*std::exchange(executor.undelivered, std::nullopt));
}

void Executors::Register(rpc::ConnectionId connection, const wire::Register& message) {
  wire::ToExecutor answer;
  answer.mutable_welcome()->set_heartbeat_millis(static_cast<int>(HeartbeatInterval(limits_.heartbeat).count() / 1000));
  answer.mutable_welcome()->set_await_am_micros(limits_.await_am.count());
  const ContainerId container{message.container()};
  if (message.version() != kVersion) {
    answer.mutable_welcome()->set_refused("the application master is Howdah " + std::string(kVersion) +
                                          ", its executor is " + message.version());
    send_(connection, answer, nullptr);
    return deliver_(core::ExecutorRefused{container, answer.welcome().refused()});
  }
  if (gone_.contains(container)) {
    answer.mutable_welcome()->set_refused("the backend has already ended its container " + container.text);
    return send_(connection, answer, nullptr);
  }
  by_connection_[connection] = container;
  Executor& executor = by_container_[container];
  executor.connection = connection;
  send_(connection, answer, nullptr);
  if (keep_logs_.contains(container)) send_(connection, KeepLogsOrder(), nullptr);
  if (newer_tokens_.has_replace_tokens()) send_(connection, newer_tokens_, nullptr);
  parts_.followers.OnConnected(container);
  parts_.metrics.OnConnected(container);
  parts_.feeds.OnConnected(container);
  deliver_(core::ExecutorRegistered{container,
                                    {message.host(), static_cast<uint16_t>(message.port())},
                                    message.attempt(),
                                    message.callback_address()});
}

void Executors::OnClosed(rpc::ConnectionId connection) {
  EndLeaving(connection);
  const auto it = by_connection_.find(connection);
  if (it == by_connection_.end()) return;
  const ContainerId container = it->second;
  by_connection_.erase(it);
  Executor& executor = by_container_[container];
  if (executor.connection != connection) return;  // the executor has already reconnected
  executor.connection.reset();
  parts_.followers.OnContainerGone(container);
  parts_.metrics.OnDisconnected(container);
  parts_.feeds.OnDisconnected(container);
  deliver_(core::ExecutorDisconnected{container});
}

void Executors::KeepLogs(const ContainerId& container) {
  if (gone_.contains(container)) return;
  keep_logs_.insert(container);
  SendTo(container, KeepLogsOrder(), nullptr);
}

void Executors::SetTokens(std::string tokens) {
  if (tokens.empty()) return;
  newer_tokens_.mutable_replace_tokens()->set_tokens(std::move(tokens));
  for (const auto& [connection, container] : by_connection_) send_(connection, newer_tokens_, nullptr);
}

void Executors::SetCluster(uint64_t step, const core::PeerGroup& cluster, const core::Exports& exports) {
  if (std::exchange(cluster_step_, step) == step) return;
  cluster_ = rpc::EncodeCluster(ToWire(cluster, exports));
}

void Executors::Start(const core::StartTask& order, const std::optional<HostPort>& rendezvous,
                      const std::vector<wire::FeedReaders>& feeds) {
  wire::ToExecutor message;
  wire::Start& start = *message.mutable_start();
  start.set_attempt(order.attempt);
  start.set_generation(order.generation);
  start.set_place(order.slot);
  if (rendezvous) {
    start.mutable_rendezvous()->set_host(rendezvous->host);
    start.mutable_rendezvous()->set_port(rendezvous->port);
  }
  for (const wire::FeedReaders& readers : feeds) *start.add_feeds() = readers;
  SendTo(order.container, message, cluster_);
}

void Executors::Stop(const core::StopTask& order) {
  wire::ToExecutor message;
  message.mutable_stop()->set_attempt(order.attempt);
  message.mutable_stop()->set_grace_micros(order.grace.count());
  message.mutable_stop()->set_limit_micros(order.limit.count());
  message.mutable_stop()->set_look(order.probe_first);
  SendTo(order.container, message, nullptr);
}

void Executors::Forget(const ContainerId& container, std::function<void()> ended) {
  gone_.insert(container);
  keep_logs_.erase(container);
  // A backend can report the end of a container whose processes still run: on YARN, a node's tasks survive the death of
  // its NodeManager. So order the executor to exit. If it had no such order before, the container was lost, and its
  // task may go on in another one.
  wire::ToExecutor leave;
  leave.mutable_leave()->set_replaced(true);
  SendTo(container, leave, nullptr);
  parts_.followers.OnContainerGone(container);
  parts_.metrics.OnContainerGone(container);
  parts_.feeds.OnContainerGone(container);
  const auto it = by_container_.find(container);
  if (it == by_container_.end()) return ended();
  const std::optional<rpc::ConnectionId> connection = it->second.connection;
  by_container_.erase(it);
  if (!connection) return ended();
  by_connection_.erase(*connection);
  const auto added = leaving_.try_emplace(*connection, Leaving{std::move(ended), boost::asio::steady_timer(io_)}).first;
  added->second.limit.expires_after(limits_.leave);
  added->second.limit.async_wait([this, id = *connection](const boost::system::error_code& error) {
    if (!error) EndLeaving(id);
  });
}

void Executors::EndLeaving(rpc::ConnectionId connection) {
  const auto it = leaving_.find(connection);
  if (it == leaving_.end()) return;
  const std::function<void()> ended = std::move(it->second.ended);
  leaving_.erase(it);
  ended();
}

bool Executors::connected(const ContainerId& container) const {
  const auto it = by_container_.find(container);
  return it != by_container_.end() && it->second.connection;
}

const journal::Usage* Executors::usage(const ContainerId& container) const {
  const auto it = by_container_.find(container);
  return it == by_container_.end() ? nullptr : &it->second.usage;
}

const Executors::Progress* Executors::progress(const ContainerId& container) const {
  const auto it = by_container_.find(container);
  return it == by_container_.end() ? nullptr : &it->second.progress;
}

void Executors::SendTo(const ContainerId& container, const wire::ToExecutor& message,
                       std::shared_ptr<const rpc::SharedCluster> cluster) {
  const auto it = by_container_.find(container);
  if (it == by_container_.end() || !it->second.connection) return;
  send_(*it->second.connection, message, std::move(cluster));
}

}  // namespace howdah::am
