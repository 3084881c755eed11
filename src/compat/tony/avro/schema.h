// Parses Avro schemas.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::compat::tony::avro {

enum class Kind {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kRecord,
  kEnum,
  kArray,
  kMap,
  kUnion,
  kFixed
};

// Types refer to each other by their index in Schema::types, because a record may contain itself.
struct Type {
  Kind kind = Kind::kNull;
  // The name by which JSON selects this type in a union: the full name for records, enums and fixed; otherwise
  // "string", "array" and so on.
  std::string name;
  struct Field {
    std::string name;
    size_t type = 0;
  };
  std::vector<Field> fields;         // the fields of a record
  std::vector<std::string> symbols;  // the symbols of an enum
  std::vector<size_t> branches;      // the branches of a union; for an array or map, only the element type
  size_t size = 0;                   // the size of a fixed, in bytes
};

struct Schema {
  std::vector<Type> types;
  size_t root = 0;
};

// The nesting limit of values and schemas.
inline constexpr int kMostDepth = 64;
// The limit in bytes of each name in a schema.
inline constexpr size_t kLongestName = 1024;

Result<Schema> ParseSchema(std::string_view json);

}  // namespace howdah::compat::tony::avro
