// Fuzzed input: a server's answer to a relayed request. Read whole and in pieces, it must give the same head and body,
// and the head for the browser must have one empty line, at its end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "body_reader.h"
#include "relay_rules.h"
#include "response_reader.h"

namespace howdah::web {
namespace {

constexpr size_t kLimit = 2000;

// The answer as the browser would receive it, without its framing, or "error".
std::string AnswerOf(const std::string& bytes, size_t piece, const RelayContext& context) {
  static const RelayTarget server{.authority = "127.0.0.1:8888",
                                  .origin = "http://localhost",
                                  .cookie_prefix = "own-",
                                  .hides = nullptr,
                                  .connect = nullptr};
  ResponseReader reader(kLimit);
  std::string input;
  size_t at = 0;
  auto state = ResponseReader::State::kMore;
  for (; at < bytes.size() && state == ResponseReader::State::kMore; at += piece) {
    input += bytes.substr(at, piece);
    state = reader.Feed(input);
  }
  if (state != ResponseReader::State::kHead) return state == ResponseReader::State::kMore ? "more" : "error";
  const auto relayed = RelayResponse(reader.head(), context, server);
  if (!relayed.ok()) return "error";
  if (relayed->head.find("\r\n\r\n") != relayed->head.size() - 4) __builtin_trap();
  if (relayed->upgraded && !context.upgrade) __builtin_trap();
  BodyReader body(relayed->framing, kLimit);
  std::string text;
  for (;;) {
    std::string decoded;
    body.Feed(input, decoded);
    text += decoded;
    if (at >= bytes.size() || body.state() != BodyReader::State::kMore) break;
    input += bytes.substr(at, piece);
    at += piece;
  }
  if (body.state() == BodyReader::State::kMalformed) return "error";
  return relayed->head + text + (body.state() == BodyReader::State::kWhole ? " whole" : " more");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const RelayContext context{.method = (data[0] & 1) != 0 ? "HEAD" : "GET",
                             .http_1_0 = (data[0] & 2) != 0,
                             .keep_alive = (data[0] & 4) != 0,
                             .upgrade = (data[0] & 8) != 0};
  const std::string whole = AnswerOf(bytes, std::max<size_t>(bytes.size(), 1), context);
  const std::string pieces = AnswerOf(bytes, 1, context);
  // If the reader sees more bytes at once, it may detect a defect earlier.
  if (whole != pieces && whole != "error" && pieces != "error") __builtin_trap();
  return 0;
}

}  // namespace howdah::web
