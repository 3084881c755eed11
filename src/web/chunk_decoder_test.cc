#include "chunk_decoder.h"

#include <gtest/gtest.h>

namespace howdah::web {
namespace {

using State = ChunkDecoder::State;

struct Decoded {
  State state;
  std::string body, left;
};

Decoded Decode(const std::string& bytes, size_t piece) {
  ChunkDecoder decoder(20, 30);
  Decoded decoded{State::kMore};
  std::string input;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    input += bytes.substr(at, piece);
    decoded.state = decoder.Feed(input, decoded.body);
    if (decoded.state == State::kMore) continue;
    decoded.left = input + bytes.substr(std::min(bytes.size(), at + piece));
    break;
  }
  return decoded;
}

TEST(WebChunkDecoder, BodyIsDecodedFromPiecesOfAnySize) {
  const struct {
    const char *bytes, *body, *left;
  } cases[] = {
      {"0\r\n\r\n", "", ""},
      {"5\r\nhello\r\n0\r\n\r\nGET", "hello", "GET"},
      {"00005 ; a=\"b\"\r\nhe\r\no\r\nA\r\n0123456789\r\n0;x\r\nHost: y\r\n\r\n\r\n", "he\r\no0123456789", "\r\n"},
      {"14\r\n01234567890123456789\r\n000\r\n\r\n", "01234567890123456789", ""},
  };
  for (const auto& c : cases) {
    for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, size_t{100}}) {
      const Decoded decoded = Decode(c.bytes, piece);
      EXPECT_EQ(decoded.state, State::kWhole) << c.bytes;
      EXPECT_EQ(decoded.body, c.body);
      EXPECT_EQ(decoded.left, c.left);
    }
  }
}

TEST(WebChunkDecoder, IncompleteBodyNeedsMore) {
  for (const char* bytes :
       {"", "5", "5\r", "5\r\nhel", "5\r\nhello", "5\r\nhello\r", "0\r\n", "0\r\n\r", "0\r\nA: b\r\n"}) {
    EXPECT_EQ(Decode(bytes, 1).state, State::kMore) << bytes;
  }
}

TEST(WebChunkDecoder, MalformedAndLongBodiesAreRefused) {
  const struct {
    std::string bytes;
    State state;
  } cases[] = {
      {"x\r\n", State::kMalformed},
      {"\r\n", State::kMalformed},
      {" 5\r\nhello\r\n", State::kMalformed},
      {"-1\r\n", State::kMalformed},
      {"+1\r\na\r\n", State::kMalformed},
      {"0x1\r\na\r\n", State::kMalformed},
      {"5 5\r\nhello\r\n", State::kMalformed},
      {"5 \r\nhello\r\n", State::kMalformed},
      {"1\na\r\n0\r\n\r\n", State::kMalformed},
      {"5\r\nhelloX\r\n", State::kMalformed},
      {"5\r\nhello\n0\r\n\r\n", State::kMalformed},
      {"1;\x01\r\na\r\n", State::kMalformed},
      {"0000000000000000\r\n\r\n", State::kMalformed},
      {"1;" + std::string(40, 'e') + "\r\n", State::kMalformed},
      {"0\r\nA: " + std::string(40, 't'), State::kMalformed},
      {"0\r\nA: 0123456789\r\nB: 0123456789\r\nC: 0123456789\r\n\r\n", State::kMalformed},
      {"15\r\n", State::kBodyTooLong},
      {"fffffffffffffff\r\n", State::kBodyTooLong},
      {"a\r\n0123456789\r\nb\r\n", State::kBodyTooLong},
  };
  for (const auto& c : cases) {
    for (const size_t piece : {size_t{1}, size_t{100}}) EXPECT_EQ(Decode(c.bytes, piece).state, c.state) << c.bytes;
  }
}

}  // namespace
}  // namespace howdah::web
