// The nesting of a JSON text, without a JSON library.
#pragma once

#include <string_view>

namespace howdah {

// Whether arrays and objects of the JSON text are nested deeper than `limit`. nlohmann::json parses any depth, but
// copies and writes values recursively, so a deeply nested text of another user would exhaust the stack. The text need
// not be valid JSON. Pure.
bool NestsDeeper(std::string_view json, int limit);

}  // namespace howdah
