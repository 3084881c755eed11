#pragma once

#include <string_view>

namespace howdah {

// The version of the whole product. The AM and its executors must have the same version.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace howdah
