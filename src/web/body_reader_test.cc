#include "body_reader.h"

#include <gmock/gmock.h>

namespace howdah::web {
namespace {

using Kind = BodyFraming::Kind;
using BodyState = BodyReader::State;

struct ReadBody {
  BodyState state;
  std::string body, left;
};

ReadBody ReadIn(const BodyFraming& framing, const std::string& bytes, size_t piece) {
  BodyReader reader(framing, 100);
  ReadBody read{reader.state(), "", ""};
  for (size_t at = 0; at < bytes.size(); at += piece) {
    read.left += bytes.substr(at, piece);
    std::string body;
    read.state = reader.Feed(read.left, body);
    read.body += body;
  }
  return read;
}

TEST(WebBodyReader, EndOfABodyFollowsFromItsFraming) {
  const struct {
    BodyFraming framing;
    std::string bytes;
    BodyState state;
    std::string body, left;
  } rows[] = {
      {{}, "GET /", BodyState::kWhole, "", "GET /"},
      {{Kind::kSized, 0}, "GET /", BodyState::kWhole, "", "GET /"},
      {{Kind::kSized, 5}, "helloGET /", BodyState::kWhole, "hello", "GET /"},
      {{Kind::kSized, 6}, "hello", BodyState::kMore, "hello", ""},
      {{Kind::kChunked}, "5\r\nhello\r\n1;a=b\r\n!\r\n0\r\n\r\nGET /", BodyState::kWhole, "hello!", "GET /"},
      {{Kind::kChunked}, "5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", BodyState::kWhole, "hello", ""},
      {{Kind::kChunked}, "5\r\nhel", BodyState::kMore, "hel", ""},
      {{Kind::kUntilEnd}, "hello", BodyState::kMore, "hello", ""},
  };
  for (const auto& row : rows) {
    for (const size_t piece : {size_t{1}, size_t{3}, row.bytes.size()}) {
      const ReadBody read = ReadIn(row.framing, row.bytes, piece);
      EXPECT_EQ(read.state, row.state) << row.bytes << " in pieces of " << piece;
      EXPECT_EQ(read.body, row.body) << row.bytes << " in pieces of " << piece;
      if (row.state == BodyState::kWhole) {
        EXPECT_EQ(read.left, row.left) << row.bytes << " in pieces of " << piece;
      }
    }
  }
}

TEST(WebBodyReader, MalformedChunksAreRefused) {
  for (const std::string bytes : {"g\r\n", "-1\r\n", "0x5\r\nhello\r\n", "5\nhello\r\n", "5\r\nhelloGET", "5 5\r\n",
                                  "10000000000000000\r\n", "5\r\nhello\r\n\r\n"}) {
    EXPECT_EQ(ReadIn({Kind::kChunked}, bytes, bytes.size()).state, BodyState::kMalformed) << bytes;
  }
}

TEST(WebBodyReader, OnlyABodyWithoutASizeMayEndWithTheConnection) {
  EXPECT_EQ(BodyReader({Kind::kUntilEnd}, 100).End(), BodyState::kWhole);
  EXPECT_EQ(BodyReader({Kind::kSized, 1}, 100).End(), BodyState::kMalformed);
  EXPECT_EQ(BodyReader({Kind::kChunked}, 100).End(), BodyState::kMalformed);
  EXPECT_EQ(BodyReader({}, 100).End(), BodyState::kWhole);
}

TEST(WebBodyReader, WrittenChunksCanBeRead) {
  const std::string text(70'000, 'x');
  const ReadBody read = ReadIn({Kind::kChunked}, ChunkOf(text) + ChunkOf("y") + kLastChunk, 1000);
  EXPECT_EQ(read.state, BodyState::kWhole);
  EXPECT_EQ(read.body, text + "y");
}

}  // namespace
}  // namespace howdah::web
