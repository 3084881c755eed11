#include "howdah/web/server.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <map>
#include <utility>

#include "connection.h"
#include "howdah/os/net/connect.h"
#include "listen.h"

namespace howdah::web {
namespace {

namespace asio = boost::asio;
using Failure = boost::system::error_code;

// Accepts connections of one endpoint.
class Listener {
 public:
  // Owns the accepted socket, which is non-blocking.
  using Take = std::function<void(os::files::Fd socket, const Endpoint& endpoint)>;

  Listener(asio::io_context& loop, ListeningSocket listening, Take take)
      : listening_(std::move(listening)), ready_(loop, listening_.fd()), retry_(loop), take_(std::move(take)) {}

  ~Listener() { (void)ready_.release(); }  // listening_ owns the descriptor
  void Start() { Await(); }
  const Endpoint& endpoint() const { return listening_.endpoint(); }

 private:
  void Await() {
    ready_.async_wait(asio::posix::stream_descriptor::wait_read,
                      [this, alive = std::weak_ptr(alive_)](const Failure& failed) {
                        if (!alive.expired() && !failed) Accept();
                      });
  }

  void Accept() {
    const std::weak_ptr alive = alive_;
    for (int i = 0; i < kBatch && !alive.expired(); ++i) {
      os::files::Fd socket(::accept4(listening_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket.valid()) {
        const bool none = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
        return none ? Await() : AwaitLater();  // for example because the process has no free file descriptors
      }
      take_(std::move(socket), listening_.endpoint());
    }
    if (!alive.expired()) Await();
  }

  void AwaitLater() {
    retry_.expires_after(std::chrono::milliseconds(100));
    retry_.async_wait([this, alive = std::weak_ptr(alive_)](const Failure& failed) {
      if (!alive.expired() && !failed) Await();
    });
  }

  static constexpr int kBatch = 16;  // connections per turn of the loop
  ListeningSocket listening_;
  asio::posix::stream_descriptor ready_;
  asio::steady_timer retry_;
  const Take take_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

class AsioServer final : public Server {
 public:
  AsioServer(asio::io_context& loop, Options options, Handler handler)
      : loop_(loop), state_(std::make_shared<ServerState>()), deadline_(loop) {
    state_->options = std::move(options);
    state_->handler = std::move(handler);
  }

  ~AsioServer() override {
    listeners_.clear();
    stopped_ = nullptr;
    CloseAll();
  }

  Status Listen() {
    std::vector<ListeningSocket> sockets;
    for (const Endpoint& endpoint : state_->options.endpoints) {
      HOWDAH_TRY(ListeningSocket listening, ListeningSocket::Open(endpoint));
      sockets.push_back(std::move(listening));
    }
    for (ListeningSocket& listening : sockets) {
      endpoints_.push_back(listening.endpoint());
      listeners_.push_back(std::make_unique<Listener>(
          loop_, std::move(listening),
          [this](os::files::Fd socket, const Endpoint& endpoint) { Take(std::move(socket), endpoint); }));
      listeners_.back()->Start();
    }
    return {};
  }

  void Stop(std::function<void()> stopped) override {
    listeners_.clear();
    stopped_ = std::move(stopped);
    deadline_.expires_after(state_->options.limits.stop);
    deadline_.async_wait([this, alive = std::weak_ptr(alive_)](const Failure& cancelled) {
      if (!alive.expired() && !cancelled) CloseAll();
    });
    for (const auto& connection : Connections()) connection->CloseWhenDone();
    ReportStopped();
  }

  const std::vector<Endpoint>& endpoints() const override { return endpoints_; }
  void SetPolicy(Policy policy) override { state_->options.policy = std::move(policy); }
  Statistics statistics() const override { return state_->statistics; }

 private:
  void Take(os::files::Fd fd, const Endpoint& endpoint) {
    Peer peer = IdentifyPeer(fd.get(), endpoint, users_);
    const bool stranger = state_->options.known && !state_->options.known(peer);
    ++state_->statistics.connections;
    if (!MakeRoom(stranger)) {
      ++state_->statistics.turned_away;
      return;
    }
    if (!peer.unix_socket) os::net::PrepareSocket(fd.get());
    Socket socket(loop_);
    Failure failed;
    const int family = peer.unix_socket ? AF_UNIX : endpoint.host.find(':') == std::string::npos ? AF_INET : AF_INET6;
    socket.assign(asio::generic::stream_protocol(family, peer.unix_socket ? 0 : IPPROTO_TCP), fd.get(), failed);
    if (failed) return;
    (void)fd.Release();
    const uint64_t id = ++last_id_;
    const auto connection = std::make_shared<Connection>(std::move(socket), std::move(peer), stranger, state_);
    connections_[id] = connection;
    connection->Start([this, id] { Forget(id); });
  }

  // Closes a connection in favour of a new one if the limit is reached: one that waits for a request, otherwise one
  // that has not sent a complete request; the oldest first. Peers that are not known never displace known ones.
  bool MakeRoom(bool stranger) {
    const Limits& limits = state_->options.limits;
    const size_t limit = stranger ? limits.strangers : limits.connections;
    size_t same = 0;
    std::shared_ptr<Connection> idle, receiving;
    for (const auto& [id, connection] : connections_) {
      if (connection->stranger() != stranger) continue;
      ++same;
      const auto activity = connection->activity();
      if (activity == Connection::Activity::kIdle && !idle) idle = connection;
      if (activity == Connection::Activity::kReceiving && !receiving) receiving = connection;
    }
    if (same < limit) return true;
    const auto victim = idle ? idle : receiving;
    if (limit == 0 || !victim) return false;
    victim->Close();
    return true;
  }

  void Forget(uint64_t id) {
    connections_.erase(id);
    ReportStopped();
  }

  void ReportStopped() {
    if (!connections_.empty() || !stopped_) return;
    deadline_.cancel();
    asio::post(loop_, std::exchange(stopped_, nullptr));
  }

  void CloseAll() {
    for (const auto& connection : Connections()) connection->Close();
  }

  // A copy, because a connection removes itself when it closes.
  std::vector<std::shared_ptr<Connection>> Connections() const {
    std::vector<std::shared_ptr<Connection>> connections;
    for (const auto& [id, connection] : connections_) connections.push_back(connection);
    return connections;
  }

  asio::io_context& loop_;
  const std::shared_ptr<ServerState> state_;
  const os::net::PeerUsers users_;
  std::vector<Endpoint> endpoints_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  uint64_t last_id_ = 0;
  std::map<uint64_t, std::shared_ptr<Connection>> connections_;  // oldest first
  asio::steady_timer deadline_;
  std::function<void()> stopped_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(asio::io_context& loop, Options options, Handler handler) {
  auto server = std::make_unique<AsioServer>(loop, std::move(options), std::move(handler));
  HOWDAH_TRY_STATUS(server->Listen());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace howdah::web
