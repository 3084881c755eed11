#include <algorithm>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "howdah/rpc/callback/callback.h"
#include "protocol.h"

namespace howdah::rpc::callback {
namespace {

using boost::asio::ip::tcp;
using Code = boost::system::error_code;
using namespace std::chrono_literals;

constexpr auto kFirstPause = 250ms;
constexpr std::chrono::milliseconds kLongestPause = 5s;
constexpr auto kCallLimit = 5s;

// Parses "10.0.0.7:40123" or "[::1]:40123".
bool ParseEndpoint(const std::string& text, tcp::endpoint& endpoint) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return false;
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  Code error;
  const auto address = boost::asio::ip::make_address(host, error);
  const int port = std::atoi(text.c_str() + colon + 1);
  if (error || port <= 0 || port > UINT16_MAX) return false;
  endpoint = {address, static_cast<uint16_t>(port)};
  return true;
}

}  // namespace

// Repeats the call to one executor. Pending operations keep this object alive. After Stop they have no effect.
class CallbackClient::Calling : public std::enable_shared_from_this<Calling> {
 public:
  Calling(boost::asio::io_context& loop, tcp::endpoint to, std::string secret, std::string am_address)
      : socket_(loop),
        limit_(loop),
        pause_timer_(loop),
        to_(std::move(to)),
        secret_(std::move(secret)),
        am_address_(std::move(am_address)) {}

  void Call() {
    limit_.expires_after(kCallLimit);
    limit_.async_wait([self = shared_from_this()](const Code& error) {
      Code ignored;
      if (!error) self->socket_.close(ignored);
    });
    socket_.async_connect(to_, [self = shared_from_this()](const Code& error) {
      if (error || self->stopped_) return self->CallAgain();
      self->ReadChallenge();
    });
  }

  void Stop() {
    stopped_ = true;
    Code ignored;
    socket_.close(ignored);
    limit_.cancel();
    pause_timer_.cancel();
  }

 private:
  void ReadChallenge() {
    line_.clear();
    boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(line_, kLongestLine), '\n',
                                  [self = shared_from_this()](const Code& error, size_t size) {
                                    if (error || self->stopped_) return self->CallAgain();
                                    self->Answer(self->line_.substr(0, size - 1));
                                  });
  }

  void Answer(const std::string& challenge) {
    const auto nonce = ParseChallenge(challenge);
    if (!nonce) return CallAgain();
    line_ = CallLine(secret_, *nonce, am_address_);
    boost::asio::async_write(socket_, boost::asio::buffer(line_),
                             [self = shared_from_this()](const Code&, size_t) { self->CallAgain(); });
  }

  void CallAgain() {
    limit_.cancel();
    Code ignored;
    socket_.close(ignored);
    if (stopped_) return;
    pause_timer_.expires_after(pause_);
    pause_ = std::min(pause_ * 2, kLongestPause);
    pause_timer_.async_wait([self = shared_from_this()](const Code& error) {
      if (!error && !self->stopped_) self->Call();
    });
  }

  tcp::socket socket_;
  boost::asio::steady_timer limit_, pause_timer_;
  const tcp::endpoint to_;
  const std::string secret_, am_address_;
  std::string line_;
  std::chrono::milliseconds pause_ = kFirstPause;
  bool stopped_ = false;
};

CallbackClient::~CallbackClient() {
  for (const auto& [container, calling] : calls_) calling->Stop();
}

void CallbackClient::Call(const ContainerId& container, const std::string& callback_address,
                          const std::string& am_address) {
  const size_t space = callback_address.find(' ');
  tcp::endpoint to;
  if (space == std::string::npos || !ParseEndpoint(callback_address.substr(0, space), to)) return;
  Stop(container);
  const auto calling = std::make_shared<Calling>(loop_, to, callback_address.substr(space + 1), am_address);
  calls_[container] = calling;
  calling->Call();
}

void CallbackClient::Stop(const ContainerId& container) {
  const auto it = calls_.find(container);
  if (it == calls_.end()) return;
  it->second->Stop();
  calls_.erase(it);
}

}  // namespace howdah::rpc::callback
