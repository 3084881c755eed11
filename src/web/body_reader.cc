#include "body_reader.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

namespace howdah::web {

BodyReader::BodyReader(const BodyFraming& framing, size_t line_limit) : framing_(framing), left_(framing.size) {
  using Kind = BodyFraming::Kind;
  // The limit is that of one call of Feed, which cannot receive more: the body itself has none.
  if (framing.kind == Kind::kChunked) chunks_.emplace(std::numeric_limits<size_t>::max(), line_limit);
  if (framing.kind == Kind::kNone || (framing.kind == Kind::kSized && left_ == 0)) state_ = State::kWhole;
}

BodyReader::State BodyReader::Feed(std::string& input, std::string& body) {
  if (state_ != State::kMore) return state_;
  if (chunks_) {
    std::string decoded;
    const auto state = chunks_->Feed(input, decoded);
    body += decoded;
    if (state == ChunkDecoder::State::kWhole) state_ = State::kWhole;
    if (state == ChunkDecoder::State::kMalformed || state == ChunkDecoder::State::kBodyTooLong)
      state_ = State::kMalformed;
    return state_;
  }
  const bool sized = framing_.kind == BodyFraming::Kind::kSized;
  const size_t size = sized ? static_cast<size_t>(std::min<uint64_t>(left_, input.size())) : input.size();
  if (body.empty() && size == input.size()) {
    body = std::exchange(input, "");
  } else {
    body.append(input, 0, size);
    input.erase(0, size);
  }
  if (sized && (left_ -= size) == 0) state_ = State::kWhole;
  return state_;
}

BodyReader::State BodyReader::End() {
  if (state_ == State::kMore)
    state_ = framing_.kind == BodyFraming::Kind::kUntilEnd ? State::kWhole : State::kMalformed;
  return state_;
}

std::string ChunkOf(const std::string& bytes) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

}  // namespace howdah::web
