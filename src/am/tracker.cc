// The rendezvous server of XGBoost: serves frameworks::xgboost::XgboostTracker over TCP.
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <unordered_map>

#include "howdah/frameworks/xgboost/xgboost_tracker.h"
#include "rendezvous.h"

namespace howdah::am {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Failure = boost::system::error_code;
using frameworks::xgboost::XgboostTracker;

constexpr std::chrono::seconds kFirstMessageLimit{30};  // time limit for a connection's first message

class Tracker final : public RendezvousServer {
 public:
  Tracker(asio::io_context& loop, Options options)
      : loop_(loop), options_(std::move(options)), tracker_(options_.processes), acceptor_(loop), retry_(loop) {}

  Status Listen() {
    Failure failed;
    const auto address = asio::ip::make_address(options_.host, failed);
    if (!failed) acceptor_.open(address.is_v6() ? tcp::v6() : tcp::v4(), failed);
    if (!failed) acceptor_.bind({address, 0}, failed);
    if (!failed) acceptor_.listen(asio::socket_base::max_listen_connections, failed);
    if (failed) return Failed("listening on " + options_.host + ": " + failed.message());
    Accept();
    return {};
  }

  uint16_t port() const override {
    Failure ignored;
    return acceptor_.local_endpoint(ignored).port();
  }

 private:
  using Id = XgboostTracker::ConnectionId;
  struct Peer {
    Peer(tcp::socket s, asio::io_context& loop) : socket(std::move(s)), to_speak(loop) {}
    tcp::socket socket;
    asio::steady_timer to_speak;
    std::array<char, 4096> received;
    std::string queued, leaving;
    bool writing = false, closing = false;
  };

  void Accept() {
    acceptor_.async_accept([this, alive = std::weak_ptr(alive_)](const Failure& failed, tcp::socket socket) {
      if (alive.expired() || failed == asio::error::operation_aborted) return;
      if (failed) return AcceptLater();  // for example because no file descriptor is left
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
    Failure failed;
    const std::string host = socket.remote_endpoint(failed).address().to_string();
    // A process has one connection at a time, or two while it replaces one connection by the next.
    const size_t limit = 2 * static_cast<size_t>(options_.processes) + 16;
    if (failed || !IsClient(options_, socket.native_handle(), host) || peers_.size() >= limit) return;
    const Id id = ++last_id_;
    const auto peer = peers_[id] = std::make_shared<Peer>(std::move(socket), loop_);
    peer->to_speak.expires_after(kFirstMessageLimit);
    peer->to_speak.async_wait([this, id, alive = std::weak_ptr(alive_)](const Failure& error) {
      if (!alive.expired() && !error && !tracker_.IsWaiting(id)) Drop(id);
    });
    Perform(tracker_.OnOpened(id, host));
    Read(id, peer);
  }

  void Read(Id id, const std::shared_ptr<Peer>& peer) {
    peer->socket.async_read_some(asio::buffer(peer->received),
                                 [this, id, peer, alive = std::weak_ptr(alive_)](const Failure& failed, size_t size) {
                                   if (alive.expired() || !peers_.contains(id)) return;
                                   if (failed) return Drop(id);
                                   Perform(tracker_.OnBytes(id, {peer->received.data(), size}));
                                   if (peers_.contains(id)) Read(id, peer);
                                 });
  }

  void Perform(const XgboostTracker::Output& output) {
    for (const XgboostTracker::Send& send : output.sends) {
      const auto it = peers_.find(send.to);
      if (it == peers_.end()) continue;
      it->second->queued += send.bytes;
      Write(send.to, it->second);
    }
    for (const XgboostTracker::Print& print : output.prints) options_.print(print.rank, print.text);
    for (const Id id : output.closes) {
      const auto it = peers_.find(id);
      if (it == peers_.end()) continue;
      it->second->closing = true;
      if (!it->second->writing) Drop(id);
    }
  }

  void Write(Id id, const std::shared_ptr<Peer>& peer) {
    if (peer->writing || peer->queued.empty()) return;
    peer->writing = true;
    peer->leaving = std::exchange(peer->queued, {});
    asio::async_write(peer->socket, asio::buffer(peer->leaving),
                      [this, id, peer, alive = std::weak_ptr(alive_)](const Failure& failed, size_t) {
                        if (alive.expired() || !peers_.contains(id)) return;
                        peer->writing = false;
                        if (failed || (peer->closing && peer->queued.empty())) return Drop(id);
                        Write(id, peer);
                      });
  }

  void Drop(Id id) {
    peers_.erase(id);
    tracker_.OnClosed(id);
  }

  asio::io_context& loop_;
  const Options options_;
  XgboostTracker tracker_;
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  Id last_id_ = 0;
  std::unordered_map<Id, std::shared_ptr<Peer>> peers_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace

Result<std::unique_ptr<RendezvousServer>> StartTracker(asio::io_context& loop, RendezvousServer::Options options) {
  auto tracker = std::make_unique<Tracker>(loop, std::move(options));
  HOWDAH_TRY_STATUS(tracker->Listen());
  return std::unique_ptr<RendezvousServer>(std::move(tracker));
}

}  // namespace howdah::am
