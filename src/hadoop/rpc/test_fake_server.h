// For tests: a server on the loopback interface, with a thread of its own. The test supplies a handler for its calls.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "frame.h"
#include "howdah/base/host_port.h"
#include "howdah/hadoop/messages/rpc.pb.h"

namespace howdah::hadoop::rpc {

class FakeServer {
 public:
  using Tcp = boost::asio::ip::tcp;
  using Status = ::hadoop::common::RpcResponseHeaderProto::RpcStatusProto;

  struct Session {
    explicit Session(Tcp::socket s) : socket(std::move(s)) {}
    void Send(const std::string& bytes) {
      boost::system::error_code ignored;
      boost::asio::write(socket, boost::asio::buffer(bytes), ignored);
    }
    void Reply(int32_t id, const std::string& response) { Send(Framed(id, Status(0), "", "", &response)); }
    void Refuse(int32_t id, bool fatal, const std::string& java_class, const std::string& message) {
      Send(Framed(id, Status(fatal ? 2 : 1), java_class, message, nullptr));
    }
    void Close() {
      boost::system::error_code ignored;
      socket.shutdown(Tcp::socket::shutdown_both, ignored);
      socket.close(ignored);
    }
    Tcp::socket socket;
    int number = 0;  // number of the connection, from 0
    std::string first_read;
    FrameBuffer frames;
    std::array<char, 65536> buffer;
  };
  struct Call {
    int32_t id = 0, retry_count = 0;
    std::string client_id, method, request;
  };
  using Handler = std::function<void(Session&, const Call&)>;

  // `handler` runs on the server's thread. It receives calls, pings (id -4), contexts (-3) and negotiations (-33).
  explicit FakeServer(Handler handler)
      : handler_(std::move(handler)), acceptor_(loop_, {boost::asio::ip::address_v4::loopback(), 0}) {
    Accept();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~FakeServer() {
    loop_.stop();
    thread_.join();
  }
  HostPort where() const { return {"127.0.0.1", acceptor_.local_endpoint().port()}; }
  int connections() {
    std::promise<int> count;
    boost::asio::post(loop_, [&] { count.set_value(connections_); });
    return count.get_future().get();
  }

  static std::string Framed(int32_t id, Status status, const std::string& java_class, const std::string& message,
                            const std::string* response) {
    ::hadoop::common::RpcResponseHeaderProto header;
    header.set_callid(static_cast<uint32_t>(id));
    header.set_status(status);
    if (!java_class.empty()) header.set_exceptionclassname(java_class);
    if (!message.empty()) header.set_errormsg(message);
    std::string body;
    AppendDelimited(body, header);
    if (response) AppendDelimited(body, *response);
    return Frame(body);
  }

 private:
  void Accept() {
    acceptor_.async_accept([this](boost::system::error_code code, Tcp::socket socket) {
      if (code) return;
      auto session = std::make_shared<Session>(std::move(socket));
      session->number = connections_++;
      Read(session);
      Accept();
    });
  }

  void Read(const std::shared_ptr<Session>& session) {
    session->socket.async_read_some(boost::asio::buffer(session->buffer),
                                    [this, session](boost::system::error_code code, size_t size) {
                                      if (code) return;
                                      std::string_view bytes(session->buffer.data(), size);
                                      if (session->first_read.empty()) {
                                        session->first_read = bytes;
                                        bytes.remove_prefix(7);
                                      }
                                      session->frames.Append(bytes);
                                      while (auto frame = session->frames.Next()) Handle(*session, *frame);
                                      if (session->socket.is_open()) Read(session);
                                    });
  }

  void Handle(Session& session, const std::string& frame) {
    DelimitedReader reader(frame);
    ::hadoop::common::RpcRequestHeaderProto header;
    header.ParseFromString(std::string(reader.Next().value_or("")));
    Call call{header.callid(), header.retrycount(), header.clientid(), "", ""};
    ::hadoop::common::RequestHeaderProto method;
    if (call.id >= 0 && method.ParseFromString(std::string(reader.Next().value_or("")))) {
      call.method = method.methodname();
    }
    call.request = reader.Next().value_or("");
    handler_(session, call);
  }

  Handler handler_;
  boost::asio::io_context loop_{1};
  Tcp::acceptor acceptor_;
  int connections_ = 0;
  std::thread thread_;
};

// Reserves a loopback port on which nothing listens.
class ClosedPort {
 public:
  ClosedPort() : socket_(loop_, {boost::asio::ip::address_v4::loopback(), 0}) {}
  HostPort where() const { return {"127.0.0.1", socket_.local_endpoint().port()}; }

 private:
  boost::asio::io_context loop_;
  boost::asio::ip::tcp::socket socket_;
};

}  // namespace howdah::hadoop::rpc
