#include "response_reader.h"

#include <gmock/gmock.h>

namespace howdah::web {
namespace {

using testing::HasSubstr;
using Kind = BodyFraming::Kind;
using HeadState = ResponseReader::State;

HeadState FeedHead(ResponseReader& reader, const std::string& bytes, size_t piece, std::string& left) {
  HeadState state = HeadState::kMore;
  for (size_t at = 0; at < bytes.size() && state == HeadState::kMore; at += piece) {
    left += bytes.substr(at, piece);
    state = reader.Feed(left);
  }
  return state;
}

TEST(WebResponseReader, HeadIsReadFromPiecesOfAnySize) {
  const std::string bytes = "HTTP/1.1 404 Not Here\r\nSet-Cookie: a=b\r\nset-cookie: c=d\r\nContent-Length: 2\r\n\r\n";
  for (const size_t piece : {size_t{1}, size_t{7}, bytes.size()}) {
    ResponseReader reader(1000);
    std::string left;
    ASSERT_EQ(FeedHead(reader, bytes, piece, left), HeadState::kHead) << reader.defect();
    EXPECT_EQ(reader.head().status, 404);
    EXPECT_EQ(reader.head().reason, "Not Here");
    EXPECT_EQ(reader.head().headers.Count("Set-Cookie"), 2U);
  }
}

TEST(WebResponseReader, BytesAfterTheHeadStay) {
  ResponseReader reader(1000);
  std::string bytes = "HTTP/1.0 200 OK\r\n\r\nbody";
  ASSERT_EQ(reader.Feed(bytes), HeadState::kHead);
  EXPECT_EQ(bytes, "body");
}

TEST(WebResponseReader, DefectsAreNamed) {
  const struct {
    std::string bytes, defect;
  } rows[] = {{"SSH-2.0-OpenSSH_9.2\r\n", "not valid HTTP/1.1"},
              {"HTTP/2 200\r\n\r\n", "not valid HTTP/1.1"},
              {"HTTP/1.1 2000 OK\r\n\r\n", "not valid HTTP/1.1"},
              {"HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", "not valid HTTP/1.1"},
              {"HTTP/1.1 200 OK\r\nA: " + std::string(2000, 'x') + "\r\n\r\n", "longer than 1000 bytes"},
              {"HTTP/1.1 200 OK\r\nA: " + std::string(2000, 'x'), "longer than 1000 bytes"}};
  for (const auto& row : rows) {
    for (const size_t piece : {size_t{1}, row.bytes.size()}) {
      ResponseReader reader(1000);
      std::string left;
      EXPECT_EQ(FeedHead(reader, row.bytes, piece, left), HeadState::kFailed) << row.bytes.substr(0, 100);
      EXPECT_THAT(reader.defect(), HasSubstr(row.defect)) << row.bytes.substr(0, 100);
    }
  }
}

TEST(WebResponseReader, FramingFollowsFromTheHead) {
  const struct {
    int status;
    std::string method;
    Headers headers;
    BodyFraming framing;
  } rows[] = {{200, "GET", {{"Content-Length", "5"}}, {Kind::kSized, 5}},
              {200, "HEAD", {{"Content-Length", "5"}}, {}},
              {204, "GET", {}, {}},
              {304, "GET", {{"Content-Length", "5"}}, {}},
              {101, "GET", {}, {}},
              {200, "GET", {{"Transfer-Encoding", "Chunked"}}, {Kind::kChunked}},
              {200, "POST", {}, {Kind::kUntilEnd}}};
  for (const auto& row : rows) {
    const auto framing = FramingOf({row.status, "", row.headers}, row.method);
    ASSERT_TRUE(framing.ok()) << row.status << ": " << framing.error().message;
    EXPECT_EQ(*framing, row.framing) << row.status << " " << row.method;
  }
}

TEST(WebResponseReader, AmbiguousFramingIsRefused) {
  for (const Headers& headers :
       {Headers{{"Content-Length", "5"}, {"Transfer-Encoding", "chunked"}},
        Headers{{"Content-Length", "5"}, {"Content-Length", "6"}}, Headers{{"Content-Length", "5, 5"}},
        Headers{{"Content-Length", "-5"}}, Headers{{"Content-Length", ""}},
        Headers{{"Content-Length", "99999999999999999999"}}, Headers{{"Transfer-Encoding", "gzip, chunked"}},
        Headers{{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}}) {
    EXPECT_FALSE(FramingOf({200, "OK", headers}, "GET").ok()) << headers.fields().front().second;
  }
}

}  // namespace
}  // namespace howdah::web
