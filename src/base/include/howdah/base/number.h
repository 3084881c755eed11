// Parses numbers.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace howdah {

// Parses a text that consists of one number and nothing else: no space, no '+', no "0x". Returns nullopt for any other
// text, and for a number that Number cannot represent.
template <std::integral Number>
std::optional<Number> ParseNumber(std::string_view text, int base = 10) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// The same for floating point. "inf" and "nan" are numbers, too.
template <std::floating_point Number>
std::optional<Number> ParseNumber(std::string_view text, std::chars_format format = std::chars_format::general) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, format);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace howdah
