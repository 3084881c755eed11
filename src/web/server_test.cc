// Tests the server over real sockets: with clients that keep to the protocol, and with clients that attack it.
#include "howdah/web/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <future>
#include <semaphore>
#include <thread>

#include "gzip.h"
#include "howdah/os/files/fd.h"
#include "howdah/web/events.h"

namespace howdah::web {
namespace {

using os::files::Fd;
using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr int kPatienceMs = 60'000;

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

  Fd fd_;
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

Server::Options With(const Limits& limits) {
  Server::Options options;
  options.limits = limits;
  return options;
}

const std::string kClose = "Connection: close\r\n";

TEST(WebServer, RequestsOfOneConnectionAreAnsweredInTheirOrder) {
  Served served;
  Client client(served.port());
  const std::string first = client.Get("/a%20b?c=d");
  EXPECT_THAT(first, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
  EXPECT_THAT(first, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(first, HasSubstr("\r\nCache-Control: no-store\r\n"));
  EXPECT_THAT(first, Not(HasSubstr("Connection: close")));
  EXPECT_THAT(first, EndsWith("\r\n\r\nGET /a b c=d [] from 127.0.0.1 me"));
  client.Send(
      "POST /1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nHowdah-Request: 1\r\nContent-Length: 2\r\n\r\n"
      "{}HEAD /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3 HTTP/1.1\r\nHost: x\r\n\r\nGET /4 HTT");
  EXPECT_THAT(client.Response(), EndsWith("POST /1  [{}] from 127.0.0.1 me"));
  EXPECT_THAT(client.Until("\r\n\r\n"), HasSubstr("\r\nContent-Length: 29\r\n"));
  EXPECT_THAT(client.Response(), EndsWith("GET /3  [] from 127.0.0.1 me"));
  client.Send("P/1.1\r\nHost: x\r\n" + kClose + "\r\nGET /5 HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string last = client.Rest();
  EXPECT_THAT(last, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(last, EndsWith("GET /4  [] from 127.0.0.1 me"));
  EXPECT_EQ(served.OnLoop([](Server& server) { return server.statistics().requests; }), 5U);
}

TEST(WebServer, ManyPipelinedRequestsAreAnswered) {
  Served served;
  std::string requests;
  constexpr int kRequests = 2000;
  for (int i = 0; i < kRequests; ++i) requests += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  Client client(served.port());
  std::thread sender([&] { client.Send(requests); });
  for (int i = 0; i < kRequests; ++i) {
    ASSERT_THAT(client.Response(), HasSubstr("GET /" + std::to_string(i) + " ")) << i;
  }
  sender.join();
}

TEST(WebServer, Http10ConnectionIsClosed) {
  Served served;
  EXPECT_THAT(served.Ask("GET /a HTTP/1.0\r\n\r\n"), HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(served.Ask("GET /counting HTTP/1.0\r\n\r\n"), EndsWith("\r\n\r\none two"));
}

TEST(WebServer, HalfClosedClientStillGetsItsAnswer) {
  Served served;
  Client client(served.port());
  client.Send("GET /large HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\nGET /c").EndSending();
  const std::string all = client.Rest();
  EXPECT_GT(all.size(), 3'000'000U);
  EXPECT_THAT(all.substr(all.size() - 200), EndsWith("GET /b  [] from 127.0.0.1 me"));
}

TEST(WebServer, SecondAnswerIsIgnored) {
  Served served;
  Client client(served.port());
  EXPECT_THAT(client.Get("/twice"), EndsWith("first"));
  EXPECT_THAT(client.Get("/a"), EndsWith("GET /a  [] from 127.0.0.1 me"));
}

TEST(WebServer, ClientThatExpectsContinueSendsItsBody) {
  Served served;
  Client client(served.port());
  client.Send(
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nHowdah-Request: 1\r\n"
      "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.Until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_THAT(client.Send("{}").Response(), HasSubstr("[{}]"));
}

TEST(WebServer, BodiesAreCompressedIfAccepted) {
  Served served;
  Client client(served.port());
  const std::string packed = client.Get("/large", "Accept-Encoding: gzip\r\n");
  EXPECT_THAT(packed, HasSubstr("\r\nContent-Encoding: gzip\r\n"));
  EXPECT_THAT(packed, HasSubstr("\r\nVary: Accept-Encoding\r\n"));
  EXPECT_EQ(Gunzip(packed.substr(packed.find("\r\n\r\n") + 4), 4'000'000), std::string(3'000'000, 'l'));
  EXPECT_THAT(client.Get("/a", "Accept-Encoding: gzip\r\n"), Not(HasSubstr("Content-Encoding"))) << "it is too small";
  EXPECT_THAT(client.Get("/packed", "Accept-Encoding: gzip\r\n"), HasSubstr("\r\nContent-Encoding: gzip\r\n"));
  const std::string plain = client.Get("/packed");
  EXPECT_THAT(plain, Not(HasSubstr("Content-Encoding")));
  EXPECT_THAT(plain, EndsWith("\r\n\r\na{color:red}"));
}

TEST(WebServer, ClientThatHasTheVersionGets304) {
  Served served;
  Client client(served.port());
  EXPECT_THAT(client.Get("/etag"), EndsWith("a{}"));
  const std::string answer = client.Get("/etag", "If-None-Match: \"v1\"\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 304 Not Modified\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(client.Get("/etag"), StartsWith("HTTP/1.1 200 "));
}

TEST(WebServer, RangesOfABodyAreSent) {
  Served served;
  Client client(served.port());
  EXPECT_THAT(client.Get("/ranged"), EndsWith("\r\n\r\n0123456789"));
  const std::string part = client.Get("/ranged", "Range: bytes=2-4\r\n");
  EXPECT_THAT(part, StartsWith("HTTP/1.1 206 Partial Content\r\n"));
  EXPECT_THAT(part, HasSubstr("\r\nContent-Range: bytes 2-4/10\r\n"));
  EXPECT_THAT(part, EndsWith("\r\n\r\n234"));
  const std::string beyond = client.Get("/ranged", "Range: bytes=10-\r\n");
  EXPECT_THAT(beyond, StartsWith("HTTP/1.1 416 "));
  EXPECT_THAT(beyond, HasSubstr("\r\nContent-Range: bytes */10\r\n"));
  client.Send("HEAD /ranged HTTP/1.1\r\nHost: x\r\nRange: bytes=2-4\r\n" + kClose + "\r\n");
  EXPECT_THAT(client.Rest(), HasSubstr("\r\nContent-Length: 10\r\n"));
}

TEST(WebServer, StreamedBodyIsChunked) {
  Served served;
  Client client(served.port());
  client.Send("GET /counting HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.Until("\r\n\r\n"), HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_EQ(client.Until("0\r\n\r\n"), "4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n");
  EXPECT_THAT(client.Get("/a"), HasSubstr("GET /a")) << "the connection is kept";
}

TEST(WebServer, StreamIsSentWhileItIsProduced) {
  Served served;
  Client client(served.port());
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  for (const char* text : {"alpha", "beta"}) {
    EXPECT_TRUE(served.OnLoop([&](Server&) { return served.writer().Write(text); }));
    EXPECT_THAT(client.Until("\r\n" + std::string(text) + "\r\n"), EndsWith(std::string(text) + "\r\n"));
  }
  EXPECT_EQ(served.OnLoop([](Server& server) { return server.statistics().streams; }), 1U);
  client.Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  served.OnLoop([&](Server&) { return served.writer().End(), 0; });
  served.AwaitClosed();
  EXPECT_EQ(client.Until("0\r\n\r\n"), "0\r\n\r\n");
  EXPECT_THAT(client.Response(), HasSubstr("GET /a"));
  EXPECT_EQ(served.OnLoop([](Server& server) { return server.statistics().streams; }), 0U);
}

TEST(WebServer, StreamEndsWhenTheClientCloses) {
  Served served;
  Client client(served.port());
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  client.Close();
  served.AwaitClosed();
  EXPECT_TRUE(served.OnLoop([&](Server&) { return served.writer().closed(); }));
  EXPECT_FALSE(served.OnLoop([&](Server&) { return served.writer().Write("x"); }));
}

TEST(WebServer, AbortedAndShortBodiesBreakTheConnection) {
  Served served;
  Client aborted(served.port());
  aborted.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  served.OnLoop([&](Server&) { return served.writer().Write("part"), 0; });
  aborted.Until("part\r\n");
  served.OnLoop([&](Server&) { return served.writer().Abort(), 0; });
  EXPECT_EQ(aborted.Rest(), "");
  served.AwaitClosed();

  Client too_short(served.port());
  too_short.Send("GET /ranged-slowly HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  served.OnLoop([&](Server&) { return served.writer().Write("part"), 0; });
  too_short.Until("part");
  served.OnLoop([&](Server&) { return served.writer().End(), 0; });
  EXPECT_EQ(too_short.Rest(), "");
  served.AwaitClosed();

  Client too_long(served.port());
  too_long.Send("GET /ranged-slowly HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  EXPECT_FALSE(served.OnLoop([&](Server&) { return served.writer().Write("12345678901"); }));
  EXPECT_THAT(too_long.Rest(), Not(HasSubstr("1234567890")));
}

TEST(WebServer, FullWriterIsReadyWhenTheClientHasRead) {
  Limits limits;
  limits.full_bytes = 100'000;
  limits.queue_bytes = 64 << 20;
  Served served(With(limits));
  Client client(served.port());
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  size_t written = 0;
  const auto fill = [&] {
    return served.OnLoop([&](Server&) {
      written += 1'000'000;
      return served.writer().Write(std::string(1'000'000, 's'));
    });
  };
  while (fill()) continue;  // also fills the buffers of the sockets
  std::thread reader([&] { client.Until("\r\n0\r\n\r\n"); });
  served.AwaitReady();
  EXPECT_FALSE(served.OnLoop([&](Server&) { return served.writer().full(); }));
  served.OnLoop([&](Server&) { return served.writer().End(), 0; });
  reader.join();
  EXPECT_GE(written, 1'000'000U);
}

TEST(WebServer, ProducerThatIgnoresBackPressureIsDisconnected) {
  Limits limits;
  limits.full_bytes = 1000;
  limits.queue_bytes = 100'000;
  Served served(With(limits));
  Client client(served.port());
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  // The buffers of the sockets hold a few megabytes.
  const bool closed = served.OnLoop([&](Server&) {
    for (int i = 0; i < 100 && !served.writer().closed(); ++i) served.writer().Write(std::string(1'000'000, 's'));
    return served.writer().closed();
  });
  EXPECT_TRUE(closed);
  served.AwaitClosed();
}

TEST(WebServer, SlowReaderIsDisconnected) {
  Limits limits;
  limits.write = milliseconds(100);
  Served served(With(limits));
  Client client(served.port());
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  served.OnLoop([&](Server&) { return served.writer().Write(std::string(30'000'000, 's')); });
  served.AwaitClosed();
}

TEST(WebServer, SilentStreamSendsHeartbeats) {
  Limits limits;
  limits.heartbeat = milliseconds(20);
  Served served(With(limits));
  Client client(served.port());
  client.Send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.Until("\r\n\r\n"), HasSubstr("\r\nContent-Type: text/event-stream\r\n"));
  EXPECT_EQ(client.Until("3\r\n:\n\n\r\n3\r\n:\n\n\r\n"), "3\r\n:\n\n\r\n3\r\n:\n\n\r\n");
}

TEST(WebServer, ProducerThatStopsIsDisconnected) {
  Limits limits;
  limits.answer = milliseconds(50);
  Served served(With(limits));
  Client client(served.port());
  client.Send("GET /ranged-slowly HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.Rest(), EndsWith("\r\n\r\n"));
}

TEST(WebServer, RequestWithoutAnswerGets504) {
  Limits limits;
  limits.answer = milliseconds(50);
  Served served(With(limits));
  EXPECT_THAT(served.Ask("GET /never HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 504 "));
}

TEST(WebServer, SlowRequestGets408AndSilentConnectionIsClosed) {
  Limits limits;
  limits.request = limits.idle = milliseconds(50);
  Served served(With(limits));
  EXPECT_EQ(Client(served.port()).Rest(), "");
  EXPECT_THAT(served.Ask("GET / HT"), StartsWith("HTTP/1.1 408 "));
  EXPECT_THAT(served.Ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nHowdah-Request: 1\r\n"
                         "Content-Length: 5\r\n\r\nhel"),
              StartsWith("HTTP/1.1 408 "));
  Client kept(served.port());
  EXPECT_THAT(kept.Get("/a"), HasSubstr("GET /a"));
  EXPECT_EQ(kept.Rest(), "");
}

TEST(WebServer, HostileRequestsGetAnErrorAndAreClosed) {
  Served served;
  const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n", next = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nHowdah-Request: 1\r\n";
  const struct {
    std::string bytes;
    const char* status;
  } cases[] = {
      {get + "A: " + std::string(20'000, 'a') + "\r\n\r\n" + next, "431"},
      {post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + next, "400"},
      {post + "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n" + next, "400"},
      {post + "Content-Length: 2000000\r\n\r\n" + next, "413"},
      {"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n" + next, "400"},
      {"GET /a/../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n" + next, "400"},
      {"GET /%2e%2e%2fetc HTTP/1.1\r\nHost: x\r\n\r\n" + next, "400"},
      {"GET /a%00b HTTP/1.1\r\nHost: x\r\n\r\n" + next, "400"},
      {"CONNECT evil.example:80 HTTP/1.1\r\nHost: x\r\n\r\n" + next, "400"},
      {std::string(100'000, '\0'), "400"},
  };
  for (const auto& c : cases) {
    const std::string answer = served.Ask(c.bytes);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::string(c.status) + " ")) << c.bytes.substr(0, 200);
    EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_THAT(answer, HasSubstr("\"detail\":\""));
    EXPECT_THAT(answer, Not(HasSubstr("smuggled"))) << c.bytes.substr(0, 200);
  }
}

TEST(WebServer, PolicyAndAdmissionRefuseBeforeTheBodyIsRead) {
  Server::Options options;
  options.admit = [](const Request& request) -> std::optional<Problem> {
    if (request.peer.user == geteuid() && request.headers.Get("Authorization") == "yes") return std::nullopt;
    return Problem{401, "unknown user", "use a token", {{"WWW-Authenticate", "Bearer"}}};
  };
  options.error_page = [](const Request& request, const Problem& problem) {
    return Text(request.path + ": " + problem.detail, problem.status);
  };
  Served served(std::move(options));
  Client client(served.port());
  EXPECT_THAT(client.Get("/a"), EndsWith("\r\n\r\n/a: unknown user"));
  EXPECT_THAT(client.Get("/a", "Authorization: yes\r\n"), HasSubstr("GET /a")) << "the connection is kept";
  EXPECT_THAT(client.Get("/a", "Authorization: yes\r\nOrigin: http://evil.example\r\n"), StartsWith("HTTP/1.1 403 "));
  client.Send(
      "POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nHowdah-Request: 1\r\n"
      "Content-Length: 100000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(client.Rest(), StartsWith("HTTP/1.1 401 ")) << "the client is not asked for the body";
}

TEST(WebServer, HostsOfThePolicyCanBeSetAfterTheStart) {
  Served served;
  served.OnLoop([](Server& server) {
    server.SetPolicy({LoopbackHosts(server.endpoints().front().port)});
    return 0;
  });
  Client client(served.port());
  EXPECT_THAT(client.Get("/a"), StartsWith("HTTP/1.1 421 "));
  client.Send("GET /a HTTP/1.1\r\nHost: LOCALHOST:" + std::to_string(served.port()) + "\r\n\r\n");
  EXPECT_THAT(client.Response(), StartsWith("HTTP/1.1 200 "));
}

TEST(WebServer, NewConnectionReplacesTheOldestIdleOne) {
  Limits limits;
  limits.connections = 3;
  Served served(With(limits));
  Client busy(served.port()), idle(served.port()), incomplete(served.port());
  busy.Send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitKept();
  EXPECT_THAT(idle.Get("/a"), HasSubstr("GET /a"));
  incomplete.Send("GET /b HTTP");
  Client next(served.port());
  EXPECT_THAT(next.Get("/c"), HasSubstr("GET /c"));
  EXPECT_EQ(idle.Rest(), "");
  incomplete.Send("/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(incomplete.Response(), HasSubstr("GET /b"));
}

TEST(WebServer, ConnectionIsTurnedAwayIfAllOthersAreBusy) {
  Limits limits;
  limits.connections = 1;
  Served served(With(limits));
  Client busy(served.port());
  busy.Send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitKept();
  EXPECT_EQ(served.Ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"), "");
  EXPECT_EQ(served.OnLoop([](Server& server) { return server.statistics().turned_away; }), 1U);
}

TEST(WebServer, UnknownPeersDoNotDisplaceKnownOnes) {
  Server::Options options;
  options.limits.connections = 1;
  options.limits.strangers = 1;
  // Peers are told apart by their loopback addresses: a client of another address is not possible here.
  std::atomic<bool> known = true;
  options.known = [&known](const Peer& peer) { return peer.loopback() && known; };
  Served served(std::move(options));
  Client mine(served.port());
  EXPECT_THAT(mine.Get("/a"), HasSubstr("GET /a"));
  known = false;
  Client stranger(served.port());
  EXPECT_THAT(stranger.Get("/b"), HasSubstr("GET /b"));
  Client other_stranger(served.port());
  EXPECT_THAT(other_stranger.Get("/c"), HasSubstr("GET /c"));
  EXPECT_EQ(stranger.Rest(), "");
  EXPECT_THAT(mine.Get("/d"), HasSubstr("GET /d"));
}

TEST(WebServer, StopFinishesResponsesAndEndsStreams) {
  Served served;
  Client busy(served.port()), idle(served.port()), stream(served.port());
  EXPECT_THAT(idle.Get("/a"), HasSubstr("GET /a"));
  stream.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  busy.Send("GET /ranged-slowly HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  served.Stop();
  EXPECT_EQ(idle.Rest(), "");
  EXPECT_THAT(stream.Rest(), Not(HasSubstr("0\r\n\r\n")));
  EXPECT_FALSE(Client(served.port()).connected());
  served.OnLoop([&](Server&) {
    served.writer().Write("0123456789");
    served.writer().End();
    return 0;
  });
  EXPECT_THAT(busy.Rest(), EndsWith("\r\n\r\n0123456789"));
  served.AwaitStopped();
}

TEST(WebServer, StopWaitsForALimitedTime) {
  Limits limits;
  limits.stop = milliseconds(20);
  Served served(With(limits));
  Client busy(served.port());
  busy.Send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitKept();
  served.Stop();
  served.AwaitStopped();
  EXPECT_EQ(busy.Rest(), "");
}

class WebEndpoint : public testing::Test {
 protected:
  WebEndpoint() {
    char name[] = "/tmp/howdah-web-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~WebEndpoint() override {
    unlink(path().c_str());
    rmdir(folder_.c_str());
  }
  std::string path() const { return folder_ + "/socket"; }
  // Starts a server without running its loop.
  Result<std::unique_ptr<Server>> Start(Endpoint endpoint) {
    Server::Options options;
    options.endpoints = {std::move(endpoint)};
    return Server::Start(loop_, std::move(options), [](const Request&, const Respond&) {});
  }

  boost::asio::io_context loop_;
  std::string folder_;
};

TEST_F(WebEndpoint, UnixSocketIdentifiesTheUser) {
  Server::Options options;
  options.endpoints = {{.unix_path = path()}};
  {
    Served served(std::move(options));
    struct stat file {};
    ASSERT_EQ(stat(path().c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600U);
    Client client(path());
    EXPECT_THAT(client.Get("/a"), EndsWith("GET /a  [] from unix me"));
    const auto second = Start({.unix_path = path()});
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  }
  EXPECT_NE(access(path().c_str(), F_OK), 0) << "the server removes its socket";
}

TEST_F(WebEndpoint, StaleUnixSocketIsReplacedAndOtherFilesAreNot) {
  {
    const Fd dead(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  EXPECT_TRUE(Start({.unix_path = path()}).ok());
  const Fd file(open(path().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const auto refused = Start({.unix_path = path()});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("a file that is not a socket"));
  EXPECT_EQ(access(path().c_str(), F_OK), 0);
}

TEST_F(WebEndpoint, UsedPortIsAnErrorUnlessItMayChange) {
  const auto first = Start({.host = "127.0.0.1"});
  ASSERT_TRUE(first.ok());
  const uint16_t port = (*first)->endpoints()[0].port;
  const auto refused = Start({.host = "127.0.0.1", .port = port});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("listening on 127.0.0.1:" + std::to_string(port) + ": it is in use"));
  const auto other = Start({.host = "127.0.0.1", .port = port, .port_may_change = true});
  ASSERT_TRUE(other.ok());
  EXPECT_NE((*other)->endpoints()[0].port, port);
  EXPECT_EQ(Start({.host = "example.com"}).error().code, ErrorCode::kUsage);
}

TEST_F(WebEndpoint, TextsAreParsed) {
  const auto tcp = Endpoint::Parse("[::1]:8190");
  ASSERT_TRUE(tcp.ok());
  EXPECT_EQ(tcp->host, "::1");
  EXPECT_EQ(tcp->port, 8190);
  EXPECT_EQ(Endpoint::Parse("localhost:0")->host, "127.0.0.1");
  EXPECT_EQ(Endpoint::Parse("unix:/tmp/s")->unix_path, "/tmp/s");
  for (const std::string& bad : {std::string("unix:"), "unix:/" + std::string(200, 'x'), std::string("example.com:80"),
                                 std::string("127.0.0.1"), std::string("127.0.0.1:99999"), std::string()}) {
    EXPECT_EQ(Endpoint::Parse(bad).error().code, ErrorCode::kUsage) << bad;
  }
}

}  // namespace
}  // namespace howdah::web
