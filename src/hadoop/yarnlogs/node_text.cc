#include "howdah/hadoop/yarnlogs/node_text.h"

#include <algorithm>
#include <charconv>

namespace howdah::hadoop::yarnlogs {
namespace {

constexpr std::string_view kLength = "\nLogLength:", kBegin = "\nLogContents:\n";
constexpr size_t kMaxHead = 4096;

int64_t LengthIn(std::string_view head) {
  const size_t at = head.find(kLength);
  if (at == head.npos) return -1;
  const char* begin = head.data() + at + kLength.size();
  int64_t length = -1;
  const auto [end, error] = std::from_chars(begin, head.data() + head.size(), length);
  return error == std::errc() && end != begin && *end == '\n' && length >= 0 ? length : -1;
}

}  // namespace

Status NodeText::Add(std::string_view bytes) {
  if (left_ < 0) {
    HOWDAH_TRY(const auto rest, AddHead(bytes));
    bytes = rest;
  }
  if (left_ < 0) return {};
  bytes = bytes.substr(0, static_cast<size_t>(std::min<int64_t>(left_, static_cast<int64_t>(bytes.size()))));
  left_ -= static_cast<int64_t>(bytes.size());
  const int64_t skipped = std::min<int64_t>(skip_, static_cast<int64_t>(bytes.size()));
  skip_ -= skipped;
  bytes.remove_prefix(static_cast<size_t>(skipped));
  if (!bytes.empty()) on_bytes_(bytes);
  return {};
}

// Returns the part of `bytes` after the descriptive lines at the beginning of the answer.
Result<std::string_view> NodeText::AddHead(std::string_view bytes) {
  const size_t before = head_.size();
  head_ += bytes.substr(0, kMaxHead);
  const size_t begin = head_.find(kBegin);
  if (begin == head_.npos) {
    if (head_.size() < kMaxHead) return std::string_view();
    return Failed("the NodeManager's answer does not begin like a log file");
  }
  left_ = LengthIn(std::string_view(head_).substr(0, begin + 1));
  if (left_ < 0) return Failed("the NodeManager did not send the length of the log file");
  return bytes.substr(begin + kBegin.size() - before);
}

}  // namespace howdah::hadoop::yarnlogs
