#include "howdah/hadoop/rpc/writable.h"

#include <limits>

namespace howdah::hadoop::rpc {

void AppendVLong(std::string& out, int64_t value) {
  if (value >= -112 && value <= 127) {
    out += static_cast<char>(value);
    return;
  }
  const bool negative = value < 0;
  const uint64_t magnitude = negative ? ~static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  int bytes = 8;
  while (bytes > 1 && (magnitude >> (8 * (bytes - 1))) == 0) --bytes;
  out += static_cast<char>((negative ? -120 : -112) - bytes);
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(magnitude >> (8 * i));
}

void AppendText(std::string& out, std::string_view text) {
  AppendVLong(out, static_cast<int64_t>(text.size()));
  out += text;
}

std::optional<int64_t> WritableReader::VLong() {
  if (left_.empty()) return std::nullopt;
  const auto first = static_cast<signed char>(left_.front());
  left_.remove_prefix(1);
  if (first >= -112) return first;
  const bool negative = first < -120;
  const auto bytes = static_cast<size_t>(negative ? -120 - first : -112 - first);
  if (left_.size() < bytes) {
    left_ = {};
    return std::nullopt;
  }
  uint64_t magnitude = 0;
  for (size_t i = 0; i < bytes; ++i) magnitude = magnitude << 8 | static_cast<unsigned char>(left_[i]);
  left_.remove_prefix(bytes);
  return static_cast<int64_t>(negative ? ~magnitude : magnitude);
}

std::optional<int32_t> WritableReader::VInt() {
  const auto value = VLong();
  if (!value || *value < std::numeric_limits<int32_t>::min() || *value > std::numeric_limits<int32_t>::max()) {
    left_ = {};
    return std::nullopt;
  }
  return static_cast<int32_t>(*value);
}

std::optional<std::string> WritableReader::Text() {
  const auto size = VInt();
  if (!size || *size < 0 || static_cast<size_t>(*size) > left_.size()) {
    left_ = {};
    return std::nullopt;
  }
  std::string text(left_.substr(0, static_cast<size_t>(*size)));
  left_.remove_prefix(static_cast<size_t>(*size));
  return text;
}

}  // namespace howdah::hadoop::rpc
