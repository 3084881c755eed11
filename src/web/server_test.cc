// Requests over real sockets: of clients that keep to the protocol, and of clients that attack the server.
#include <atomic>

#include "test_server.h"

namespace howdah::web {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

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
      {"CONNECT example.org:80 HTTP/1.1\r\nHost: x\r\n\r\n" + next, "400"},
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
  EXPECT_THAT(client.Get("/a", "Authorization: yes\r\nOrigin: http://example.org\r\n"), StartsWith("HTTP/1.1 403 "));
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

TEST(WebServer, ManyIdleConnectionsDoNotKeepOthersOut) {
  Limits limits;
  limits.connections = 20;
  Served served(With(limits));
  std::vector<Client> idle;
  for (int i = 0; i < 400; ++i) {
    idle.emplace_back(served.port());
    if (i % 2 == 0) idle.back().Send("GET / HT");
    if (i % 100 == 0) {
      EXPECT_THAT(Client(served.port()).Get("/a"), HasSubstr("GET /a"));
    }
  }
  EXPECT_LE(served.OnLoop([](Server& server) { return server.statistics().open; }), 20U);
  EXPECT_THAT(Client(served.port()).Get("/b"), HasSubstr("GET /b"));
}

TEST(WebServer, UnknownPeersDoNotDisplaceKnownOnes) {
  Server::Options options;
  options.limits.connections = 1;
  options.limits.strangers = 1;
  // Loopback addresses stand for different peers, because a client on another machine is not possible here.
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

}  // namespace
}  // namespace howdah::web
