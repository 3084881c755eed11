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
// The length of the text, followed by the text.
void AppendBytes(std::string& bytes, std::string_view text);
// A value given in Avro's JSON encoding. An error names the type that it does not match.
Status AppendValue(std::string& bytes, const Schema& schema, size_t type, const Json& value);

}  // namespace howdah::compat::tony::avro
