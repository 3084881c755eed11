// JSON as we write it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace howdah::jobspec {

using Json = nlohmann::ordered_json;  // keys stay in the order of the table

// The text of the value; indent -1: in one line. It is YAML too: characters that YAML does not allow, or takes for the
// end of a line, are escaped. Bytes that are not UTF-8 are replaced.
std::string JsonText(const Json& value, int indent);

}  // namespace howdah::jobspec
