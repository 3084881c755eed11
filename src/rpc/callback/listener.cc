#include <sys/random.h>

#include <algorithm>
#include <boost/asio/read_until.hpp>

#include "howdah/rpc/callback/callback.h"

namespace howdah::rpc::callback {
namespace {

using boost::asio::ip::tcp;
using Code = boost::system::error_code;

constexpr size_t kSecretBytes = 16;
constexpr size_t kLongestLine = 256;
// Limit for the caller's line, which callers send immediately after connecting.
constexpr auto kAnswerLimit = std::chrono::seconds(5);

Result<std::string> MakeSecret() {
  unsigned char bytes[kSecretBytes];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    return Failed("creating a secret: the system returned no random bytes");
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// Compares in constant time.
bool Same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char differs = 0;
  for (size_t i = 0; i < a.size(); ++i) differs |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differs == 0;
}

class TcpListener final : public CallbackListener {
 public:
  TcpListener(boost::asio::io_context& loop, std::string secret, OnCalled on_called)
      : acceptor_(loop), peer_(loop), timer_(loop), secret_(std::move(secret)), on_called_(std::move(on_called)) {}

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
  // Accepts one connection at a time, because a job has only one AM.
  void Accept() {
    acceptor_.async_accept(peer_, [this, alive = std::weak_ptr(alive_)](const Code& error) {
      if (alive.expired()) return;
      if (error) return Pause();
      ReadLine();
    });
  }

  // Retries after a pause. Accepting fails, for example, without free file descriptors.
  void Pause() {
    timer_.expires_after(kAnswerLimit);
    timer_.async_wait([this, alive = std::weak_ptr(alive_)](const Code& error) {
      if (!error && !alive.expired()) Accept();
    });
  }

  void ReadLine() {
    timer_.expires_after(kAnswerLimit);
    timer_.async_wait([this, alive = std::weak_ptr(alive_)](const Code& error) {
      Code ignored;
      if (!error && !alive.expired()) peer_.close(ignored);
    });
    line_.clear();
    boost::asio::async_read_until(peer_, boost::asio::dynamic_buffer(line_, kLongestLine), '\n',
                                  [this, alive = std::weak_ptr(alive_)](const Code& error, size_t size) {
                                    if (!alive.expired()) OnLine(error ? "" : line_.substr(0, size - 1));
                                  });
  }

  void OnLine(const std::string& line) {
    timer_.cancel();
    Code ignored;
    peer_.close(ignored);
    Accept();
    Take(line);
  }

  // Must be the last call of a function, because the handler may destroy this object.
  void Take(const std::string& line) {
    const size_t space = line.find(' ');
    if (space != std::string::npos && Same(line.substr(0, space), secret_)) on_called_(line.substr(space + 1));
  }

  tcp::acceptor acceptor_;
  tcp::socket peer_;
  boost::asio::steady_timer timer_;
  const std::string secret_;
  OnCalled on_called_;
  std::string address_, line_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

Result<std::unique_ptr<CallbackListener>> CallbackListener::Listen(boost::asio::io_context& loop,
                                                                   const std::string& host, OnCalled on_called) {
  auto secret = MakeSecret();
  if (!secret.ok()) return secret.error();
  auto listener = std::make_unique<TcpListener>(loop, std::move(*secret), std::move(on_called));
  if (const Status opened = listener->Open(host); !opened.ok()) return opened.error();
  return std::unique_ptr<CallbackListener>(std::move(listener));
}

}  // namespace howdah::rpc::callback
