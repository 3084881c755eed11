#include "local_connection.h"

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <string>
#include <utility>

namespace howdah::portal {
namespace {

using boost::asio::ip::tcp;
using Code = boost::system::error_code;

constexpr size_t kMostUntaken = size_t{1} << 20, kReadSize = size_t{64} << 10;

// Shared by the upstream and by the operations in progress, which may end after it. No event follows Close.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::io_context& loop, web::Upstream::Events events) : socket_(loop), events_(std::move(events)) {}

  void Start(uint16_t port) {
    socket_.async_connect({boost::asio::ip::address_v4::loopback(), port},
                          [self = shared_from_this(), port](const Code& error) { self->OnConnected(error, port); });
  }

  void Send(std::string bytes) {
    output_.push_back(std::move(bytes));
    Write();
  }

  void End() {
    end_wanted_ = true;
    Write();
  }

  void Take(size_t bytes) {
    untaken_ -= bytes;
    Read();
  }

  void Close() {
    closed_ = true;
    Code ignored;
    socket_.close(ignored);
  }

 private:
  void OnConnected(const Code& error, uint16_t port) {
    if (closed_) return;
    if (error)
      return events_.on_failed({502, "nothing listens on port " + std::to_string(port) + ": " + error.message(), ""});
    Code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    open_ = true;
    events_.on_open();
    if (closed_) return;
    Read();
    Write();
  }

  void Read() {
    if (closed_ || !open_ || reading_ || input_ended_ || untaken_ >= kMostUntaken) return;
    reading_ = true;
    socket_.async_read_some(boost::asio::buffer(block_),
                            [self = shared_from_this()](const Code& error, size_t size) { self->OnRead(error, size); });
  }

  void OnRead(const Code& error, size_t size) {
    reading_ = false;
    if (closed_) return;
    if (error == boost::asio::error::eof) {
      input_ended_ = true;
      return events_.on_end();
    }
    if (error) return Fail(error);
    untaken_ += size;
    events_.on_bytes(std::string(block_.data(), size));
    Read();
  }

  // Writes the next bytes, or ends the output after the last ones.
  void Write() {
    if (!open_ || writing_) return;
    if (output_.empty()) {
      Code ignored;
      if (end_wanted_) socket_.shutdown(tcp::socket::shutdown_send, ignored);
      return;
    }
    writing_ = true;
    boost::asio::async_write(
        socket_, boost::asio::buffer(output_.front()),
        [self = shared_from_this()](const Code& error, size_t size) { self->OnWritten(error, size); });
  }

  void OnWritten(const Code& error, size_t size) {
    writing_ = false;
    if (closed_) return;
    if (error) return Fail(error);
    output_.pop_front();
    Write();
    events_.on_taken(size);
  }

  void Fail(const Code& error) {
    events_.on_failed({502, "the server has broken the connection: " + error.message(), ""});
  }

  tcp::socket socket_;
  web::Upstream::Events events_;
  std::array<char, kReadSize> block_;
  std::deque<std::string> output_;  // the front is being written
  size_t untaken_ = 0;
  bool open_ = false, closed_ = false, reading_ = false, writing_ = false, input_ended_ = false, end_wanted_ = false;
};

class LocalConnection final : public web::Upstream {
 public:
  explicit LocalConnection(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  ~LocalConnection() override { connection_->Close(); }
  void Send(std::string bytes) override { connection_->Send(std::move(bytes)); }
  void End() override { connection_->End(); }
  void Take(size_t bytes) override { connection_->Take(bytes); }

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace

std::unique_ptr<web::Upstream> ConnectLocally(boost::asio::io_context& loop, uint16_t port,
                                              web::Upstream::Events events) {
  auto connection = std::make_shared<Connection>(loop, std::move(events));
  connection->Start(port);
  return std::make_unique<LocalConnection>(std::move(connection));
}

}  // namespace howdah::portal
