// org.apache.hadoop.io.WritableUtils: the encoding of numbers and texts that Hadoop used before protobuf.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::hadoop::rpc {

// VInt and VLong: one byte for -112..127; otherwise one byte with sign and length, then the magnitude, big-endian.
void AppendVLong(std::string& out, int64_t value);
// Appends a text, or bytes, with the length in front as a VInt.
void AppendText(std::string& out, std::string_view text);

// Reads from the front of the given bytes. Returns nullopt if they are truncated or invalid, and from then on always.
class WritableReader {
 public:
  explicit WritableReader(std::string_view bytes) : all_(bytes.size()), left_(bytes) {}
  std::optional<int64_t> VLong();
  std::optional<int32_t> VInt();
  std::optional<std::string> Text();
  size_t position() const { return all_ - left_.size(); }
  bool at_end() const { return left_.empty(); }

 private:
  size_t all_;
  std::string_view left_;
};

}  // namespace howdah::hadoop::rpc
