// Clients and a server over real sockets, for tests.
#pragma once

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <future>
#include <semaphore>
#include <thread>

#include "gzip.h"
#include "howdah/os/files/fd.h"
#include "howdah/web/events.h"
#include "howdah/web/server.h"

namespace howdah::web {

inline constexpr int kPatienceMs = 60'000;

// A client's connection.
class Client {
 public:
  explicit Client(uint16_t port, const char* address = "127.0.0.1")
      : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    inet_pton(AF_INET, address, &to.sin_addr);
    connected_ = connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  explicit Client(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    path.copy(to.sun_path, sizeof to.sun_path - 1);
    connected_ = connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  bool connected() const { return connected_; }

  Client& Send(const std::string& bytes) {
    (void)send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return *this;
  }
  void EndSending() { shutdown(fd_.get(), SHUT_WR); }
  void Close() { fd_.Close(); }

  // Reads until the text has been received, and returns everything up to and including it.
  std::string Until(const std::string& text) {
    size_t found = std::string::npos;
    while ((found = received_.find(text)) == std::string::npos) {
      if (!Receive()) return std::exchange(received_, "") + "(the connection ended before '" + text + "')";
    }
    const std::string all = received_.substr(0, found + text.size());
    received_.erase(0, all.size());
    return all;
  }
  // Reads until the server closes the connection.
  std::string Rest() {
    while (Receive()) continue;
    return std::exchange(received_, "");
  }
  // Sends a GET and returns the whole response, which has a Content-Length.
  std::string Get(const std::string& path, const std::string& headers = "") {
    Send("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n");
    return Response();
  }
  std::string Response() {
    const std::string head = Until("\r\n\r\n");
    const size_t at = head.find("\r\nContent-Length: ");
    if (at == std::string::npos) return head;
    const size_t size = std::stoul(head.substr(at + 18));
    while (received_.size() < size && Receive()) continue;
    const std::string body = received_.substr(0, size);
    received_.erase(0, body.size());
    return head + body;
  }

 private:
  bool Receive() {
    char block[16 << 10];
    pollfd wanted{fd_.get(), POLLIN, 0};
    if (poll(&wanted, 1, kPatienceMs) != 1) return false;
    const ssize_t size = recv(fd_.get(), block, sizeof block, 0);
    if (size <= 0) return false;
    received_.append(block, static_cast<size_t>(size));
    return true;
  }

  os::files::Fd fd_;
  bool connected_ = false;
  std::string received_;
};

// A server whose loop has its own thread. The handler answers by path.
class Served {
 public:
  explicit Served(Server::Options options = {}) {
    if (options.endpoints.empty()) options.endpoints = {{.host = "127.0.0.1"}};
    auto made = Server::Start(loop_, std::move(options),
                              [this](const Request& request, const Respond& respond) { Handle(request, respond); });
    EXPECT_TRUE(made.ok()) << made.error().message;
    server_ = std::move(*made);
    port_ = server_->endpoints().front().port;
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Served() {
    boost::asio::post(loop_, [this] { server_.reset(), loop_.stop(); });
    thread_.join();
    for (const auto& respond : kept_) respond(Text("too late"));
    EXPECT_FALSE(writer_ && writer_->Write("too late"));
  }
  uint16_t port() const { return port_; }
  std::string Ask(const std::string& bytes) { return Client(port_).Send(bytes).Rest(); }

  // Runs f on the loop's thread and returns its result.
  template <typename F>
  auto OnLoop(F f) {
    std::packaged_task<decltype(f(*server_))()> task([&] { return f(*server_); });
    auto result = task.get_future();
    boost::asio::post(loop_, [&task] { task(); });
    return result.get();
  }
  BodyWriter& writer() { return *writer_; }
  void AwaitWriter() { has_writer_.acquire(); }  // a request for /stream, /events or /ranged-slowly is in progress
  void AwaitClosed() { has_closed_.acquire(); }  // its writer has reported the end
  void AwaitKept() { has_kept_.acquire(); }      // a request for /never is in progress
  void AwaitReady() { has_ready_.acquire(); }    // its writer can be written to again
  void AwaitStopped() { has_stopped_.acquire(); }
  void Stop() {
    OnLoop([this](Server& server) {
      server.Stop([this] { has_stopped_.release(); });
      return 0;
    });
  }

 private:
  void Keep(std::shared_ptr<BodyWriter> writer) {
    writer_ = std::move(writer);
    writer_->OnClosed([this] { has_closed_.release(); });
    writer_->OnReady([this] { has_ready_.release(); });
    has_writer_.release();
  }

  void Handle(const Request& request, const Respond& respond) {
    if (request.path == "/never") {
      kept_.push_back(respond);
      return has_kept_.release();
    }
    if (request.path == "/large") return respond(Text(std::string(3'000'000, 'l')));
    if (request.path == "/twice") respond(Text("first"));
    if (request.path == "/etag") return respond({200, {{"ETag", "\"v1\""}, {"Content-Type", "text/css"}}, "a{}"});
    if (request.path == "/packed") {
      return respond({200, {{"Content-Type", "text/css"}, {"Content-Encoding", "gzip"}}, Gzip("a{color:red}")});
    }
    if (request.path == "/counting") {
      return respond(
          {200, {{"Content-Type", "text/plain"}}, StreamedBody{[](const std::shared_ptr<BodyWriter>& writer) {
             writer->Write("one ");
             writer->Write("two");
             writer->End();
           }}});
    }
    if (request.path == "/stream") {
      return respond({200, {{"Content-Type", "text/plain"}}, StreamedBody{[this](auto writer) { Keep(writer); }}});
    }
    if (request.path == "/events") return respond(EventStream([this](auto writer) { Keep(writer); }));
    if (request.path == "/ranged") return respond(Ranged("0123456789"));
    if (request.path == "/ranged-slowly") {
      return respond({200, {}, RangedBody{10, [this](int64_t, int64_t, auto writer) { Keep(writer); }}});
    }
    const std::string user = request.peer.user == geteuid() ? "me" : "unknown";
    respond(Text(request.method + " " + request.path + " " + request.query_text + " [" + request.body + "] from " +
                 (request.peer.unix_socket ? "unix" : request.peer.address) + " " + user));
  }

  static Response Ranged(const std::string& text) {
    return {200,
            {{"Content-Type", "text/plain"}},
            RangedBody{static_cast<int64_t>(text.size()),
                       [text](int64_t offset, int64_t size, const std::shared_ptr<BodyWriter>& writer) {
                         writer->Write(text.substr(static_cast<size_t>(offset), static_cast<size_t>(size)));
                         writer->End();
                       }}};
  }

  boost::asio::io_context loop_;
  std::unique_ptr<Server> server_;
  std::vector<Respond> kept_;
  std::shared_ptr<BodyWriter> writer_;
  std::counting_semaphore<> has_writer_{0}, has_closed_{0}, has_kept_{0}, has_ready_{0}, has_stopped_{0};
  uint16_t port_ = 0;
  std::thread thread_;
};

inline Server::Options With(const Limits& limits) {
  Server::Options options;
  options.limits = limits;
  return options;
}

inline const std::string kClose = "Connection: close\r\n";

}  // namespace howdah::web
