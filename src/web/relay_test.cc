// A client, the relay of a server, and a made-up upstream whose bytes the test writes.
#include "howdah/web/relay.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>

#include "test_server.h"

namespace howdah::web {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The bytes that one connection of the relay has received. Written on the loop's thread.
struct Received {
  std::string bytes;
  size_t taken = 0;
  bool ended = false, closed = false;
};

class FakeUpstream final : public Upstream {
 public:
  explicit FakeUpstream(std::function<void(const std::function<void(Received&)>&)> change)
      : change_(std::move(change)) {}
  ~FakeUpstream() override {
    change_([](Received& received) { received.closed = true; });
  }
  void Send(std::string bytes) override {
    change_([&](Received& received) { received.bytes += bytes; });
  }
  void End() override {
    change_([](Received& received) { received.ended = true; });
  }
  void Take(size_t bytes) override {
    change_([&](Received& received) { received.taken += bytes; });
  }

 private:
  std::function<void(const std::function<void(Received&)>&)> change_;
};

// Relays every request for the host "app"; other hosts are served as usual.
class WebRelay : public testing::Test {
 protected:
  WebRelay() : WebRelay(Limits{}) {}
  explicit WebRelay(const Limits& limits) {
    Server::Options options;
    options.limits = limits;
    options.relay = [this](const Request& request) -> RelayDecision {
      if (request.host == "decided") return Text("decided", 403);
      if (request.host != "app") return {};
      return RelayTarget{.authority = "127.0.0.1:80",
                         .origin = "http://localhost",
                         .cookie_prefix = "own-",
                         .hides = nullptr,
                         .connect = [this](Upstream::Events events) { return Connect(std::move(events)); }};
    };
    served_.emplace(std::move(options));
  }

