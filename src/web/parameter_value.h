// The values of parameters: parsing, and their description in JSON Schema. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "howdah/web/routes.h"

namespace howdah::web {

using JsonValue = nlohmann::ordered_json;

// Parses the texts of one parameter; not empty. Several texts are an error unless the type is kTexts. The error says
// what is wrong and what to write instead.
Result<Arguments::Value> ParseValue(const Parameter& parameter, const std::vector<std::string>& texts);

// The JSON Schema of a parameter.
JsonValue SchemaOf(const Parameter& parameter);

// A few words for people: "integer from 1 to 1000", "one of table, json".
std::string DescribeType(const Parameter& parameter);

}  // namespace howdah::web
