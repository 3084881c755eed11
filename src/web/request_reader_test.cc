#include "request_reader.h"

#include <gmock/gmock.h>

namespace howdah::web {
namespace {

using testing::HasSubstr;
using State = RequestReader::State;

Limits Small() {
  Limits limits;
  limits.header_bytes = 1000;
  limits.body_bytes = 20;
  return limits;
}

// Feeds `bytes` in pieces until the request is whole or has failed. `left` receives the bytes that follow it.
State Feed(RequestReader& reader, const std::string& bytes, size_t piece, std::string* left = nullptr) {
  std::string input;
  State state = State::kMore;
  for (size_t at = 0; at < bytes.size() && state == State::kMore; at += piece) {
    input += bytes.substr(at, piece);
    while ((state = reader.Feed(input)) == State::kHead) continue;
    if (left != nullptr) *left = input + bytes.substr(std::min(bytes.size(), at + piece));
  }
  return state;
}

TEST(WebRequestReader, RequestIsReadFromPiecesOfAnySize) {
  const std::string bytes =
      "POST /a%20b?c=d HTTP/1.1\r\nHost: LocalHost:1\r\nTransfer-Encoding: chunked\r\nX: 1\r\nX: 2\r\n\r\n"
      "5;name=value\r\nhello\r\n6\r\n world\r\n0\r\nHost: evil\r\n\r\nGET / HTTP/1.1\r\n";
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{7}, size_t{100}, bytes.size()}) {
    RequestReader reader(Small());
    std::string left;
    ASSERT_EQ(Feed(reader, bytes, piece, &left), State::kWhole) << piece << ": " << reader.problem().detail;
    const Request& request = reader.request();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/a b");
    EXPECT_EQ(*request.Find("c"), "d");
    EXPECT_EQ(request.host, "localhost:1") << "a trailer must not replace the header";
    EXPECT_EQ(request.headers.Count("X"), 2U);
    EXPECT_EQ(request.body, "hello world");
    EXPECT_EQ(left, "GET / HTTP/1.1\r\n");
    EXPECT_TRUE(reader.keep_alive());
  }
}

// Boost's parser aborts in an assertion here.
TEST(WebRequestReader, EmptyBodyInOneChunkArrivesInPieces) {
  RequestReader reader(Small());
  EXPECT_EQ(Feed(reader, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1),
            State::kWhole);
  EXPECT_EQ(reader.request().body, "");
}

