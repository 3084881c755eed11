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

// Limits the number of values in a file, and their memory, in proportion to the size of the file. Otherwise a small
// file could hold very many values, because some values take no bytes (null, an empty record), and could need much
// memory, because values repeat the names of the schema. Also limits the size of each top-level value, because only one
// of these is in memory at a time.
class Budget {
 public:
  // Raises the limits for `bytes` further bytes of input.
  void Grow(size_t bytes) {
    values_ += 4 * bytes;
    memory_ += 64 * bytes;
  }
  // Begins the next top-level value of the file.
  void BeginValue() {
    own_values_ = kMostOwnValues;
    own_memory_ = kMostOwnMemory;
  }
  // Counts one value, which may be part of another.
  Status TakeValue();
  // Counts a name or text in a value.
  Status TakeText(size_t size);

 private:
  static constexpr size_t kMostOwnValues = 1'000'000, kMostOwnMemory = size_t{64} << 20;

  size_t values_ = 1000, memory_ = size_t{1} << 20;
  size_t own_values_ = kMostOwnValues, own_memory_ = kMostOwnMemory;
};

class Decoder {
 public:
  // `budget` must live longer than the decoder.
  Decoder(std::string_view bytes, Budget& budget) : bytes_(bytes), budget_(budget) {}

  bool AtEnd() const { return bytes_.empty(); }
  Result<int64_t> Long();
  Result<std::string_view> Take(int64_t size);
  // Reads a length, then that many bytes.
  Result<std::string_view> Bytes();
  Result<Json> Value(const Schema& schema, size_t type, int depth = 0);

 private:
  Result<Json> Primitive(Kind kind);
  Result<Json> Collection(const Schema& schema, const Type& type, int depth);
  Result<Json> Union(const Schema& schema, const Type& type, int depth);

  std::string_view bytes_;
  Budget& budget_;
};

}  // namespace howdah::compat::tony::avro
