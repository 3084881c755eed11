#include "tensor.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "wire.h"

namespace howdah::tfevents {
namespace {

// Values of DataType (types.proto).
enum class DataType : uint64_t {
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};

float FloatOf(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

double HalfOf(uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1F);
  const auto fraction = static_cast<double>(bits & 0x3FF);
  double value = 0;
  if (exponent == 0x1F) value = fraction == 0 ? INFINITY : NAN;
  if (exponent == 0) value = std::ldexp(fraction, -24);
  if (exponent > 0 && exponent < 0x1F) value = std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

// The number of bytes of one element in tensor_content.
size_t SizeOf(DataType type) {
  switch (type) {
    case DataType::kDouble:
    case DataType::kInt64:
    case DataType::kUint64:
      return 8;
    case DataType::kFloat:
    case DataType::kInt32:
    case DataType::kUint32:
      return 4;
    case DataType::kHalf:
    case DataType::kBfloat16:
    case DataType::kInt16:
    case DataType::kUint16:
      return 2;
    case DataType::kBool:
    case DataType::kInt8:
    case DataType::kUint8:
      return 1;
  }
  return 0;
}

std::optional<double> NumberOf(DataType type, uint64_t bits) {
  switch (type) {
    case DataType::kFloat:
      return FloatOf(bits);
    case DataType::kDouble:
      return std::bit_cast<double>(bits);
    case DataType::kHalf:
      return HalfOf(bits);
    case DataType::kBfloat16:
      return FloatOf(bits << 16);
    case DataType::kInt64:
      return static_cast<double>(static_cast<int64_t>(bits));
    case DataType::kInt32:
      return static_cast<int32_t>(bits);
    case DataType::kInt16:
      return static_cast<int16_t>(bits);
    case DataType::kInt8:
      return static_cast<int8_t>(bits);
    case DataType::kUint64:
    case DataType::kUint32:
    case DataType::kUint16:
    case DataType::kUint8:
    case DataType::kBool:
      return static_cast<double>(bits);
  }
  return std::nullopt;
}

// The field of TensorProto that has the elements of this type as numbers.
uint64_t FieldOf(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return 5;
    case DataType::kDouble:
      return 6;
    case DataType::kInt64:
      return 10;
    case DataType::kBool:
      return 11;
    case DataType::kHalf:
    case DataType::kBfloat16:
      return 13;
    case DataType::kUint32:
      return 16;
    case DataType::kUint64:
      return 17;
    case DataType::kInt32:
    case DataType::kInt16:
    case DataType::kUint16:
    case DataType::kInt8:
    case DataType::kUint8:
      return 7;
  }
  return 0;
}

// Reads the only element of a packed field; nullopt if there are several.
std::optional<uint64_t> OnlyElement(std::string_view packed, DataType type) {
  if (type == DataType::kFloat || type == DataType::kDouble) {
    const size_t size = SizeOf(type);
    return packed.size() == size ? std::optional(LittleEndian(packed, size)) : std::nullopt;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < packed.size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>(packed[i]);
    value |= static_cast<uint64_t>(byte & 0x7FU) << (7 * i);
    if (byte < 0x80) return i + 1 == packed.size() ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

// Whether each dimension of a TensorShapeProto has the size 1.
bool HasOneElement(std::string_view shape) {
  Fields dimensions(shape);
  while (const auto dimension = dimensions.Next()) {
    if (dimension->number != 2) continue;
    uint64_t size = 0;
    Fields fields(dimension->bytes);
    while (const auto field = fields.Next()) {
      if (field->number == 1) size = field->value;
    }
    if (size != 1) return false;
  }
  return !dimensions.failed();
}

}  // namespace

std::optional<double> ScalarOfTensor(std::string_view tensor) {
  constexpr uint64_t kType = 1, kShape = 2, kContent = 4;
  auto type = DataType::kFloat;
  Fields first(tensor);
  while (const auto field = first.Next()) {
    if (field->number == kType) type = static_cast<DataType>(field->value);
    if (field->number == kShape && !HasOneElement(field->bytes)) return std::nullopt;
  }
  if (first.failed() || SizeOf(type) == 0) return std::nullopt;
  Fields fields(tensor);
  while (const auto field = fields.Next()) {
    if (field->number == kContent && field->bytes.size() == SizeOf(type))
      return NumberOf(type, LittleEndian(field->bytes, SizeOf(type)));
    if (field->number != FieldOf(type)) continue;
    const auto bits =
        field->type == Fields::Type::kBytes ? OnlyElement(field->bytes, type) : std::optional(field->value);
    return bits ? NumberOf(type, *bits) : std::nullopt;
  }
  return NumberOf(type, 0);  // make_ndarray reads a tensor without elements as zeros, too
}

}  // namespace howdah::tfevents
