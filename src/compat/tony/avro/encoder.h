// Encodes values in Avro's binary encoding.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "schema.h"

namespace howdah::compat::tony::avro {

using Json = nlohmann::ordered_json;

void AppendLong(std::string& bytes, int64_t number);
// Appends the length of the text, then the text.
void AppendBytes(std::string& bytes, std::string_view text);
// Appends a value given in Avro's JSON encoding. An error names the type that the value does not match.
Status AppendValue(std::string& bytes, const Schema& schema, size_t type, const Json& value);

}  // namespace howdah::compat::tony::avro
