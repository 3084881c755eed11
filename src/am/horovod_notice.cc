#include "horovod_notice.h"

#include <openssl/evp.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <utility>

#include "howdah/rpc/callback/hmac.h"

namespace howdah::am {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Failure = boost::system::error_code;

constexpr auto kLimit = std::chrono::seconds(5);
constexpr size_t kMacBytes = 32;

// One connection that sends one notice. Its pending operations own it.
class Sending : public std::enable_shared_from_this<Sending> {
 public:
  Sending(asio::io_context& loop, std::string message, std::function<void(bool)> done)
      : socket_(loop), limit_(loop), message_(std::move(message)), done_(std::move(done)) {}

  void Begin(const std::string& host, uint16_t port) {
    Failure failed;
    const auto address = asio::ip::make_address(host, failed);
    limit_.expires_after(kLimit);
    limit_.async_wait([self = shared_from_this()](const Failure&) { self->socket_.close(); });
    if (failed) return End(false);
    socket_.async_connect({address, port}, [self = shared_from_this()](const Failure& error) {
      if (error) return self->End(false);
      asio::async_write(self->socket_, asio::buffer(self->message_), [self](const Failure& unsent, size_t) {
        if (unsent) return self->End(false);
        // The content of the answer is irrelevant: a process that rejects the message closes the connection without an
        // answer.
        asio::async_read(self->socket_, asio::buffer(self->answer_),
                         [self](const Failure& no_answer, size_t) { self->End(!no_answer); });
      });
    });
  }

 private:
  void End(bool answered) {
    limit_.cancel();
    if (done_) std::exchange(done_, nullptr)(answered);
  }

  tcp::socket socket_;
  asio::steady_timer limit_;
  const std::string message_;
  std::array<char, kMacBytes + 4> answer_{};
  std::function<void(bool)> done_;
};

}  // namespace

std::optional<frameworks::horovod::NoticeAddress> DecodeNoticeAddress(const std::string& body) {
  if (body.empty() || body.size() % 4 != 0) return std::nullopt;
  std::string decoded(body.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(decoded.data()),
                                   reinterpret_cast<const unsigned char*>(body.data()), static_cast<int>(body.size()));
  if (size < 0) return std::nullopt;
  // EVP_DecodeBlock also decodes the padding into bytes, but the parser stops before them.
  return frameworks::horovod::ReadNoticeAddress(decoded);
}

std::string Sealed(const std::string& key, std::string_view body) {
  std::string message = rpc::callback::HmacSha256(key, body);
  for (int shift = 0; shift < 32; shift += 8) message += static_cast<char>((body.size() >> shift) & 255);
  return message.append(body);
}

void SendNotice(asio::io_context& loop, const std::string& host, const frameworks::horovod::NoticeAddress& address,
                std::string_view body, std::function<void(bool answered)> done) {
  std::make_shared<Sending>(loop, Sealed(address.key, body), std::move(done))->Begin(host, address.port);
}

}  // namespace howdah::am
