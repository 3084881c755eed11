#include "wire.h"

#include <bit>

namespace howdah::tfevents {

uint64_t LittleEndian(std::string_view bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

double Fields::Field::AsDouble() const { return std::bit_cast<double>(value); }
float Fields::Field::AsFloat() const { return std::bit_cast<float>(static_cast<uint32_t>(value)); }

std::optional<uint64_t> Fields::Varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(left_.front());
    left_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<uint64_t> Fields::Fixed(size_t size) {
  if (left_.size() < size) return std::nullopt;
  const uint64_t value = LittleEndian(left_, size);
  left_.remove_prefix(size);
  return value;
}

std::optional<Fields::Field> Fields::Next() {
  if (left_.empty() || failed_) return std::nullopt;
  failed_ = true;
  const auto key = Varint();
  if (!key || *key >> 3 == 0) return std::nullopt;
  Field field;
  field.number = *key >> 3;
  std::optional<uint64_t> value;
  switch (*key & 7) {
    case 0:
      field.type = Type::kVarint;
      value = Varint();
      break;
    case 1:
      field.type = Type::kFixed64;
      value = Fixed(8);
      break;
    case 5:
      field.type = Type::kFixed32;
      value = Fixed(4);
      break;
    case 2:
      field.type = Type::kBytes;
      value = Varint();
      if (!value || *value > left_.size()) return std::nullopt;
      field.bytes = left_.substr(0, *value);
      left_.remove_prefix(*value);
      break;
    default:  // groups, which no version of these messages has
      return std::nullopt;
  }
  if (!value) return std::nullopt;
  field.value = *value;
  failed_ = false;
  return field;
}

}  // namespace howdah::tfevents
