// Writes JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace howdah::keyfile {

using Json = nlohmann::ordered_json;  // keeps the order of the key table

// Formats JSON that is also valid YAML: characters that YAML forbids or treats as line breaks are escaped. Bytes that
// are not UTF-8 are replaced. indent -1: on one line.
std::string JsonText(const Json& value, int indent);

}  // namespace howdah::keyfile
