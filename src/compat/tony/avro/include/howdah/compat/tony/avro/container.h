// Avro's object container files (specification 1.x), in memory. Values are in Avro's own JSON encoding: a record is an
// object, an enum a string, bytes a string of the code points 0 to 255, and the value of a union is null or an object
// {"name of the branch": value}. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::compat::tony::avro {

using Json = nlohmann::ordered_json;

struct Container {
  std::vector<Json> values;
  // Why the rest cannot be read: the file is still being written, or damaged. Empty: the file is complete.
  std::string cut;
};

// Reads values by the schema in the file, with codec null or deflate. Safe for any bytes: time and memory are at most a
// small multiple of their size (with deflate, of the inflated size, at most 256 MiB). An error: no header, or an
// unsupported schema or codec.
Result<Container> ReadContainer(std::string_view bytes);

// A file of one uncompressed block; deterministic. An error: an invalid schema, or the first value that does not match
// it.
Result<std::string> WriteContainer(const std::string& schema, const std::vector<Json>& values);

}  // namespace howdah::compat::tony::avro
