// A schema, read from its JSON.
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

// Types refer to each other by their place in Schema::types: a record may contain itself.
struct Type {
  Kind kind = Kind::kNull;
  std::string name;  // of a union's branch in JSON: full for records, enums and fixed; "string", "array", ...
  struct Field {
    std::string name;
    size_t type = 0;
  };
  std::vector<Field> fields;         // of a record
  std::vector<std::string> symbols;  // of an enum
  std::vector<size_t> branches;      // of a union; the one element of an array or map
  size_t size = 0;                   // of a fixed
};

struct Schema {
  std::vector<Type> types;
  size_t root = 0;
};

// Values and schemas nest at most this deep.
inline constexpr int kMostDepth = 64;

Result<Schema> ParseSchema(std::string_view json);

}  // namespace howdah::compat::tony::avro
