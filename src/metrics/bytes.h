// Reads and writes the numbers of the file format. docs/metrics.md describes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace howdah::metrics {

class ByteWriter {
 public:
  void Byte(uint8_t value) { bytes_ += static_cast<char>(value); }
  void Fixed32(uint32_t value) { Fixed(value, 4); }
  void Fixed64(uint64_t value) { Fixed(value, 8); }
  void Double(double value);
  void Varint(uint64_t value);
  void Signed(int64_t value) { Varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63)); }
  void Text(std::string_view text);
  size_t size() const { return bytes_.size(); }
  std::string Take() { return std::move(bytes_); }

 private:
  void Fixed(uint64_t value, int size);
  std::string bytes_;
};

// After the end of the bytes, every call returns 0 and failed() is true.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  uint32_t Fixed32() { return static_cast<uint32_t>(Fixed(4)); }
  uint64_t Fixed64() { return Fixed(8); }
  double Double();
  uint64_t Varint();
  // As Varint, but a number above `most` is a failure.
  uint64_t Varint(uint64_t most);
  int64_t Signed();
  std::string_view Text(size_t most);
  bool failed() const { return failed_; }
  bool at_end() const { return bytes_.empty(); }
  size_t left() const { return bytes_.size(); }

 private:
  uint64_t Fixed(size_t size);
  uint64_t Fail();
  std::string_view bytes_;
  bool failed_ = false;
};

// Converts floats to integers with a limited precision, and back. The integers have the same order as the floats.
// `bits` is the number of bits of the mantissa that are kept, at most 23. All NaNs become one NaN.
int32_t Rounded(float value, int bits);
float Unrounded(int64_t rounded, int bits);

}  // namespace howdah::metrics
