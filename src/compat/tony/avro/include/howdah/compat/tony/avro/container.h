// Reads and writes Avro's object container files (specification 1.x) in memory. Values are in Avro's own JSON encoding:
// a record is an object, an enum is a string, bytes are a string of the code points 0 to 255, and the value of a union
// is null or an object {"name of the branch": value}. Pure.
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
  // Why the rest of the file cannot be read: it is still being written, or damaged. Empty if the file is complete.
  std::string cut;
};

// Reads values by the schema in the file, with codec null or deflate. Accepts any bytes: time and memory are at most a
// small multiple of the input's size, or for deflate of the inflated size, which is at most 256 MiB. Returns an error
// if the header is missing, or if the schema or codec is not supported.
Result<Container> ReadContainer(std::string_view bytes);

// Writes a file with one uncompressed block. The output is deterministic. Returns an error if the schema is invalid or
// a value does not match it.
Result<std::string> WriteContainer(const std::string& schema, const std::vector<Json>& values);

}  // namespace howdah::compat::tony::avro
