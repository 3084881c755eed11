#include "howdah/os/http/server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <map>
#include <utility>

namespace howdah::os::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace protocol = boost::beast::http;
using asio::ip::tcp;
using Failure = boost::system::error_code;

// The client's address. An IPv4-mapped IPv6 address of a dual-stack listener is formatted as IPv4: "10.0.0.7".
std::string AddressOf(const tcp::socket& socket) {
  Failure failed;
  asio::ip::address address = socket.remote_endpoint(failed).address();
  if (failed) return "";
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  return address.to_string();
}

class Connection {
 public:
  // on_finished must destroy the connection.
  Connection(tcp::socket socket, const Server::Limits& limits, std::shared_ptr<const Server::Handler> handler,
             std::string peer, bool stranger, std::function<void()> on_finished)
      : limits_(limits),
        handler_(std::move(handler)),
        on_finished_(std::move(on_finished)),
        peer_(std::move(peer)),
        stranger_(stranger),
        stream_(std::move(socket)) {
    parser_.header_limit(static_cast<uint32_t>(limits.header_bytes));
    parser_.body_limit(limits.body_bytes);
  }

  bool stranger() const { return stranger_; }
  // Whether the whole request has been received.
  bool complete() const { return complete_; }
  // Whether Evict was called. An evicted connection ends as soon as its pending operation has failed.
  bool evicted() const { return evicted_; }

  // Closes the connection. The object must stay until on_finished, because a pending operation uses its buffers.
  void Evict() {
    evicted_ = true;
    stream_.close();
  }

  void Start() {
    stream_.expires_after(limits_.read);
    protocol::async_read_header(stream_, buffer_, parser_,
                                [this, alive = std::weak_ptr(alive_)](const Failure& failed, size_t) {
                                  if (!alive.expired()) OnRead(failed);
                                });
  }

 private:
  void OnRead(const Failure& failed) {
    if (failed == protocol::error::header_limit) return Answer({431, "", "the request header is too long\n", ""});
    if (failed == protocol::error::body_limit) return Answer({413, "", "the request body is too long\n", ""});
    if (failed.category() == protocol::make_error_code(protocol::error::bad_method).category() &&
        failed != protocol::error::end_of_stream && failed != protocol::error::partial_message) {
      return Answer({400, "", "not an HTTP/1.1 request\n", ""});
    }
    if (failed) return Finish();
    const auto& request = parser_.get();
    const protocol::verb method = request.method();
    head_ = method == protocol::verb::head;
    if (head_ || method == protocol::verb::get) return Ask();
    const bool changes = method == protocol::verb::put || method == protocol::verb::delete_;
    if (!changes || limits_.body_bytes == 0) return Answer({405, "", "this method is not allowed\n", ""});
    // Boost 1.81 aborts in an assertion if the last chunk of a body arrives in pieces.
    if (parser_.chunked()) return Answer({411, "", "send the header Content-Length\n", ""});
    protocol::async_read(stream_, buffer_, parser_,
                         [this, alive = std::weak_ptr(alive_)](const Failure& error, size_t) {
                           if (alive.expired()) return;
                           if (error == protocol::error::body_limit)
                             return Answer({413, "", "the request body is too long\n", ""});
                           if (error) return Finish();
                           Ask();
                         });
  }

  void Ask() {
    auto& request = parser_.get();
    complete_ = true;
    stream_.expires_after(limits_.write);
    const std::string target(request.target());
    const auto handler = handler_;
    (*handler)({target.substr(0, target.find('?')), peer_, std::string(request.method_string()),
                std::move(request.body()), std::string(request[protocol::field::cookie])},
               [this, alive = std::weak_ptr(alive_)](Response response) {
                 if (!alive.expired()) Answer(std::move(response));
               });
  }

  void Answer(Response response) {
    if (std::exchange(answered_, true)) return;
    answer_.version(11);
    answer_.result(static_cast<unsigned>(response.status));
    answer_.keep_alive(false);
    answer_.set(protocol::field::content_type,
                response.content_type.empty() ? "text/plain; charset=utf-8" : response.content_type);
    answer_.set("X-Content-Type-Options", "nosniff");
    answer_.set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
    answer_.set(protocol::field::cache_control, "no-store");
    if (!response.location.empty()) answer_.set(protocol::field::location, response.location);
    answer_.content_length(response.body.size());
    if (!head_) answer_.body() = std::move(response.body);
    stream_.expires_after(limits_.write);
    protocol::async_write(stream_, answer_, [this, alive = std::weak_ptr(alive_)](const Failure&, size_t) {
      if (!alive.expired()) Close();
    });
  }

