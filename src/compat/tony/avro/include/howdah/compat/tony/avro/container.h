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
  // Why what follows `values` cannot be read: the file is still being written, or damaged. Empty: that was all.
  std::string cut;
};

// Values as the schema in the file itself describes them, whoever wrote it; codecs null and deflate. Any bytes are safe
// to give: time and memory stay within a small multiple of their size (of the inflated size, at most 256 MiB, with
// deflate). An error: there is no header, or the schema or codec is not one of Avro's.
Result<Container> ReadContainer(std::string_view bytes);

// A file of one block without compression. The same values give the same bytes. An error: the schema is none, or a
// value does not fit it; says where.
Result<std::string> WriteContainer(const std::string& schema, const std::vector<Json>& values);

}  // namespace howdah::compat::tony::avro
