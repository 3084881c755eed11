// Bodies over real sockets: compressed, ranged and streamed.
#include "test_server.h"

namespace howdah::web {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(WebBodies, BodiesAreCompressedIfAccepted) {
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

TEST(WebBodies, ClientThatHasTheVersionGets304) {
  Served served;
  Client client(served.port());
  EXPECT_THAT(client.Get("/etag"), EndsWith("a{}"));
  const std::string answer = client.Get("/etag", "If-None-Match: \"v1\"\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 304 Not Modified\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(client.Get("/etag"), StartsWith("HTTP/1.1 200 "));
}

TEST(WebBodies, RangesOfABodyAreSent) {
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
  EXPECT_THAT(client.Get("/ranged", "Range: bytes=2-4\r\nIf-Range: \"old\"\r\n"), EndsWith("\r\n\r\n0123456789"));
  client.Send("HEAD /ranged HTTP/1.1\r\nHost: x\r\nRange: bytes=2-4\r\n" + kClose + "\r\n");
  EXPECT_THAT(client.Rest(), HasSubstr("\r\nContent-Length: 10\r\n"));
}

TEST(WebBodies, StreamedBodyIsChunked) {
  Served served;
  Client client(served.port());
  client.Send("GET /counting HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.Until("\r\n\r\n"), HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_EQ(client.Until("0\r\n\r\n"), "4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n");
  EXPECT_THAT(client.Get("/a"), HasSubstr("GET /a")) << "the connection is kept";
}

TEST(WebBodies, StreamIsSentWhileItIsProduced) {
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

TEST(WebBodies, StreamEndsWhenTheClientCloses) {
  Served served;
  Client client(served.port());
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  client.Close();
  served.AwaitClosed();
  EXPECT_TRUE(served.OnLoop([&](Server&) { return served.writer().closed(); }));
  EXPECT_FALSE(served.OnLoop([&](Server&) { return served.writer().Write("x"); }));
}

TEST(WebBodies, AbortedAndShortBodiesBreakTheConnection) {
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

TEST(WebBodies, FullWriterIsReadyWhenTheClientHasRead) {
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

TEST(WebBodies, ProducerThatIgnoresBackPressureIsDisconnected) {
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

TEST(WebBodies, SlowReaderIsDisconnected) {
  Limits limits;
  limits.write = milliseconds(100);
  Served served(With(limits));
  Client client(served.port());
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  served.AwaitWriter();
  served.OnLoop([&](Server&) { return served.writer().Write(std::string(30'000'000, 's')); });
  served.AwaitClosed();
}

TEST(WebBodies, SilentStreamSendsHeartbeats) {
  Limits limits;
  limits.heartbeat = milliseconds(20);
  Served served(With(limits));
  Client client(served.port());
  client.Send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.Until("\r\n\r\n"), HasSubstr("\r\nContent-Type: text/event-stream\r\n"));
  EXPECT_EQ(client.Until("3\r\n:\n\n\r\n3\r\n:\n\n\r\n"), "3\r\n:\n\n\r\n3\r\n:\n\n\r\n");
}

TEST(WebBodies, ProducerThatStopsIsDisconnected) {
  Limits limits;
  limits.answer = milliseconds(50);
  Served served(With(limits));
  Client client(served.port());
  client.Send("GET /ranged-slowly HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.Rest(), EndsWith("\r\n\r\n"));
}

}  // namespace
}  // namespace howdah::web
