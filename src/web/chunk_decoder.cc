#include "chunk_decoder.h"

#include <algorithm>

#include "howdah/base/number.h"

namespace howdah::web {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr size_t kSizeDigits = 15;  // more would not fit into 64 bits

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c == '\t' || (c >= ' ' && c != 0x7F); });
}

}  // namespace

ChunkDecoder::State ChunkDecoder::Feed(std::string& input, std::string& body) {
  std::string_view rest = input;
  State state = State::kWhole;
  while (state == State::kWhole && !done_) state = Step(rest, body);
  input.erase(0, input.size() - rest.size());
  return state;
}

ChunkDecoder::State ChunkDecoder::Step(std::string_view& rest, std::string& body) {
  if (part_ == Part::kData) {
    const size_t size = std::min(left_, rest.size());
    body += rest.substr(0, size);
    rest.remove_prefix(size);
    left_ -= size;
    if (left_ > 0) return State::kMore;
    part_ = Part::kDataEnd;
  }
  if (part_ == Part::kDataEnd) {
    if (!kLineEnd.starts_with(rest.substr(0, kLineEnd.size()))) return State::kMalformed;
    if (rest.size() < kLineEnd.size()) return State::kMore;
    rest.remove_prefix(kLineEnd.size());
    part_ = Part::kSize;
    return State::kWhole;
  }
  const size_t end = rest.find(kLineEnd);
  const size_t limit = part_ == Part::kTrailer ? line_limit_ - trailer_bytes_ : line_limit_;
  if (std::min(end, rest.size()) > limit) return State::kMalformed;
  if (end == std::string_view::npos) return State::kMore;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + kLineEnd.size());
  if (!IsPrintable(line)) return State::kMalformed;
  if (part_ == Part::kSize) return TakeSize(line, body.size());
  trailer_bytes_ += end;
  done_ = line.empty();
  return State::kWhole;
}

ChunkDecoder::State ChunkDecoder::TakeSize(std::string_view line, size_t body_size) {
  const std::string_view digits = line.substr(0, line.find_first_of("; \t"));
  const auto size = ParseNumber<size_t>(digits, 16);
  if (!size || digits.size() > kSizeDigits) return State::kMalformed;
  left_ = *size;
  const std::string_view extension = line.substr(digits.size());
  const size_t begin = extension.find_first_not_of(" \t");
  if (!extension.empty() && (begin == std::string_view::npos || extension[begin] != ';')) return State::kMalformed;
  if (left_ > body_limit_ - body_size) return State::kBodyTooLong;
  part_ = left_ == 0 ? Part::kTrailer : Part::kData;
  return State::kWhole;
}

}  // namespace howdah::web
