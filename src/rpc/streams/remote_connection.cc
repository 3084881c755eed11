#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>
#include <vector>

#include "howdah/rpc/streams/remote_endpoint.h"
#include "socket_endpoint.h"

namespace howdah::rpc::streams {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// Time limit for connecting, because a server with a full accept queue does not answer.
constexpr std::chrono::seconds kTargetConnectLimit{10};

class Connection final : public RemoteEndpoint {
 public:
  Connection(asio::io_context& loop, uint16_t port, Handlers handlers)
      : loop_(loop), port_(port), handlers_(std::move(handlers)), socket_(loop), limit_(loop) {
    limit_.expires_after(kTargetConnectLimit);
    limit_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
      if (!error && !alive.expired()) Fail("no answer");
    });
    Connect(asio::ip::address_v4::loopback());
  }

  void OnFrame(const wire::Frame& frame) override {
    if (end_) return end_->OnFrame(frame);
    early_.push_back(frame);
  }
  void OnClosed() override {
    if (end_) return end_->OnClosed();
    limit_.cancel();
    boost::system::error_code ignored;
    socket_.close(ignored);
    if (const auto on_over = std::exchange(handlers_.on_over, nullptr)) on_over(true);  // may destroy *this
  }

 private:
  void Connect(const asio::ip::address& address) {
    socket_ = tcp::socket(loop_);
    socket_.async_connect({address, port_}, [this, alive = std::weak_ptr(alive_),
                                             v4 = address.is_v4()](const boost::system::error_code& error) {
      if (alive.expired() || !handlers_.on_over) return;
      if (!error) return Begin();
      if (v4 && error == asio::error::connection_refused) return Connect(asio::ip::address_v6::loopback());
      // Report a failure of IPv4 only, because the machine may not have IPv6.
      Fail(v4 ? error.message() : "nothing listens on it");
    });
  }

  void Fail(const std::string& why) {
    limit_.cancel();
    wire::Frame frame;
    frame.set_failed("port " + std::to_string(port_) + " of the task's machine: " + why);
    handlers_.send(frame);
    if (const auto on_over = std::exchange(handlers_.on_over, nullptr)) on_over(false);  // may destroy *this
  }

  void Begin() {
    limit_.cancel();
    boost::system::error_code ignored;
    end_ = std::make_unique<SocketEnd>(loop_, os::files::Fd(socket_.release(ignored)), SocketEnd::Side::kRemote,
                                       SocketEnd::Handlers{handlers_.send, std::exchange(handlers_.on_over, nullptr)});
    wire::Frame frame;
    frame.mutable_opened();
    handlers_.send(frame);
    end_->Start();
    const std::weak_ptr<char> alive = alive_;
    for (const wire::Frame& one : std::exchange(early_, {})) {
      if (!alive.expired()) end_->OnFrame(one);
    }
  }

  asio::io_context& loop_;
  uint16_t port_;
  Handlers handlers_;
  tcp::socket socket_;
  asio::steady_timer limit_;
  // Received before the connection was made; at most one window, because the peer then waits for Taken.
  std::vector<wire::Frame> early_;
  std::unique_ptr<SocketEnd> end_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace

std::unique_ptr<RemoteEndpoint> ConnectLoopback(asio::io_context& loop, uint16_t port,
                                                RemoteEndpoint::Handlers handlers) {
  return std::make_unique<Connection>(loop, port, std::move(handlers));
}

}  // namespace howdah::rpc::streams
