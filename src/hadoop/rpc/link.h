// Connects a Connection (the protocol) with a socket and timers on an event loop.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "connection.h"
#include "howdah/base/host_port.h"
#include "howdah/hadoop/kerberos/context_request.h"
#include "howdah/hadoop/rpc/client_options.h"
#include "howdah/os/net/connect.h"
#include "howdah/os/net/lookup.h"

namespace howdah::hadoop::rpc {

// Work on another thread that reports its end with a descriptor. The loop waits for the descriptor.
template <typename Work>
struct Awaited {
  explicit Awaited(boost::asio::io_context& loop) : done(loop) {}
  std::unique_ptr<Work> work;  // null if there is none
  boost::asio::posix::stream_descriptor done;
};

// Resolves the server's name for each connection. Use only on the loop's thread. Pending operations keep the link
// alive.
class Link : public std::enable_shared_from_this<Link> {
 public:
  using Clock = std::chrono::steady_clock;
  // The link calls these from the loop, never from within its member functions, and not after Close. A hook may call
  // Close.
  struct Hooks {
    std::function<void()> ready;  // the link is connected and authenticated
    std::function<void(Answer)> answer;
    std::function<void(Failure)> failure;  // the link has been closed; if kind is kLost, check WasSent for each call
  };

  Link(boost::asio::io_context& loop, HostPort where, size_t server, ConnectionOptions options, RetryLimits limits);

  void Open(Hooks hooks);
  void Close();

  void Call(int32_t id, int32_t retry_count, std::string_view method, std::string_view request);
  void DropAnswer(int32_t id) { connection_.DropAnswer(id); }
  bool WasSent(int32_t id) const { return connection_.WasSent(id); }

  size_t server() const { return server_; }
  bool ready() const { return connected_ && connection_.ready(); }
  // Queries the kernel whether the server has closed the connection. Only for connections without outstanding calls.
  bool Ended();
  Clock::time_point last_received() const { return last_received_; }
  std::string local_ip() const;
  std::string security() const { return connection_.security(); }

 private:
  using Code = boost::system::error_code;
  void LookedUp();
  void TryNext();
  void OnConnectResult(Code code);
  void Connected();
  void Read();
  void Received(Code code, size_t size);
  void Process();
  void RequestContext(Connection::WantedContext wanted);
  void SetOpenTimer();
  void Flush();
  void SetSilenceTimer();
  void OnSilence();
  void Fail(Failure failure);
  template <typename Handler>
  auto Guarded(Handler handler);

  boost::asio::io_context& loop_;
  const HostPort where_;
  const size_t server_;
  const RetryLimits limits_;
  Connection connection_;
  Hooks hooks_;
  bool closed_ = false, connected_ = false, was_ready_ = false, writing_ = false;
  Awaited<os::net::Lookup> lookup_;
  Awaited<kerberos::ContextRequest> request_;  // while the handshake waits for a ticket
  std::vector<os::net::SocketAddress> addresses_;
  size_t next_address_ = 0;
  os::net::ConnectFailures failures_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer open_timer_, address_timer_, silence_timer_;
  bool address_expired_ = false;
  std::string outgoing_;
  std::vector<char> incoming_;
  Clock::time_point deadline_, last_received_, last_sent_;
};

}  // namespace howdah::hadoop::rpc
