#include "decoder.h"

#include <bit>
#include <limits>
#include <utility>

namespace howdah::compat::tony::avro {
namespace {

Error Cut() { return Failed("the file ends within a value"); }

// Avro's JSON encoding represents a byte by the code point with the same number.
std::string Latin1ToUtf8(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

// Adds a key that the object does not have. operator[] would search all keys each time, so an object with many keys
// would take quadratic time.
void Append(std::string key, Json value, Json& object) {
  object.get_ref<Json::object_t&>().emplace_back(std::move(key), std::move(value));
}

template <typename Bits>
Bits LittleEndian(std::string_view bytes) {
  Bits bits = 0;
  for (size_t i = 0; i < sizeof(Bits); ++i) bits |= Bits{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return bits;
}

}  // namespace

// Decodes zigzag encoding, seven bits per byte, lowest bits first.
Result<int64_t> Decoder::Long() {
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes_.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(bytes_[i]);
    bits |= uint64_t{byte & 0x7Fu} << (7 * i);
    if (byte < 0x80) {
      bytes_.remove_prefix(i + 1);
      return static_cast<int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
    }
  }
  return bytes_.size() < 10 ? Cut() : Failed("a number has more than 64 bits");
}

Result<std::string_view> Decoder::Take(int64_t size) {
  if (size < 0 || static_cast<uint64_t>(size) > bytes_.size()) return Cut();
  const std::string_view taken = bytes_.substr(0, static_cast<size_t>(size));
  bytes_.remove_prefix(taken.size());
  return taken;
}

Result<std::string_view> Decoder::Bytes() {
  const auto size = Long();
  return size.ok() ? Take(*size) : size.error();
}

Status Budget::TakeValue() {
  if (values_ == 0) return Failed("more values than the size of the file allows");
  if (own_values_ == 0) return Failed("one value consists of more than " + std::to_string(kMostOwnValues) + " values");
  --values_;
  --own_values_;
  return {};
}

Status Budget::TakeText(size_t size) {
  constexpr size_t kString = 32;
  if (size + kString > memory_) return Failed("the values need more memory than the size of the file allows");
  if (size + kString > own_memory_) return Failed("one value needs more than 64 MiB of memory");
  memory_ -= size + kString;
  own_memory_ -= size + kString;
  return {};
}

Result<Json> Decoder::Primitive(Kind kind) {
  if (kind == Kind::kNull) return Json();
  if (kind == Kind::kInt || kind == Kind::kLong) {
    HOWDAH_TRY(const auto number, Long());
    if (kind == Kind::kInt && number != static_cast<int32_t>(number)) return Failed("an int has more than 32 bits");
    return Json(number);
  }
  if (kind == Kind::kBytes || kind == Kind::kString) {
    HOWDAH_TRY(const auto text, Bytes());
    HOWDAH_TRY_STATUS(budget_.TakeText(text.size()));
    return Json(kind == Kind::kBytes ? Latin1ToUtf8(text) : std::string(text));
  }
  HOWDAH_TRY(const auto raw, Take(kind == Kind::kBoolean ? 1 : kind == Kind::kFloat ? 4 : 8));
  if (kind == Kind::kBoolean) return Json(raw.front() != 0);
  if (kind == Kind::kFloat) return Json(std::bit_cast<float>(LittleEndian<uint32_t>(raw)));
  return Json(std::bit_cast<double>(LittleEndian<uint64_t>(raw)));
}

// A collection is a sequence of blocks. A block is a count and that many elements; an empty block ends the sequence.
// After a negative count the size of the block in bytes follows.
Result<Json> Decoder::Collection(const Schema& schema, const Type& type, int depth) {
  Json elements = type.kind == Kind::kMap ? Json::object() : Json::array();
  for (;;) {
    HOWDAH_TRY(const auto count, Long());
    if (count == 0) return elements;
    if (count < 0) {
      if (const auto size = Long(); !size.ok()) return size.error();
    }
    // Convert to unsigned, because int64_t cannot represent the magnitude of its lowest value.
    const uint64_t elements_left = count < 0 ? 0 - static_cast<uint64_t>(count) : static_cast<uint64_t>(count);
    for (uint64_t i = 0; i < elements_left; ++i) {
      std::string key;
      if (type.kind == Kind::kMap) {
        HOWDAH_TRY(const auto read, Bytes());
        HOWDAH_TRY_STATUS(budget_.TakeText(read.size()));
        key = read;
      }
      auto element = Value(schema, type.branches.front(), depth + 1);
      if (!element.ok()) return element;
      if (type.kind == Kind::kMap) {
        Append(std::move(key), std::move(*element), elements);
      } else {
        elements.push_back(std::move(*element));
      }
    }
  }
}

Result<Json> Decoder::Union(const Schema& schema, const Type& type, int depth) {
  HOWDAH_TRY(const auto branch, Long());
  if (branch < 0 || static_cast<uint64_t>(branch) >= type.branches.size()) return Failed("invalid branch of a union");
  const size_t at = type.branches[static_cast<size_t>(branch)];
  auto value = Value(schema, at, depth + 1);
  if (!value.ok() || schema.types[at].kind == Kind::kNull) return value;
  HOWDAH_TRY_STATUS(budget_.TakeText(schema.types[at].name.size()));
  Json tagged = Json::object();
  tagged[schema.types[at].name] = std::move(*value);
  return tagged;
}

Result<Json> Decoder::Value(const Schema& schema, size_t at, int depth) {
  if (depth > kMostDepth) return Failed("values are nested more than " + std::to_string(kMostDepth) + " deep");
  HOWDAH_TRY_STATUS(budget_.TakeValue());
  const Type& type = schema.types[at];
  switch (type.kind) {
    case Kind::kRecord: {
      Json record = Json::object();
      for (const Type::Field& field : type.fields) {
        auto value = Value(schema, field.type, depth + 1);
        if (!value.ok()) return value;
        HOWDAH_TRY_STATUS(budget_.TakeText(field.name.size()));
        Append(field.name, std::move(*value), record);
      }
      return record;
    }
    case Kind::kEnum: {
      HOWDAH_TRY(const auto symbol, Long());
      if (symbol < 0 || static_cast<uint64_t>(symbol) >= type.symbols.size())
        return Failed("invalid symbol of an enum");
      HOWDAH_TRY_STATUS(budget_.TakeText(type.symbols[static_cast<size_t>(symbol)].size()));
      return Json(type.symbols[static_cast<size_t>(symbol)]);
    }
    case Kind::kFixed: {
      HOWDAH_TRY(const auto raw,
                 Take(static_cast<int64_t>(std::min<size_t>(type.size, std::numeric_limits<int64_t>::max()))));
      HOWDAH_TRY_STATUS(budget_.TakeText(raw.size()));
      return Json(Latin1ToUtf8(raw));
    }
    case Kind::kArray:
    case Kind::kMap:
      return Collection(schema, type, depth);
    case Kind::kUnion:
      return Union(schema, type, depth);
    default:
      return Primitive(type.kind);
  }
}

}  // namespace howdah::compat::tony::avro
