#pragma once

#include <string_view>

namespace howdah {

// Of the whole product; the AM and its executors must be of the same.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace howdah