TEST(WebRequestReader, ConnectionOptionsAreRead) {
  const auto keeps_alive = [](const std::string& bytes) {
    RequestReader reader(Small());
    EXPECT_EQ(Feed(reader, bytes, 10), State::kWhole) << bytes;
    return reader.keep_alive();
  };
  EXPECT_TRUE(keeps_alive("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_FALSE(keeps_alive("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(keeps_alive("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_FALSE(keeps_alive("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(WebRequestReader, OnlyRequestsWithOneMeaningAreRead) {
  const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n", post = "POST / HTTP/1.1\r\nHost: x\r\n";
  const struct {
    std::string bytes;
    int status;
    const char* detail;
  } cases[] = {
      {post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "not valid HTTP/1.1"},
      {post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400, "not valid HTTP/1.1"},
      {post + "Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n\r\nhello", 400, "both Content-Length and"},
      {post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", 400, "not valid HTTP/1.1"},
      {post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400, "several headers Content-Length"},
      {post + "Content-Length: +5\r\n\r\nhello", 400, "not valid HTTP/1.1"},
      {post + "Content-Length: 5, 5\r\n\r\nhello", 400, "not one number"},
      {post + "Content-Length: -1\r\n\r\n", 400, "not valid HTTP/1.1"},
      {post + "Content-Length: 99999999999999999999\r\n\r\n", 400, "not valid HTTP/1.1"},
      {post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501, "Transfer-Encoding"},
      {post + "Transfer-Encoding: xchunked\r\n\r\n", 501, "Transfer-Encoding"},
      {post + "Transfer-Encoding: identity\r\n\r\n", 501, "Transfer-Encoding"},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "HTTP/1.0"},
      {post + "Transfer-Encoding : chunked\r\n\r\n", 400, "not valid HTTP/1.1"},
      {get + "Host: y\r\n\r\n", 400, "one header Host"},
      {"GET / HTTP/1.1\r\n\r\n", 400, "one header Host"},
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "not a host name"},
      {"GET / HTTP/1.1\r\nHost: a\"><script>\r\n\r\n", 400, "not a host name"},
      {get + std::string("A: b\0c\r\n\r\n", 10), 400, "not valid HTTP/1.1"},
      {"GET /../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 400, "'..'"},
      {"GET /%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 400, "'..'"},
      {"GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "control character"},
      {"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "percent-encoded"},
      {"GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505, "HTTP/1.1"},
      {"GET / HTTP/1.1\nHost: x\n\n\r\n\r\n", 505, "not HTTP/1.1"},  // the line does not end before CRLF
      {"\x16\x03\x01 no HTTP at all\r\n\r\n", 400, "not valid HTTP/1.1"},
  };
  for (const auto& c : cases) {
    for (const size_t piece : {size_t{1}, c.bytes.size()}) {
      RequestReader reader(Small());
      EXPECT_EQ(Feed(reader, c.bytes, piece), State::kFailed) << c.bytes;
      EXPECT_EQ(reader.problem().status, c.status) << c.bytes;
      EXPECT_THAT(reader.problem().detail, HasSubstr(c.detail)) << c.bytes;
      EXPECT_FALSE(reader.keep_alive());
    }
  }
}

TEST(WebRequestReader, ChunksMustBeWellFormed) {
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char* chunks : {"x\r\n", "-1\r\n", "0x1\r\na\r\n", "1 a\r\n", "1\na\r\n", "\r\n",
                             "5\r\nhelloX\r\n0\r\n\r\n", "ffffffffffffffffff\r\n", "\r\n\r\n", "1;\x01\r\na\r\n"}) {
    RequestReader reader(Small());
    EXPECT_EQ(Feed(reader, head + chunks, 1), State::kFailed) << chunks;
    EXPECT_THAT(reader.problem().status, testing::AnyOf(400, 413)) << chunks;
  }
}

TEST(WebRequestReader, SizesAreLimited) {
  const auto status = [](const std::string& bytes) {
    RequestReader reader(Small());
    return Feed(reader, bytes, 10) == State::kFailed ? reader.problem().status : 200;
  };
  const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n", post = "POST / HTTP/1.1\r\nHost: x\r\n";
  EXPECT_EQ(status(get + "A: " + std::string(900, 'a') + "\r\n\r\n"), 200);
  EXPECT_EQ(status(get + "A: " + std::string(1000, 'a') + "\r\n\r\n"), 431);
  std::string lines;
  while (lines.size() < 5000) lines += "A: b\r\n";
  EXPECT_EQ(status(get + lines), 431) << "the limit is for the sum of the lines";
  RequestReader by_line(Small());
  std::string line = get;
  State state = State::kMore;
  for (int i = 0; i < 1000 && state == State::kMore; ++i) {
    state = by_line.Feed(line);
    line += "A: b\r\n";
  }
  EXPECT_EQ(state, State::kFailed) << "also if each line arrives alone";
  EXPECT_EQ(by_line.problem().status, 431);
  EXPECT_EQ(status("GET /" + std::string(2000, 'a')), 431);
  EXPECT_EQ(status(std::string(5000, 'A')), 431);
  EXPECT_EQ(status(post + "Content-Length: 20\r\n\r\n" + std::string(20, 'b')), 200);
  EXPECT_EQ(status(post + "Content-Length: 21\r\n\r\n"), 413);
  const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(status(chunked + "14\r\n" + std::string(20, 'b') + "\r\n0\r\n\r\n"), 200);
  EXPECT_EQ(status(chunked + "a\r\n0123456789\r\nb\r\n01234567890\r\n0\r\n\r\n"), 413);
  EXPECT_EQ(status(chunked + "1;" + std::string(5000, 'e')), 400);
  EXPECT_EQ(status(chunked + "0\r\n" + lines), 400);
  EXPECT_EQ(status(chunked + "0\r\nA: " + std::string(5000, 't')), 400);
}

}  // namespace
}  // namespace howdah::web
