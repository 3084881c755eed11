// Encodes and decodes frames. A frame has a 32-bit length and contains messages, each with its length as a varint.
#pragma once

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::hadoop::rpc {

// The default of ipc.maximum.response.length and ipc.maximum.data.length.
inline constexpr uint32_t kMaxFrameSize = 128 << 20;

void AppendDelimited(std::string& body, std::string_view message);
void AppendDelimited(std::string& body, const google::protobuf::MessageLite& message);
// Returns the body with its length in front.
std::string Frame(std::string_view body);

// Iterates over the messages in a frame's body. Next returns nullopt at the end and if a message is truncated.
class DelimitedReader {
 public:
  explicit DelimitedReader(std::string_view body) : left_(body) {}
  std::optional<std::string_view> Next();
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

// Assembles frames from the received bytes, however these are split.
class FrameBuffer {
 public:
  void Append(std::string_view bytes);
  // Returns the next four bytes as a number: the length of the next frame, if the peer speaks this protocol. Returns
  // nullopt if fewer bytes have been received.
  std::optional<uint32_t> PeekLength() const;
  // Returns the body of the next frame, or nullopt if the frame is incomplete.
  std::optional<std::string> Next();
  // The received bytes that no call of Next has returned.
  std::string_view rest() const { return std::string_view(bytes_).substr(start_); }

 private:
  std::string bytes_;
  size_t start_ = 0;
};

}  // namespace howdah::hadoop::rpc
