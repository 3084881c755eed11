// Framing: frames with a 32-bit length, which contain messages with varint lengths.
#pragma once

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::hadoop::rpc {

// The default of ipc.maximum.response.length and ipc.maximum.data.length.
inline constexpr uint32_t kFrameMost = 128 << 20;

void AppendDelimited(std::string& body, std::string_view message);
void AppendDelimited(std::string& body, const google::protobuf::MessageLite& message);
// The body with its length in front.
std::string Frame(std::string_view body);

// Iterates over the messages of a frame's body. Next returns nullopt if no message follows or the message is truncated.
class DelimitedReader {
 public:
  explicit DelimitedReader(std::string_view body) : left_(body) {}
  std::optional<std::string_view> Next();
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

// Assembles frames from received bytes in pieces of any size.
class FrameBuffer {
 public:
  void Append(std::string_view bytes);
  // The next four bytes: the length of the next frame, unless the peer uses another protocol. Returns nullopt if fewer
  // bytes have been received.
  std::optional<uint32_t> PeekLength() const;
  // The body of the next frame. Returns nullopt if it is incomplete.
  std::optional<std::string> Next();
  // The received part of the next frame.
  std::string_view rest() const { return std::string_view(bytes_).substr(start_); }

 private:
  std::string bytes_;
  size_t start_ = 0;
};

}  // namespace howdah::hadoop::rpc
