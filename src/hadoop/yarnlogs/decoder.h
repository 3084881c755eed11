// Decodes data in memory: numbers and texts in the format of Java's DataOutput, and the variable-length integers of
// TFile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::hadoop::yarnlogs {

// The number of bytes that follow the first byte of a variable-length integer (io.file.tfile.Utils.readVLong). Returns
// -1 if the first byte is invalid.
int VLongTail(uint8_t first);
// The value of a variable-length integer. `tail` has the bytes after `first`.
int64_t VLongOf(uint8_t first, std::string_view tail);

// After a read beyond the end or of an invalid value, ok() is false, and all reads return 0 or empty texts.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t left() const { return bytes_.size(); }

  uint8_t U8() { return static_cast<uint8_t>(BigEndian(1)); }
  uint16_t U16() { return static_cast<uint16_t>(BigEndian(2)); }
  int32_t I32() { return static_cast<int32_t>(BigEndian(4)); }
  int64_t I64() { return static_cast<int64_t>(BigEndian(8)); }
  int64_t VLong();
  std::string_view Bytes(int64_t size);
  // Decodes the format of writeUTF: a length of two bytes, then the text in Java's modified UTF-8. Modified UTF-8
  // equals UTF-8 for characters below U+FFFF except NUL.
  std::string Utf() { return std::string(Bytes(U16())); }
  // Decodes a text in TFile's format: the length as a variable-length integer, then the text.
  std::string String() { return std::string(Bytes(VLong())); }

 private:
  uint64_t BigEndian(size_t size);

  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace howdah::hadoop::yarnlogs
