#include "encoder.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace howdah::compat::tony::avro {
namespace {

Error Mismatch(const Type& type, const Json& value) {
  return Failed("a value of type " + type.name + " cannot be " +
                value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

template <typename Bits>
void AppendLittleEndian(std::string& bytes, Bits bits) {
  for (size_t i = 0; i < sizeof(Bits); ++i) bytes += static_cast<char>((bits >> (8 * i)) & 0xFF);
}

// Converts code points to bytes. Returns nullopt if a code point is larger than 255.
std::optional<std::string> Utf8ToLatin1(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      bytes += text[i];
    } else if ((lead == 0xC2 || lead == 0xC3) && i + 1 < text.size()) {
      bytes += static_cast<char>(((lead & 0x03) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3F));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

Status AppendInteger(std::string& bytes, const Type& type, const Json& value) {
  if (!value.is_number_integer()) return Mismatch(type, value);
  const int64_t number = value.get<int64_t>();
  const bool is_int = type.kind == Kind::kInt;
  if (is_int && number != static_cast<int32_t>(number)) return Mismatch(type, value);
  AppendLong(bytes, number);
  return {};
}

Status AppendText(std::string& bytes, const Type& type, const Json& value) {
  if (!value.is_string()) return Mismatch(type, value);
  const auto& text = value.get_ref<const std::string&>();
  if (type.kind == Kind::kString) return AppendBytes(bytes, text), Status();
  const auto raw = Utf8ToLatin1(text);
  if (!raw || (type.kind == Kind::kFixed && raw->size() != type.size)) return Mismatch(type, value);
  if (type.kind == Kind::kFixed) return bytes += *raw, Status();
  return AppendBytes(bytes, *raw), Status();
}

Status AppendRecord(std::string& bytes, const Schema& schema, const Type& type, const Json& value) {
  if (!value.is_object()) return Mismatch(type, value);
  for (const Type::Field& field : type.fields) {
    const auto found = value.find(field.name);
    if (found == value.end()) return Failed("a value of type " + type.name + " has no field " + field.name);
    const Status appended = AppendValue(bytes, schema, field.type, *found);
    if (!appended.ok()) return appended.error().While(field.name);
  }
  return {};
}

Status AppendCollection(std::string& bytes, const Schema& schema, const Type& type, const Json& value) {
  const bool is_map = type.kind == Kind::kMap;
  if (is_map ? !value.is_object() : !value.is_array()) return Mismatch(type, value);
  if (!value.empty()) AppendLong(bytes, static_cast<int64_t>(value.size()));
  for (auto element = value.begin(); element != value.end(); ++element) {
    if (is_map) AppendBytes(bytes, element.key());
    if (Status appended = AppendValue(bytes, schema, type.branches.front(), *element); !appended.ok()) return appended;
  }
  AppendLong(bytes, 0);
  return {};
}

Status AppendUnion(std::string& bytes, const Schema& schema, const Type& type, const Json& value) {
  if (!value.is_null() && (!value.is_object() || value.size() != 1)) return Mismatch(type, value);
  for (size_t i = 0; i < type.branches.size(); ++i) {
    const Type& branch = schema.types[type.branches[i]];
    if (value.is_null() ? branch.kind != Kind::kNull : branch.name != value.begin().key()) continue;
    AppendLong(bytes, static_cast<int64_t>(i));
    return value.is_null() ? Status() : AppendValue(bytes, schema, type.branches[i], *value.begin());
  }
  return Mismatch(type, value);
}

}  // namespace

void AppendLong(std::string& bytes, int64_t number) {
  uint64_t bits = (static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63);
  for (; bits >= 0x80; bits >>= 7) bytes += static_cast<char>(bits | 0x80);
  bytes += static_cast<char>(bits);
}

void AppendBytes(std::string& bytes, std::string_view text) {
  AppendLong(bytes, static_cast<int64_t>(text.size()));
  bytes += text;
}

Status AppendValue(std::string& bytes, const Schema& schema, size_t at, const Json& value) {
  const Type& type = schema.types[at];
  switch (type.kind) {
    case Kind::kNull:
      return value.is_null() ? Status() : Status(Mismatch(type, value));
    case Kind::kBoolean:
      if (!value.is_boolean()) return Mismatch(type, value);
      bytes += value.get<bool>() ? '\1' : '\0';
      return {};
    case Kind::kInt:
    case Kind::kLong:
      return AppendInteger(bytes, type, value);
    case Kind::kFloat:
    case Kind::kDouble:
      if (!value.is_number()) return Mismatch(type, value);
      if (type.kind == Kind::kFloat)
        return AppendLittleEndian(bytes, std::bit_cast<uint32_t>(value.get<float>())), Status();
      return AppendLittleEndian(bytes, std::bit_cast<uint64_t>(value.get<double>())), Status();
    case Kind::kBytes:
    case Kind::kFixed:
    case Kind::kString:
      return AppendText(bytes, type, value);
    case Kind::kRecord:
      return AppendRecord(bytes, schema, type, value);
    case Kind::kEnum: {
      const auto symbol =
          std::find(type.symbols.begin(), type.symbols.end(), value.is_string() ? value.get<std::string>() : "");
      if (symbol == type.symbols.end()) return Mismatch(type, value);
      return AppendLong(bytes, symbol - type.symbols.begin()), Status();
    }
    case Kind::kArray:
    case Kind::kMap:
      return AppendCollection(bytes, schema, type, value);
    case Kind::kUnion:
      return AppendUnion(bytes, schema, type, value);
  }
  return Mismatch(type, value);
}

}  // namespace howdah::compat::tony::avro