  std::unique_ptr<Upstream> Connect(Upstream::Events events) {
    const std::lock_guard lock(mutex_);
    const size_t number = events_.size();
    events_.push_back(std::move(events));
    received_.emplace_back();
    changed_.notify_all();
    return std::make_unique<FakeUpstream>([this, number](const std::function<void(Received&)>& change) {
      const std::lock_guard inner(mutex_);
      change(received_[number]);
      changed_.notify_all();
    });
  }
  // Waits until the upstream with this number has received what is wanted, and returns it.
  Received Await(size_t number, const std::function<bool(const Received&)>& wanted) {
    std::unique_lock lock(mutex_);
    const bool found = changed_.wait_for(lock, std::chrono::milliseconds(kPatienceMs),
                                         [&] { return received_.size() > number && wanted(received_[number]); });
    EXPECT_TRUE(found) << (received_.size() > number ? received_[number].bytes : "no connection");
    return received_.size() > number ? received_[number] : Received{};
  }
  std::string AwaitBytes(size_t number, const std::string& end) {
    return Await(number, [&](const Received& received) { return received.bytes.ends_with(end); }).bytes;
  }
  // Calls an event of the upstream with this number, on the loop's thread.
  template <typename Call>
  void Event(size_t number, Call call) {
    Await(number, [](const Received&) { return true; });
    served_->OnLoop([&](Server&) {
      const Upstream::Events events = [&] {
        const std::lock_guard lock(mutex_);
        return events_[number];
      }();
      call(events);
      return 0;
    });
  }
  void Accept(size_t number) {
    Event(number, [](const Upstream::Events& events) { events.on_open(); });
  }
  void Answer(size_t number, const std::string& bytes) {
    Event(number, [&](const Upstream::Events& events) { events.on_bytes(bytes); });
  }
  void End(size_t number) {
    Event(number, [](const Upstream::Events& events) { events.on_end(); });
  }
  size_t connections() {
    const std::lock_guard lock(mutex_);
    return events_.size();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Upstream::Events> events_;
  std::vector<Received> received_;
  std::optional<Served> served_;
};

const std::string kAsk = "GET /a HTTP/1.1\r\nHost: app\r\n\r\n";
const std::string kAnswered = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

TEST_F(WebRelay, EachRequestHasAConnectionOfItsOwn) {
  Client client(served_->port());
  for (const size_t number : {0, 1}) {
    client.Send(kAsk);
    Accept(number);
    EXPECT_EQ(AwaitBytes(number, "\r\n\r\n"), "GET /a HTTP/1.1\r\nHost: 127.0.0.1:80\r\nConnection: close\r\n\r\n");
    Answer(number, kAnswered);
    EXPECT_EQ(client.Response(), kAnswered);
    EXPECT_TRUE(Await(number, [](const Received& received) { return received.ended; }).ended);
    End(number);
    Await(number, [](const Received& received) { return received.closed; });
  }
  EXPECT_THAT(client.Get("/x"), HasSubstr("GET /x  [] from")) << "the connection can serve other hosts afterwards";
}

TEST_F(WebRelay, BodiesPassAsTheyArrive) {
  Client client(served_->port());
  client.Send("POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n");
  Accept(0);
  AwaitBytes(0, "chunked\r\n\r\n");
  client.Send("5\r\nfirst\r\n");
  AwaitBytes(0, "5\r\nfirst\r\n");
  Answer(0, "HTTP/1.1 200 OK\r\n\r\none");
  EXPECT_THAT(client.Until("one"), EndsWith("Transfer-Encoding: chunked\r\n\r\n3\r\none"));
  client.Send("6\r\nsecond\r\n0\r\n\r\n");
  AwaitBytes(0, "6\r\nsecond\r\n0\r\n\r\n");
  Answer(0, "two");
  EXPECT_THAT(client.Until("two"), HasSubstr("3\r\ntwo"));
  End(0);
  EXPECT_THAT(client.Until("0\r\n\r\n"), EndsWith("0\r\n\r\n"));
  EXPECT_THAT(client.Get("/x"), HasSubstr("GET /x")) << "both bodies were complete";
}

TEST_F(WebRelay, LongBodyWaitsForTheServer) {
  Client client(served_->port());
  const std::string body(Limits().body_bytes + (size_t{3} << 20), 'x');
  std::thread sender([&] {
    client.Send("PUT / HTTP/1.1\r\nHost: app\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  });
  Accept(0);
  constexpr size_t kWindow = 512 << 10, kMost = 700 << 10;
  Await(0, [](const Received& received) { return received.bytes.size() >= kWindow; });
  for (int i = 0; i < 100; ++i) Event(0, [](const Upstream::Events&) {});  // turns of the loop
  size_t taken = 0;
  for (;;) {
    const Received received = Await(0, [&](const Received& one) { return one.bytes.size() > taken; });
    EXPECT_LE(received.bytes.size() - taken, kMost) << "the relay sends only what the server takes";
    if (received.bytes.ends_with("\r\n\r\n" + body)) break;
    const size_t more = received.bytes.size() - taken;
    taken += more;
    Event(0, [&](const Upstream::Events& events) { events.on_taken(more); });
  }
  sender.join();
  Answer(0, kAnswered);
  EXPECT_EQ(client.Response(), kAnswered);
}

TEST_F(WebRelay, ServerMayAnswerBeforeTheBodyIsComplete) {
  Client client(served_->port());
  client.Send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 100\r\n\r\nhalf");
  Accept(0);
  AwaitBytes(0, "half");
  Answer(0, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
  EXPECT_THAT(client.Rest(), StartsWith("HTTP/1.1 413"));
}

TEST_F(WebRelay, WebSocketPassesInBothDirectionsUntilEachEnds) {
  Client client(served_->port());
  client.Send("GET /ws HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  Accept(0);
  AwaitBytes(0, "Upgrade: websocket\r\n\r\n");
  client.Send("early");
  Answer(0, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x05hello");
  EXPECT_THAT(client.Until("hello"), HasSubstr("\r\nUpgrade: websocket\r\n\r\n\x81\x05hello"));
  AwaitBytes(0, "\r\n\r\nearly");
  client.Send(std::string("\0\r\n", 3));
  AwaitBytes(0, std::string("early\0\r\n", 8));
  client.EndSending();
  Await(0, [](const Received& received) { return received.ended; });
  Answer(0, "after the end of the client");
  End(0);
  EXPECT_EQ(client.Rest(), "after the end of the client");
  Await(0, [](const Received& received) { return received.closed; });
}

TEST_F(WebRelay, ServerMayEndAWebSocketFirst) {
  Client client(served_->port());
  client.Send("GET /ws HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  Accept(0);
  Answer(0, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nbye");
  End(0);
  EXPECT_THAT(client.Rest(), EndsWith("bye"));
  client.Send("still sending");
  AwaitBytes(0, "still sending");
  client.Close();
  EXPECT_TRUE(Await(0, [](const Received& received) { return received.closed; }).ended);
}

TEST_F(WebRelay, InterimAnswersPass) {
  Client client(served_->port());
  client.Send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  Accept(0);
  EXPECT_THAT(AwaitBytes(0, "\r\n\r\n"), HasSubstr("Expect: 100-continue"));
  Answer(0, "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(client.Until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("body");
  AwaitBytes(0, "body");
  Answer(0, "HTTP/1.1 103 Early Hints\r\n\r\n" + kAnswered);
  EXPECT_EQ(client.Until("hello"), "HTTP/1.1 103 Early Hints\r\n\r\n" + kAnswered);
}

TEST_F(WebRelay, EndlessInterimResponsesAreADefect) {
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
  std::string all;
  for (int i = 0; i < 100; ++i) all += interim;
  Client client(served_->port());
  client.Send(kAsk);
  Accept(0);
  Answer(0, all + kAnswered);
  EXPECT_EQ(client.Until("hello"), all + kAnswered);
  client.Send(kAsk);
  Accept(1);
  Answer(1, all + interim);
  const std::string answer = client.Rest();
  EXPECT_THAT(answer, StartsWith(all + "HTTP/1.1 502"));
  EXPECT_THAT(answer, HasSubstr("more than 100 interim responses"));
}

TEST_F(WebRelay, UnreadBytesAreNotTaken) {
  Client client(served_->port());
  client.Send("GET / HTTP/1.1\r\nHost: app\r\n\r\n");
  Accept(0);
  const std::string block(256 << 10, 'x');
  std::string all = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(200 * block.size()) + "\r\n\r\n";
  Answer(0, all);
  // Fills the buffers of the sockets; the queue of the server then grows.
  size_t sent = 0;
  while (sent < 200 * block.size()) {
    Answer(0, block);
    sent += block.size();
    const size_t taken = Await(0, [](const Received&) { return true; }).taken;
    if (sent > taken + (size_t{4} << 20)) break;
  }
  EXPECT_LT(sent, 200 * block.size()) << "the relay takes everything although the client reads nothing";
  client.Close();
  Await(0, [](const Received& received) { return received.closed; });
}

TEST_F(WebRelay, FailuresBeforeTheAnswerAreExplained) {
  const struct {
    std::function<void(const Upstream::Events&)> fail;
    std::string status, text;
  } rows[] = {
      {[](const auto& events) {
         events.on_failed({502, "nothing listens", ""});
       },
       "502", "nothing listens"},
      {[](const auto& events) { events.on_end(); }, "502", "closed the connection before it had answered"},
      {[](const auto& events) { events.on_bytes("SSH-2.0\r\n"); }, "502", "not valid HTTP/1.1"},
      {[](const auto& events) { events.on_bytes("HTTP/1.1 200 OK\r\nA: " + std::string(70'000, 'x')); }, "502",
       "longer than 65536 bytes"},
      {[](const auto& events) {
         events.on_bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n");
       },
       "502", "cannot be relayed"},
      {[](const auto& events) {
         events.on_bytes("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
       },
       "502", "did not ask for"},
  };
  size_t number = 0;
  for (const auto& row : rows) {
    Client client(served_->port());
    client.Send(kAsk);
    Accept(number);
    Event(number, row.fail);
    const std::string answer = client.Rest();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + row.status)) << row.text;
    EXPECT_THAT(answer, HasSubstr(row.text));
    Await(number, [](const Received& received) { return received.closed; });
    ++number;
  }
}

TEST_F(WebRelay, BrokenAnswerIsNotCompleted) {
  const std::string answers[] = {"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhalf",
                                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
                                 "HTTP/1.1 200 OK\r\n\r\nhalf"};
  size_t number = 0;
  for (const std::string& answer : answers) {
    Client client(served_->port());
    client.Send(kAsk);
    Accept(number);
    Answer(number, answer);
    client.Until("half");
    Event(number, [](const Upstream::Events& events) { events.on_failed({502, "the connection broke", ""}); });
    EXPECT_THAT(client.Rest(), Not(HasSubstr("0\r\n\r\n"))) << answer;
    ++number;
  }
}

TEST_F(WebRelay, SmuggledRequestsDoNotReachTheServer) {
  const std::string head = "POST / HTTP/1.1\r\nHost: app\r\n";
  for (const std::string fields :
       {"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 4\r\nContent-Length: 5\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: \x0b"
        "chunked\r\n",
        "Transfer-Encoding : chunked\r\n", "Content-Length: +4\r\n", "Content-Length: 4, 4\r\n", "Host: other\r\n"}) {
    const std::string answer = served_->Ask(head + fields + "\r\n0\r\n\r\nGET /admin HTTP/1.1\r\nHost: app\r\n\r\n");
    EXPECT_THAT(answer, testing::AnyOf(StartsWith("HTTP/1.1 400"), StartsWith("HTTP/1.1 501"))) << fields;
    EXPECT_EQ(answer.find("HTTP/1.1 ", 1), std::string::npos) << "a second request was answered: " << fields;
  }
  EXPECT_EQ(connections(), 0U);
}

TEST_F(WebRelay, MalformedChunkEndsTheRequest) {
  Client client(served_->port());
  client.Send("POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\nGET /admin");
  Accept(0);
  EXPECT_THAT(client.Rest(), StartsWith("HTTP/1.1 400"));
  const Received received = Await(0, [](const Received& one) { return one.closed; });
  EXPECT_THAT(received.bytes, Not(HasSubstr("admin")));
  EXPECT_FALSE(received.ended) << "the server must not take the body for a complete one";
}

TEST_F(WebRelay, IncompleteBodyIsNotCompleted) {
  Client client(served_->port());
  client.Send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 10\r\n\r\nhalf");
  client.EndSending();
  Accept(0);
  EXPECT_THAT(client.Rest(), StartsWith("HTTP/1.1 400"));
  EXPECT_FALSE(Await(0, [](const Received& one) { return one.closed; }).ended);
}

TEST_F(WebRelay, HeaderOfAMegabyteIsRefused) {
  const std::string answer =
      served_->Ask("GET / HTTP/1.1\r\nHost: app\r\nX: " + std::string(1 << 20, 'x') + "\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 431"));
  EXPECT_EQ(connections(), 0U);
}

TEST_F(WebRelay, DecidedRequestIsAnswered) {
  const std::string answer = served_->Ask("GET / HTTP/1.1\r\nHost: decided\r\n" + kClose + "\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(answer, EndsWith("decided"));
}

TEST_F(WebRelay, ClosedClientBreaksTheConnection) {
  Client client(served_->port());
  client.Send(kAsk);
  Accept(0);
  AwaitBytes(0, "\r\n\r\n");
  Answer(0, "HTTP/1.1 200 OK\r\n\r\n");
  client.Until("\r\n\r\n");
  client.Close();
  Await(0, [](const Received& received) { return received.ended || received.closed; });
}

class WebSilentRelay : public WebRelay {
 protected:
  static Limits Short() {
    Limits limits;
    limits.relay_silence = std::chrono::milliseconds(20);
    return limits;
  }
  WebSilentRelay() : WebRelay(Short()) {}
};

TEST_F(WebSilentRelay, SilenceEndsTheRelay) {
  Client client(served_->port());
  client.Send(kAsk);
  Accept(0);
  EXPECT_THAT(client.Rest(), StartsWith("HTTP/1.1 504"));
  Await(0, [](const Received& received) { return received.closed; });
}

}  // namespace
}  // namespace howdah::web
