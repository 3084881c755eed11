#include "howdah/rpc/streams/port_forward.h"

#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>
#include <unordered_map>
#include <utility>

#include "howdah/os/net/peer_user.h"
#include "howdah/rpc/frames.h"
#include "opening_frame.h"
#include "socket_endpoint.h"
#include "start_forward.h"

namespace howdah::rpc::streams {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr Duration kConnectLimit = std::chrono::seconds(10);
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

class Listener final : public PortForward {
 public:
  Listener(Target target, std::function<void(const std::string&)> on_problem, MakeChannel make_channel)
      : target_(std::move(target)), on_problem_(std::move(on_problem)), make_channel_(std::move(make_channel)) {}
  ~Listener() override {
    asio::post(loop_, [this] { loop_.stop(); });
    if (thread_.joinable()) thread_.join();
    connections_.clear();
    channel_.reset();
  }

  Status Listen(uint16_t port, const rpc::AmContact& am) {
    boost::system::error_code error;
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (error) return Failed("listening on 127.0.0.1:" + std::to_string(port) + ": " + error.message());
    port_ = acceptor_.local_endpoint().port();
    if (const Status usable = SetChannel(am); !usable.ok()) return usable;
    Accept();
    thread_ = std::thread([this] { loop_.run(); });
    return {};
  }

  uint16_t port() const override { return port_; }
  void Use(const rpc::AmContact& am) override {
    asio::post(loop_, [this, am] {
      connections_.clear();  // these connections go through the previous AM
      if (const Status usable = SetChannel(am); !usable.ok()) on_problem_(usable.error().message);
    });
  }

 private:
  struct Connection {
    std::unique_ptr<SocketEnd> end;
    std::unique_ptr<rpc::FrameStream> stream;
    bool opened = false, over = false, closed = false;
  };

  Status SetChannel(const rpc::AmContact& am) {
    HOWDAH_TRY(channel_, make_channel_(am, [this](std::function<void()> f) { asio::post(loop_, std::move(f)); }));
    return {};
  }

  void Accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return AcceptLater(error);
      waits_ = false;
      OnAccepted(std::move(socket));
      Accept();
    });
  }

  void AcceptLater(const boost::system::error_code& error) {
    if (!std::exchange(waits_, true)) {
      on_problem_("a connection to port " + std::to_string(port_) + " has to wait: " + error.message() +
                  (error == asio::error::no_descriptors ? "; raise the hard limit of open files (`ulimit -Hn`)" : ""));
    }
    retry_.expires_after(kAcceptPause);
    retry_.async_wait([this](const boost::system::error_code& failed) {
      if (!failed) Accept();
    });
  }

  void OnAccepted(tcp::socket socket) {
    const auto user = users_.UserOf(socket.native_handle());
    if (!user || (*user != getuid() && *user != 0)) {
      return on_problem_(
          user ? "a connection from user " + std::to_string(*user) + " of this machine was refused"
               : "a connection was refused: it was closed before its user could be determined, or the kernel does not "
                 "support sock_diag(7)");
    }
    boost::system::error_code ignored;
    const uint64_t id = ++last_id_;
    Connection& made = connections_[id];
    made.end = std::make_unique<SocketEnd>(
        loop_, os::files::Fd(socket.release(ignored)), SocketEnd::Side::kClient,
        SocketEnd::Handlers{[this, id](const wire::Frame& frame) { connections_.at(id).stream->Send(frame); },
                            [this, id](bool broken) { OnOver(id, broken); }});
    made.stream = channel_->Open(rpc::FrameChannel::Method::kTunnel,
                                 {[this, id](const wire::Frame& frame) { OnFrame(id, frame); },
                                  [this, id](const std::string& why) { OnClosed(id, why); }});
    made.stream->Send(OpeningFrame(target_));
    made.end->Start();
  }

  void OnFrame(uint64_t id, const wire::Frame& frame) {
    Connection& connection = connections_.at(id);
    if (connection.over) return;
    connection.opened |= frame.has_opened() || frame.kind_case() == wire::Frame::kFailed;
    if (frame.kind_case() != wire::Frame::kFailed) return connection.end->OnFrame(frame);
    on_problem_(frame.failed());
    connection.end->OnClosed();
  }

  void OnClosed(uint64_t id, const std::string& why) {
    Connection& connection = connections_.at(id);
    connection.closed = true;
    if (connection.over) return static_cast<void>(connections_.erase(id));
    // Once the connection is open, the program at the other end of the socket detects a failure itself.
    if (!connection.opened) on_problem_(why);
    connection.end->OnClosed();
  }

  void OnOver(uint64_t id, bool broken) {
    Connection& connection = connections_.at(id);
    if (broken || connection.closed) return static_cast<void>(connections_.erase(id));
    connection.over = true;
    connection.stream->Finish();
  }

  const Target target_;
  const std::function<void(const std::string&)> on_problem_;
  const MakeChannel make_channel_;
  asio::io_context loop_{1};
  tcp::acceptor acceptor_{loop_};
  asio::steady_timer retry_{loop_};
  bool waits_ = false;  // the last attempt to accept a connection has failed
  const os::net::PeerUsers users_;
  uint16_t port_ = 0;
  std::unique_ptr<rpc::FrameChannel> channel_;
  std::unordered_map<uint64_t, Connection> connections_;
  uint64_t last_id_ = 0;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<PortForward>> StartForward(uint16_t port, const rpc::AmContact& am, const Target& target,
                                                  std::function<void(const std::string& line)> on_problem,
                                                  MakeChannel make_channel) {
  auto listener = std::make_unique<Listener>(target, std::move(on_problem), std::move(make_channel));
  HOWDAH_TRY_STATUS(listener->Listen(port, am));
  return std::unique_ptr<PortForward>(std::move(listener));
}

Result<std::unique_ptr<PortForward>> PortForward::Start(uint16_t port, const rpc::AmContact& am, const Target& target,
                                                        std::function<void(const std::string& line)> on_problem) {
  return StartForward(port, am, target, std::move(on_problem), [](const rpc::AmContact& contact, rpc::Post post) {
    return rpc::FrameChannel::Make(contact.address, contact.identity, std::move(post), kConnectLimit);
  });
}

}  // namespace howdah::rpc::streams
