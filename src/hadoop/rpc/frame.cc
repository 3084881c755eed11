#include "frame.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>

namespace howdah::hadoop::rpc {

void AppendDelimited(std::string& body, std::string_view message) {
  auto size = message.size();
  while (size >= 0x80) {
    body += static_cast<char>(size | 0x80);
    size >>= 7;
  }
  body += static_cast<char>(size);
  body += message;
}

void AppendDelimited(std::string& body, const google::protobuf::MessageLite& message) {
  // Serialize only the fields that are present: if a server left out required fields, the message is sent back without
  // them.
  AppendDelimited(body, message.SerializePartialAsString());
}

std::string Frame(std::string_view body) {
  std::string frame;
  frame.reserve(body.size() + 4);
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(body.size() >> shift);
  return frame.append(body);
}

std::optional<std::string_view> DelimitedReader::Next() {
  const auto* data = reinterpret_cast<const uint8_t*>(left_.data());
  google::protobuf::io::CodedInputStream input(data, static_cast<int>(std::min<size_t>(left_.size(), 10)));
  uint32_t size = 0;
  if (!input.ReadVarint32(&size)) return std::nullopt;
  const auto used = static_cast<size_t>(input.CurrentPosition());
  if (size > left_.size() - used) return std::nullopt;
  const auto message = left_.substr(used, size);
  left_.remove_prefix(used + size);
  return message;
}

void FrameBuffer::Append(std::string_view bytes) {
  if (start_ == bytes_.size()) {
    bytes_.clear();
    start_ = 0;
  }
  bytes_ += bytes;
}

std::optional<uint32_t> FrameBuffer::PeekLength() const {
  if (bytes_.size() - start_ < 4) return std::nullopt;
  uint32_t length = 0;
  for (size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(bytes_[start_ + i]);
  return length;
}

std::optional<std::string> FrameBuffer::Next() {
  const auto length = PeekLength();
  if (!length || bytes_.size() - start_ - 4 < *length) return std::nullopt;
  std::string body = bytes_.substr(start_ + 4, *length);
  start_ += 4 + *length;
  if (start_ > (size_t{1} << 16)) {  // do not keep the memory of a large response
    bytes_ = bytes_.substr(start_);
    start_ = 0;
  }
  return body;
}

}  // namespace howdah::hadoop::rpc
