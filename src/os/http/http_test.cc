// Tests server and client over loopback: together, and each with a peer that violates the protocol.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <random>
#include <semaphore>
#include <thread>

#include "howdah/os/files/fd.h"
#include "howdah/os/http/get.h"
#include "howdah/os/http/server.h"

namespace howdah::os::http {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

os::files::Fd ConnectTo(uint16_t port) {
  os::files::Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in to = Loopback(port);
  EXPECT_EQ(connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  return fd;
}

std::string ReadAll(const os::files::Fd& fd) {
  std::string text;
  char block[4096];
  for (;;) {
    pollfd wanted{fd.get(), POLLIN, 0};
    if (poll(&wanted, 1, 60'000) != 1) return text + "(nothing more came)";
    const ssize_t size = recv(fd.get(), block, sizeof block, 0);
    if (size <= 0) return text;
    text.append(block, static_cast<size_t>(size));
  }
}

// Runs a server whose loop has its own thread.
class Served {
 public:
  explicit Served(const Server::Limits& limits = {}) {
    auto made = Server::Start(
        loop_, "127.0.0.1",
        [this](const Request& request, std::function<void(Response)> respond) {
          if (request.path == "/never") {
            kept_.push_back(std::move(respond));
            return waiting_.release();
          }
          if (request.method == "PUT") return respond({200, "text/plain", request.path + "=" + request.body, ""});
          if (request.path == "/there") return respond({302, "", "", "http://example.com/x"});
          respond({200, "text/plain", request.path + " for " + request.peer, ""});
        },
        limits);
    EXPECT_TRUE(made.ok());
    server_ = std::move(*made);
    port_ = server_->port();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Served() {
    boost::asio::post(loop_, [this] { server_.reset(), loop_.stop(); });
    thread_.join();
    for (const auto& respond : kept_) respond({});  // the response is too late and must be ignored
  }
  uint16_t port() const { return port_; }
  // Waits for a request for /never.
  void AwaitWaiting() const { waiting_.acquire(); }
  std::string Ask(const std::string& bytes) const {
    const os::files::Fd fd = ConnectTo(port_);
    EXPECT_EQ(send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    return ReadAll(fd);
  }
  std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }

 private:
  boost::asio::io_context loop_;
  std::unique_ptr<Server> server_;
  std::vector<std::function<void(Response)>> kept_;
  mutable std::counting_semaphore<> waiting_{0};
  uint16_t port_ = 0;
  std::thread thread_;
};

TEST(HttpServer, OnlyGetAndHeadAreAnswered) {
  const Served served;
  const std::string got = served.Ask("GET /a/b?c=d HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(got, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(got, HasSubstr("\r\nContent-Length: 18\r\n"));
  EXPECT_THAT(got, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(got, testing::EndsWith("\r\n\r\n/a/b for 127.0.0.1"));
  const std::string head = served.Ask("HEAD /a/b HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("\r\nContent-Length: 18\r\n"));
  EXPECT_THAT(head, testing::EndsWith("\r\n\r\n"));
  EXPECT_THAT(served.Ask("GET /there HTTP/1.0\r\n\r\n"), HasSubstr("\r\nLocation: http://example.com/x\r\n"));
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "BREW"}) {
    EXPECT_THAT(served.Ask(std::string(method) + " / HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
  }
}

TEST(HttpServer, PutAndDeleteAreAnsweredIfAllowed) {
  Server::Limits limits;
  limits.body_bytes = 5;
  const Served served(limits);
  const auto put = [&](const std::string& size, const std::string& body) {
    return served.Ask("PUT /a/b HTTP/1.1\r\nHost: x\r\nContent-Length: " + size + "\r\n\r\n" + body);
  };
  EXPECT_THAT(put("5", "hello"), testing::EndsWith("\r\n\r\n/a/b=hello"));
  EXPECT_THAT(put("0", ""), testing::EndsWith("\r\n\r\n/a/b="));
  EXPECT_THAT(put("6", "hello!"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(served.Ask("PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello!\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 411 "));
  EXPECT_THAT(served.Ask("DELETE /a HTTP/1.1\r\nContent-Length: 0\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(served.Ask("POST /a HTTP/1.1\r\nContent-Length: 0\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
}

TEST(HttpServer, ChunkedBodyInPiecesIsRejected) {
  Server::Limits limits;
  limits.body_bytes = 5;
  const Served served(limits);
  const os::files::Fd fd = ConnectTo(served.port());
  for (const char c : std::string("PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")) {
    (void)send(fd.get(), &c, 1, MSG_NOSIGNAL);
  }
  EXPECT_THAT(ReadAll(fd), StartsWith("HTTP/1.1 411 "));
  EXPECT_THAT(served.Ask("PUT /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, InvalidRequestIsRejectedOrClosed) {
  const Served served;
  EXPECT_THAT(served.Ask("\x16\x03\x01 what is this\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(served.Ask("GET / HTTP/9.9\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(served.Ask("GET / HTTP/1.1\r\nA: " + std::string(20'000, 'x') + "\r\n\r\n"), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(served.Ask("GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"), StartsWith("HTTP/1.1 "));
}

TEST(HttpServer, SlowClientIsClosed) {
  Server::Limits limits;
  limits.read = limits.write = milliseconds(100);
  const Served served(limits);
  const os::files::Fd silent = ConnectTo(served.port());
  EXPECT_EQ(ReadAll(silent), "");
  EXPECT_EQ(served.Ask("GET / HT"), "");
  EXPECT_THAT(served.Ask("GET /a HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

void Send(const os::files::Fd& to, const std::string& bytes) {
  EXPECT_EQ(send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

TEST(HttpServer, NewConnectionClosesTheOldestIncompleteRequest) {
  Server::Limits limits;
  limits.connections = 2;
  const Served served(limits);
  const os::files::Fd one = ConnectTo(served.port()), two = ConnectTo(served.port());
  Send(one, "GET /a HT");
  Send(two, "GET /b HTTP");
  EXPECT_THAT(served.Ask("GET /c HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(ReadAll(one), "");
  Send(two, "/1.1\r\n\r\n");
  EXPECT_THAT(ReadAll(two), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, NewConnectionDoesNotCloseACompleteRequest) {
  Server::Limits limits;
  limits.connections = 1;
  const Served served(limits);
  const os::files::Fd waits = ConnectTo(served.port());
  Send(waits, "GET /never HTTP/1.1\r\n\r\n");
  served.AwaitWaiting();
  EXPECT_EQ(served.Ask("GET /a HTTP/1.1\r\n\r\n"), "");
}

TEST(HttpServer, UnknownClientsDoNotUseConnectionsOfKnownClients) {
  Server::Limits limits;
  limits.connections = limits.strangers = 1;
  std::atomic<bool> known = false;
  limits.known = [&](int socket, const std::string& peer) { return socket >= 0 && peer == "127.0.0.1" && known; };
  const Served served(limits);
  const os::files::Fd stranger = ConnectTo(served.port());
  Send(stranger, "GET /never HTTP/1.1\r\n\r\n");
  served.AwaitWaiting();
  EXPECT_EQ(served.Ask("GET /a HTTP/1.1\r\n\r\n"), "");
  known = true;
  EXPECT_THAT(served.Ask("GET /a HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, UnknownClientsCanBeRefused) {
  Server::Limits limits;
  limits.strangers = 0;
  limits.known = [](int, const std::string&) { return false; };
  EXPECT_EQ(Served(limits).Ask("GET /a HTTP/1.1\r\n\r\n"), "");
}

TEST(HttpServer, LateResponseAfterDisconnectIsIgnored) {
  const Served served;
  { const os::files::Fd fd = ConnectTo(served.port()); }
  const os::files::Fd waits = ConnectTo(served.port());
  const std::string request = "GET /never HTTP/1.1\r\n\r\n";
  ASSERT_GT(send(waits.get(), request.data(), request.size(), MSG_NOSIGNAL), 0);
  EXPECT_THAT(served.Ask("GET /a HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, MutatedRequestsAreSafe) {
  Server::Limits limits;
  limits.read = milliseconds(50);
  limits.connections = 256;
  const Served served(limits);
  const std::string good = "GET /log/worker/0/0/stdout?x=1 HTTP/1.1\r\nHost: rm:8088\r\nAccept: */*\r\n\r\n";
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string bytes = good;
    for (int change = 0; change < 4; ++change) {
      const size_t at = random() % bytes.size();
      if (random() % 3 == 0) {
        bytes.erase(at, 1 + random() % 8);
      } else {
        bytes[at] = static_cast<char>(random());
      }
      if (bytes.empty()) bytes = good;
    }
    const os::files::Fd fd = ConnectTo(served.port());
    (void)!send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  EXPECT_THAT(served.Ask(good), StartsWith("HTTP/1.1 200 "));
}

// Answers one connection with the given bytes, then closes it.
class Canned {
 public:
  explicit Canned(std::string bytes) : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in here = Loopback(0);
    socklen_t size = sizeof here;
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&here), size), 0);
    EXPECT_EQ(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&here), &size), 0);
    EXPECT_EQ(listen(listener_.get(), 1), 0);
    url = "http://127.0.0.1:" + std::to_string(ntohs(here.sin_port)) + "/node?x=y";
    thread_ = std::thread([this, bytes = std::move(bytes)] {
      const os::files::Fd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      char block[4096];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t size = recv(fd.get(), block, sizeof block, 0);
        if (size <= 0) return;
        request.append(block, static_cast<size_t>(size));
      }
      for (size_t at = 0; at < bytes.size();) {
        const ssize_t size = send(fd.get(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
        if (size <= 0) return;
        at += static_cast<size_t>(size);
      }
    });
  }
  ~Canned() { thread_.join(); }
  std::string url, request;

 private:
  os::files::Fd listener_;
  std::thread thread_;
};

struct Got {
  Result<GetReply> reply;
  std::string body;
};

Got GetFrom(const std::string& bytes, GetLimits limits = {}, std::string* request = nullptr) {
  std::string body;
  Result<GetReply> reply = Failed("not asked");
  {
    Canned server(bytes);
    reply =
        Get(server.url, limits, [&](std::string_view more) { return body += more, true; }, {{"Accept", "text/plain"}});
    if (request != nullptr) *request = server.request;
  }
  return {std::move(reply), std::move(body)};
}

TEST(HttpGet, BodyIsReadWithEveryTransferEncoding) {
  std::string request;
  const Got sized = GetFrom("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/x\r\n\r\nhello", {}, &request);
  ASSERT_TRUE(sized.reply.ok()) << sized.reply.error().message;
  EXPECT_EQ(sized.reply->status, 200);
  EXPECT_EQ(sized.reply->content_type, "text/x");
  EXPECT_EQ(sized.body, "hello");
  EXPECT_THAT(request, StartsWith("GET /node?x=y HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nAccept: text/plain\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nHost: 127.0.0.1:"));
  EXPECT_EQ(GetFrom("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n").body,
            "hello");
  EXPECT_EQ(GetFrom("HTTP/1.0 200 OK\r\n\r\nhello").body, "hello");
  const std::string large(3'000'000, 'y');
  EXPECT_EQ(GetFrom("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + large).body, large);
}

TEST(HttpGet, StatusOtherThan200IsReturnedAsReply) {
  const Got moved = GetFrom("HTTP/1.1 307 Moved\r\nLocation: http://example.org/\r\nContent-Length: 2\r\n\r\nhi");
  ASSERT_TRUE(moved.reply.ok());
  EXPECT_EQ(moved.reply->status, 307);
  EXPECT_EQ(moved.reply->location, "http://example.org/");
  EXPECT_EQ(moved.reply->error_text, "hi");
  EXPECT_EQ(moved.body, "");
  const Got standby =
      GetFrom("HTTP/1.1 200 OK\r\nRefresh: 3; url=http://example.com:8088/\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(standby.reply->refresh, "3; url=http://example.com:8088/");
  const Got error = GetFrom("HTTP/1.1 500 No\r\nContent-Length: 100000\r\n\r\n" + std::string(100'000, 'e'));
  ASSERT_TRUE(error.reply.ok());
  EXPECT_EQ(error.reply->error_text, std::string(4096, 'e'));
}

TEST(HttpGet, FailureIsExplained) {
  const struct {
    const char* bytes;
    ErrorCode code;
  } cases[] = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", ErrorCode::kUnavailable},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n", ErrorCode::kUnavailable},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhel\r\n", ErrorCode::kFailed},
      {"", ErrorCode::kUnavailable},
      {"SSH-2.0-OpenSSH\r\n\r\n", ErrorCode::kFailed},
      {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", ErrorCode::kFailed},
  };
  for (const auto& c : cases) {
    const Got got = GetFrom(c.bytes);
    ASSERT_FALSE(got.reply.ok()) << c.bytes;
    EXPECT_EQ(got.reply.error().code, c.code) << c.bytes << ": " << got.reply.error().message;
  }
  GetLimits small;
  small.body_bytes = 4;
  EXPECT_FALSE(GetFrom("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", small).reply.ok());
  EXPECT_FALSE(GetFrom("HTTP/1.1 200 OK\r\nA: " + std::string(200'000, 'x') + "\r\n\r\n").reply.ok());
  for (const char* url :
       {"https://", "ftp://example.com/", "http://", "http://example.com:99999/", "http://example.com/a b", ""}) {
    const auto reply = Get(url, {}, [](std::string_view) { return true; });
    ASSERT_FALSE(reply.ok()) << url;
    EXPECT_EQ(reply.error().code, ErrorCode::kUsage) << url << ": " << reply.error().message;
  }
}

TEST(HttpGet, SilentServerTimesOut) {
  const Served served;
  GetLimits limits;
  limits.silence = milliseconds(100);
  const auto reply = Get(served.url("/never"), limits, [](std::string_view) { return true; });
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, ErrorCode::kTimeout) << reply.error().message;
}

TEST(HttpGet, CallerCanStopReading) {
  Canned server("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'x'));
  size_t seen = 0;
  const auto reply = Get(server.url, {}, [&](std::string_view bytes) { return seen += bytes.size(), false; });
  EXPECT_TRUE(reply.ok());
  EXPECT_GT(seen, 0u);
  EXPECT_LT(seen, 1'000'000u);
}

TEST(HttpGet, MutatedAnswersAreSafe) {
  const std::string good =
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
  std::mt19937 random(11);
  GetLimits limits;
  limits.silence = milliseconds(2'000);
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = good;
    for (unsigned change = 0; change <= random() % 4; ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const Got got = GetFrom(bytes, limits);
    EXPECT_LE(got.body.size(), bytes.size());
    if (!got.reply.ok()) {
      EXPECT_THAT(got.reply.error().message, HasSubstr("reading http://127.0.0.1:"));
    }
  }
}

}  // namespace
}  // namespace howdah::os::http
