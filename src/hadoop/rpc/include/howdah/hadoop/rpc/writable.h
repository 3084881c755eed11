// The encoding of numbers and texts in which Hadoop wrote data before protobuf (org.apache.hadoop.io.WritableUtils).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::hadoop::rpc {

// VInt and VLong: -112..127 take one byte. Other values have one byte with sign and length, then the magnitude,
// big-endian.
void AppendVLong(std::string& out, int64_t value);
// Appends a text or bytes, with the length in front as a VInt.
void AppendText(std::string& out, std::string_view text);

// Reads values one after the other. After truncated or invalid input, it returns nullopt from every call.
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