  void Finish() {
    const auto over = on_finished_;  // a copy, because the call destroys *this
    over();
  }

  // Discards unread input before closing. Otherwise the kernel may reset the connection, and the client may lose the
  // response.
  void Close() {
    Failure ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(limits_.read);
    Discard();
  }

  void Discard() {
    stream_.async_read_some(asio::buffer(discarded_),
                            [this, alive = std::weak_ptr(alive_)](const Failure& failed, size_t size) {
                              if (alive.expired()) return;
                              left_ -= std::min(left_, size);
                              if (failed || left_ == 0) return Finish();
                              Discard();
                            });
  }

  const Server::Limits limits_;
  const std::shared_ptr<const Server::Handler> handler_;
  const std::function<void()> on_finished_;
  const std::string peer_;
  const bool stranger_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  protocol::request_parser<protocol::string_body> parser_;
  protocol::response<protocol::string_body> answer_;
  std::array<char, 4096> discarded_;
  size_t left_ = 64 << 10;  // the maximum number of bytes to discard
  bool head_ = false, complete_ = false, answered_ = false, evicted_ = false;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

class AsioServer final : public Server {
 public:
  AsioServer(asio::io_context& loop, Handler handler, const Limits& limits)
      : limits_(limits), handler_(std::make_shared<const Handler>(std::move(handler))), acceptor_(loop), retry_(loop) {}

  Status Listen(const std::string& host) {
    Failure failed;
    const auto address = asio::ip::make_address(host, failed);
    if (!failed) acceptor_.open(address.is_v6() ? tcp::v6() : tcp::v4(), failed);
    if (!failed) acceptor_.bind({address, 0}, failed);
    if (!failed) acceptor_.listen(asio::socket_base::max_listen_connections, failed);
    if (failed) return Failed("listening on " + host + ": " + failed.message());
    Accept();
    return {};
  }

  uint16_t port() const override {
    Failure ignored;
    return acceptor_.local_endpoint(ignored).port();
  }

 private:
  void Accept() {
    acceptor_.async_accept([this, alive = std::weak_ptr(alive_)](const Failure& failed, tcp::socket socket) {
      if (alive.expired() || failed == asio::error::operation_aborted) return;
      if (failed) return AcceptLater();  // for example because the process has no free file descriptors
      Take(std::move(socket));
      Accept();
    });
  }

  void AcceptLater() {
    retry_.expires_after(std::chrono::milliseconds(100));
    retry_.async_wait([this, alive = std::weak_ptr(alive_)](const Failure& failed) {
      if (!alive.expired() && !failed) Accept();
    });
  }

  void Take(tcp::socket socket) {
    std::string peer = AddressOf(socket);
    const bool stranger = limits_.known && !limits_.known(socket.native_handle(), peer);
    if (!MakeRoom(stranger)) return;
    const uint64_t id = ++last_id_;
    auto& connection = connections_[id];
    connection = std::make_unique<Connection>(std::move(socket), limits_, handler_, std::move(peer), stranger,
                                              [this, id] { Forget(id); });
    connection->Start();
  }

  // A client that is not known never displaces a known one. Returns false if no connection can be closed to make room
  // for the new one.
  bool MakeRoom(bool stranger) {
    const size_t limit = stranger ? limits_.strangers : limits_.connections;
    size_t same = 0;
    auto oldest = connections_.end();
    for (auto it = connections_.begin(); it != connections_.end(); ++it) {
      if (it->second->stranger() != stranger || it->second->evicted()) continue;
      ++same;
      if (oldest == connections_.end() && !it->second->complete()) oldest = it;
    }
    if (same < limit) return true;
    if (limit == 0 || oldest == connections_.end()) return false;
    oldest->second->Evict();
    return true;
  }

  void Forget(uint64_t id) {
    const auto it = connections_.find(id);
    // The object `gone` destroys the connection when this function returns. The caller is a member function of the
    // connection, and does nothing after this call.
    const auto gone = std::move(it->second);
    connections_.erase(it);
  }

  const Limits limits_;
  const std::shared_ptr<const Handler> handler_;
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  uint64_t last_id_ = 0;
  std::map<uint64_t, std::unique_ptr<Connection>> connections_;  // oldest first
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(asio::io_context& loop, const std::string& host, Handler handler,
                                              const Limits& limits) {
  auto server = std::make_unique<AsioServer>(loop, std::move(handler), limits);
  HOWDAH_TRY_STATUS(server->Listen(host));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace howdah::os::http
