#include "relay_rules.h"

#include <gmock/gmock.h>

#include "howdah/base/text.h"

namespace howdah::web {
namespace {

using testing::HasSubstr;
using testing::Not;
using Kind = BodyFraming::Kind;

const std::string kOrigin = "http://" + std::string("abc.localhost:8190");

const RelayTarget& KnownServer() {
  static const RelayTarget target{
      .authority = "127.0.0.1:8888",
      .origin = kOrigin,
      .cookie_prefix = "own-",
      .hides = [](const Headers::Field& field) { return LowerCase(field.first) == "secret"; },
      .connect = nullptr};
  return target;
}

Request RequestTo(const std::string& method, const std::string& target, Headers headers = {}) {
  Request request;
  request.method = method, request.target = target, request.headers = std::move(headers);
  return request;
}

std::string HeadFor(const Request& request, const BodyFraming& framing = {}) {
  const auto relayed = RelayRequest(request, framing, KnownServer());
  const auto* found = std::get_if<RelayedRequest>(&relayed);
  return found ? found->head : "status " + std::to_string(std::get<Problem>(relayed).status);
}

TEST(WebRelayRules, ServerReceivesItsOwnHostAndAddresses) {
  EXPECT_EQ(HeadFor(RequestTo("GET", "/a%2Fb/../c?d=%zz",
                              {{"Host", "abc.localhost:8190"},
                               {"Origin", kOrigin},
                               {"Referer", kOrigin + "/tree?x"},
                               {"Accept", "text/html"}})),
            "GET /a%2Fb/../c?d=%zz HTTP/1.1\r\nHost: 127.0.0.1:8888\r\nConnection: close\r\n"
            "Origin: http://127.0.0.1:8888\r\nReferer: http://127.0.0.1:8888/tree?x\r\nAccept: text/html\r\n\r\n");
}

TEST(WebRelayRules, ForeignReferersDoNotReachTheServer) {
  for (const std::string& referer :
       {std::string("http://127.0.0.1:8190/jobs/x"), kOrigin + "0/", std::string("http://example.org/")}) {
    EXPECT_THAT(HeadFor(RequestTo("GET", "/", {{"Referer", referer}})), Not(HasSubstr("Referer"))) << referer;
  }
}

TEST(WebRelayRules, CookiesAndFieldsOfTheRelayDoNotReachTheServer) {
  const std::string head = HeadFor(RequestTo("GET", "/",
                                             {{"Cookie", "own-1=secret; _xsrf=a"},
                                              {"cookie", "b=c;own-2=secret"},
                                              {"SECRET", "s"},
                                              {"Authorization", "token abc"}}));
  EXPECT_THAT(head, HasSubstr("\r\nCookie: _xsrf=a; b=c\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nAuthorization: token abc\r\n"));
  EXPECT_THAT(LowerCase(head), Not(HasSubstr("secret")));
  EXPECT_THAT(HeadFor(RequestTo("GET", "/", {{"Cookie", "own-1=x"}})), Not(HasSubstr("Cookie")));
}

TEST(WebRelayRules, FieldsOfTheConnectionAreNotPassedOn) {
  const std::string head = HeadFor(RequestTo("GET", "/",
                                             {{"Connection", "keep-alive, X-Private"},
                                              {"connection", "x-other"},
                                              {"X-Other", "3"},
                                              {"Keep-Alive", "timeout=5"},
                                              {"X-Private", "1"},
                                              {"TE", "trailers"},
                                              {"Upgrade", "h2c"},
                                              {"HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA"},
                                              {"Proxy-Authorization", "Basic x"},
                                              {"X-Public", "2"}}));
  EXPECT_EQ(head, "GET / HTTP/1.1\r\nHost: 127.0.0.1:8888\r\nConnection: close\r\nX-Public: 2\r\n\r\n");
}

TEST(WebRelayRules, FramingIsWrittenByTheRelay) {
  const Headers headers{{"Content-Length", "7"}, {"Transfer-Encoding", "chunked"}};
  const std::string sized = HeadFor(RequestTo("POST", "/", headers), {Kind::kSized, 3});
  EXPECT_THAT(sized, HasSubstr("\r\nContent-Length: 3\r\n"));
  EXPECT_THAT(sized, Not(HasSubstr("chunked")));
  const std::string chunked = HeadFor(RequestTo("POST", "/", headers), {Kind::kChunked});
  EXPECT_THAT(chunked, HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_THAT(chunked, Not(HasSubstr("Content-Length")));
}

TEST(WebRelayRules, WebSocketIsTheOnlyUpgrade) {
  const Headers headers{{"Connection", "keep-alive, Upgrade"}, {"Upgrade", "WebSocket"}, {"Sec-WebSocket-Key", "x"}};
  const auto relayed = RelayRequest(RequestTo("GET", "/", headers), {}, KnownServer());
  EXPECT_TRUE(std::get<RelayedRequest>(relayed).upgrade);
  EXPECT_THAT(std::get<RelayedRequest>(relayed).head,
              HasSubstr("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n"));
  EXPECT_EQ(HeadFor(RequestTo("POST", "/", headers)), "status 400");
  EXPECT_EQ(HeadFor(RequestTo("GET", "/", headers), {Kind::kSized, 3}), "status 400");
  const auto without = RelayRequest(RequestTo("GET", "/", {{"Upgrade", "websocket"}}), {}, KnownServer());
  EXPECT_FALSE(std::get<RelayedRequest>(without).upgrade) << "Connection does not list it";
}

TEST(WebRelayRules, OtherTargetsAreRefused) {
  for (const char* target : {"http://127.0.0.1:8888/", "127.0.0.1:8888", "*", ""}) {
    EXPECT_EQ(HeadFor(RequestTo("GET", target)), "status 400") << target;
  }
  EXPECT_THAT(HeadFor(RequestTo("OPTIONS", "*")), HasSubstr("OPTIONS * HTTP/1.1"));
  EXPECT_EQ(HeadFor(RequestTo("CONNECT", "/")), "status 405");
  EXPECT_EQ(HeadFor(RequestTo("TRACE", "/")), "status 405");
}

Headers ManyFields(size_t count) {
  Headers headers;
  for (size_t i = 0; i < count; ++i) headers.Add("a", "");
  return headers;
}

TEST(WebRelayRules, RequestWithManyFieldsIsRefused) {
  EXPECT_THAT(HeadFor(RequestTo("GET", "/", ManyFields(200))), HasSubstr("a: \r\n"));
  EXPECT_EQ(HeadFor(RequestTo("GET", "/", ManyFields(201))), "status 431");
}

const RelayContext kGetContext{.method = "GET", .keep_alive = true};

std::string AnswerOf(int status, const Headers& headers, const RelayContext& context = kGetContext) {
  const auto relayed = RelayResponse({status, "Reason", headers}, context, KnownServer());
  return relayed.ok() ? relayed->head : "defect: " + relayed.error().message;
}

TEST(WebRelayRules, BodyOfUnknownSizeIsSentInChunks) {
  EXPECT_EQ(AnswerOf(200, {}), "HTTP/1.1 200 Reason\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(AnswerOf(200, {{"Transfer-Encoding", "chunked"}}),
            "HTTP/1.1 200 Reason\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(AnswerOf(200, {{"Content-Length", "5"}, {"Connection", "close"}}),
            "HTTP/1.1 200 Reason\r\nContent-Length: 5\r\n\r\n");
  const RelayContext old{.method = "GET", .http_1_0 = true};
  EXPECT_EQ(AnswerOf(200, {{"Transfer-Encoding", "chunked"}}, old), "HTTP/1.1 200 Reason\r\nConnection: close\r\n\r\n");
}

TEST(WebRelayRules, RedirectionsStayInTheOrigin) {
  const struct {
    const char *location, *wanted;
  } rows[] = {{"http://127.0.0.1:8888/lab?a=b", "/lab?a=b"},
              {"http://localhost:8888/lab", "/lab"},
              {"HTTP://127.0.0.1:8888", "/"},
              {"//127.0.0.1:8888/x", "/x"},
              {"http://127.0.0.1:8888?next=1", "/?next=1"},
              {"/tree", "/tree"},
              {"http://127.0.0.1:88889/", "http://127.0.0.1:88889/"},
              {"https://example.org/login", "https://example.org/login"}};
  for (const auto& row : rows) {
    EXPECT_THAT(AnswerOf(302, {{"Location", row.location}, {"Content-Length", "0"}}),
                HasSubstr("\r\nLocation: " + std::string(row.wanted) + "\r\n"));
  }
}

TEST(WebRelayRules, CookiesOfTheServerBelongToItsOriginAlone) {
  const std::string head = AnswerOf(204, {{"Set-Cookie", "a=b; Domain=localhost; Path=/; HttpOnly"},
                                          {"Set-Cookie", "own-1=stolen; Path=/"},
                                          {"Alt-Svc", "h3=\":443\""},
                                          {"Content-Length", "5"}});
  EXPECT_EQ(head, "HTTP/1.1 204 Reason\r\nSet-Cookie: a=b; Path=/; HttpOnly\r\n\r\n");
}

TEST(WebRelayRules, ProtocolChangesOnlyOnRequest) {
  const Headers upgrade{{"Connection", "Upgrade"}, {"Upgrade", "websocket"}, {"Sec-WebSocket-Accept", "y"}};
  EXPECT_THAT(AnswerOf(101, upgrade), HasSubstr("defect: it changes the protocol"));
  const RelayContext asked{.method = "GET", .keep_alive = true, .upgrade = true};
  EXPECT_EQ(AnswerOf(101, upgrade, asked),
            "HTTP/1.1 101 Reason\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: y\r\n\r\n");
  EXPECT_THAT(AnswerOf(101, {{"Connection", "Upgrade"}, {"Upgrade", "h2c"}}, asked), HasSubstr("defect"));
  EXPECT_THAT(AnswerOf(403, {{"Content-Length", "0"}}, asked), HasSubstr("HTTP/1.1 403"));
}

TEST(WebRelayRules, AnswerWithManyFieldsIsADefect) {
  EXPECT_THAT(AnswerOf(200, ManyFields(200)), HasSubstr("a: \r\n"));
  EXPECT_EQ(AnswerOf(200, ManyFields(201)), "defect: its header has more than 200 fields");
}

TEST(WebRelayRules, InterimAnswersHaveNoFraming) {
  const auto relayed = RelayResponse({100, "Continue", {}}, kGetContext, KnownServer());
  ASSERT_TRUE(relayed.ok());
  EXPECT_TRUE(relayed->interim);
  EXPECT_EQ(relayed->head, "HTTP/1.1 100 Continue\r\n\r\n");
}

}  // namespace
}  // namespace howdah::web
