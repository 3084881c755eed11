// Reads and writes Avro's object container files (specification 1.x) in memory. Values are in Avro's own JSON encoding:
// a record is an object, an enum is a string, bytes are a string of the code points 0 to 255, and the value of a union
// is null or an object {"name of the branch": value}. Pure.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::compat::tony::avro {

using Json = nlohmann::ordered_json;

// Receives one value. After an error no more values are read.
using OnValue = std::function<Status(const Json&)>;

// Reads values by the schema in the file, with codec null or deflate, and passes each to on_value. Returns the reason
// why the rest cannot be read: the file is still being written or damaged, or on_value returned an error; "" if all
// values were read. Returns an error if the header is missing, or if the schema or codec is not supported.
// Any bytes are safe: time is at most a small multiple of their size (with deflate, of the inflated size, which is at
// most 64 MiB), and a value has at most a million parts and 64 MiB of text.
Result<std::string> ReadContainer(std::string_view bytes, const OnValue& on_value);

// Writes a file with one uncompressed block. The output is deterministic. Returns an error if the schema is invalid or
// a value does not match it.
Result<std::string> WriteContainer(const std::string& schema, const std::vector<Json>& values);

}  // namespace howdah::compat::tony::avro
