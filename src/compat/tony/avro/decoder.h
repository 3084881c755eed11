// Decodes Avro's binary encoding.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "schema.h"

namespace howdah::compat::tony::avro {

using Json = nlohmann::ordered_json;

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes), values_left_(kValuesPerByte * bytes.size() + kSomeValues) {}

  bool AtEnd() const { return bytes_.empty(); }
  Result<int64_t> Long();
  Result<std::string_view> Take(int64_t size);
  // Reads a length, then that many bytes.
  Result<std::string_view> Bytes();
  Result<Json> Value(const Schema& schema, size_t type, int depth = 0);

 private:
  // Some values take no bytes (null, an empty record). The number of values is therefore limited in proportion to the
  // size of the input.
  static constexpr size_t kValuesPerByte = 4, kSomeValues = 1000;

  Result<Json> Primitive(Kind kind);
  Result<Json> Collection(const Schema& schema, const Type& type, int depth);
  Result<Json> Union(const Schema& schema, const Type& type, int depth);

  std::string_view bytes_;
  size_t values_left_;
};

}  // namespace howdah::compat::tony::avro
