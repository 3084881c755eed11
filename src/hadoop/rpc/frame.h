// What a connection carries: frames of a 32-bit length and messages, each with a varint length of its own.
#pragma once

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::hadoop::rpc {

// ipc.maximum.response.length, ipc.maximum.data.length.
inline constexpr uint32_t kFrameMost = 128 << 20;

void AppendDelimited(std::string& body, std::string_view message);
void AppendDelimited(std::string& body, const google::protobuf::MessageLite& message);
// The body with its length before it.
std::string Frame(std::string_view body);

// The messages of a frame's body, in turn. nullopt: there is no further one, or it is cut short.
class DelimitedReader {
 public:
  explicit DelimitedReader(std::string_view body) : left_(body) {}
  std::optional<std::string_view> Next();
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

// Bytes as they arrive, in pieces of any size, into frames.
class FrameBuffer {
 public:
  void Append(std::string_view bytes);
  // The first four bytes that are not yet part of a returned frame: a length, unless the peer speaks something else.
  // nullopt: fewer have come.
  std::optional<uint32_t> PeekLength() const;
  // The next frame's body; nullopt: it has not come completely.
  std::optional<std::string> Next();
  // What has come of the next frame.
  std::string_view rest() const { return std::string_view(bytes_).substr(start_); }

 private:
  std::string bytes_;
  size_t start_ = 0;
};

}  // namespace howdah::hadoop::rpc
