// Percent-encoding (RFC 3986, section 2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace howdah {

// Replaces each "%XX" by its byte, and "+" by a space if plus_is_space. Returns nullopt if a "%" is not followed by two
// hexadecimal digits, or the result is not UTF-8.
std::optional<std::string> PercentDecoded(std::string_view text, bool plus_is_space);

}  // namespace howdah
