// The fields of a protobuf message (protobuf.dev/programming-guides/encoding). A summary may contain images of many
// MiB, so this reader passes over the fields that it does not need, where a generated class would copy them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace howdah::tfevents {

class Fields {
 public:
  enum class Type { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  struct Field {
    uint64_t number = 0;
    Type type = Type::kVarint;
    uint64_t value = 0;       // kVarint, kFixed64, kFixed32
    std::string_view bytes;   // kBytes: text, a message, or packed numbers
    double AsDouble() const;  // kFixed64
    float AsFloat() const;    // kFixed32
  };

  explicit Fields(std::string_view message) : left_(message) {}

  // Returns nullopt at the end of the message, and if the rest is invalid.
  std::optional<Field> Next();
  bool failed() const { return failed_; }

 private:
  std::optional<uint64_t> Varint();
  std::optional<uint64_t> Fixed(size_t size);

  std::string_view left_;
  bool failed_ = false;
};

// Reads the little-endian number in the first `size` bytes, of which there must be enough.
uint64_t LittleEndian(std::string_view bytes, size_t size);

}  // namespace howdah::tfevents
