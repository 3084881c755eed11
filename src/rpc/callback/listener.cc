#include <algorithm>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <list>

#include "howdah/rpc/callback/callback.h"
#include "protocol.h"

namespace howdah::rpc::callback {
namespace {

using boost::asio::ip::tcp;
using Code = boost::system::error_code;

constexpr auto kAcceptPause = std::chrono::milliseconds(100);

// One connection: sends the challenge and reads one line. Pending operations keep the object alive.
class Caller : public std::enable_shared_from_this<Caller> {
 public:
  // line: the line that the caller has sent; empty if it sent none in time. Not called after Close.
  using OnFinished = std::function<void(Caller& caller, const std::string& line)>;

  Caller(tcp::socket socket, std::string nonce, OnFinished on_finished)
      : socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        nonce_(std::move(nonce)),
        challenge_(ChallengeLine(nonce_)),
        on_finished_(std::move(on_finished)) {}

  void Serve(const CallbackListener::Limits& limits) {
    // A challenge fits into the buffer of a new socket, so the write never blocks. A caller that does not read the
    // challenge is detected because it sends nothing.
    boost::asio::async_write(socket_, boost::asio::buffer(challenge_),
                             [self = shared_from_this()](const Code&, size_t) {});
    CloseAfter(limits.first_byte);
    boost::asio::async_read(
        socket_, boost::asio::dynamic_buffer(line_, kLongestLine), boost::asio::transfer_at_least(1),
        [self = shared_from_this(), limit = limits.line - limits.first_byte](const Code& error, size_t) {
          if (error) return self->Finish("");
          self->CloseAfter(limit);
          self->ReadLine();
        });
  }

  void Close() {
    on_finished_ = nullptr;
    timer_.cancel();
    Code ignored;
    socket_.close(ignored);
  }

  const std::string& nonce() const { return nonce_; }

 private:
  void CloseAfter(std::chrono::milliseconds limit) {
    timer_.expires_after(limit);
    timer_.async_wait([self = shared_from_this()](const Code& error) {
      Code ignored;
      if (!error) self->socket_.close(ignored);  // ends the read
    });
  }

  void ReadLine() {
    boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(line_, kLongestLine), '\n',
                                  [self = shared_from_this()](const Code& error, size_t size) {
                                    self->Finish(error ? "" : self->line_.substr(0, size - 1));
                                  });
  }

  void Finish(const std::string& line) {
    if (const OnFinished on_finished = std::exchange(on_finished_, nullptr)) {
      Close();
      on_finished(*this, line);
    }
  }

  tcp::socket socket_;
  boost::asio::steady_timer timer_;
  const std::string nonce_, challenge_;
  OnFinished on_finished_;
  std::string line_;
};

class TcpListener final : public CallbackListener {
 public:
  TcpListener(boost::asio::io_context& loop, std::string secret, OnCalled on_called, const Limits& limits)
      : acceptor_(loop),
        peer_(loop),
        pause_(loop),
        secret_(std::move(secret)),
        on_called_(std::move(on_called)),
        limits_(limits) {}
  ~TcpListener() override {
    for (const auto& caller : callers_) caller->Close();
  }

  Status Open(const std::string& host) {
    Code error;
    const auto address = boost::asio::ip::make_address(host, error);
    const tcp::endpoint endpoint(address, 0);
    if (!error) acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error) return Failed("listening on " + host + " for an application master: " + error.message());
    const bool six = address.is_v6();
    address_ =
        (six ? "[" + host + "]" : host) + ":" + std::to_string(acceptor_.local_endpoint().port()) + " " + secret_;
    Accept();
    return {};
  }

  std::string address() const override { return address_; }

 private:
  void Accept() {
    acceptor_.async_accept(peer_, [this, alive = std::weak_ptr(alive_)](const Code& error) {
      if (alive.expired()) return;
      if (error) return Pause();
      Serve(std::move(peer_));
      Accept();
    });
  }

  // The process may be out of file descriptors. Closing the oldest connection frees one.
  void Pause() {
    DropOldest();
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this, alive = std::weak_ptr(alive_)](const Code& error) {
      if (!error && !alive.expired()) Accept();
    });
  }

  // Every connection in callers_ is incomplete. The oldest makes room for a new one, so silent strangers cannot keep
  // the AM out.
  void Serve(tcp::socket socket) {
    const auto nonce = RandomHex();
    if (!nonce) return;
    if (callers_.size() >= limits_.connections) DropOldest();
    callers_.push_back(std::make_shared<Caller>(
        std::move(socket), *nonce, [this](Caller& caller, const std::string& line) { OnFinished(caller, line); }));
    callers_.back()->Serve(limits_);
  }

  void DropOldest() {
    if (callers_.empty()) return;
    callers_.front()->Close();
    callers_.pop_front();
  }

  // Calls on_called_ last, because the handler may destroy this object.
  void OnFinished(Caller& caller, const std::string& line) {
    callers_.remove_if([&](const auto& other) { return other.get() == &caller; });
    const auto am_address = ParseCall(secret_, caller.nonce(), line);
    const OnCalled on_called = on_called_;
    if (am_address) on_called(*am_address);
  }

  tcp::acceptor acceptor_;
  tcp::socket peer_;
  boost::asio::steady_timer pause_;
  const std::string secret_;
  OnCalled on_called_;
  const Limits limits_;
  std::string address_;
  std::list<std::shared_ptr<Caller>> callers_;  // the oldest first
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

Result<std::unique_ptr<CallbackListener>> CallbackListener::Listen(boost::asio::io_context& loop,
                                                                   const std::string& host, OnCalled on_called,
                                                                   const Limits& limits) {
  const auto secret = RandomHex();
  if (!secret) return Failed("creating a secret: the system returned no random bytes");
  auto listener = std::make_unique<TcpListener>(loop, *secret, std::move(on_called), limits);
  HOWDAH_TRY_STATUS(listener->Open(host));
  return std::unique_ptr<CallbackListener>(std::move(listener));
}

}  // namespace howdah::rpc::callback
