// Columns of text for people. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace howdah::cli::output {

// Left-aligned columns, two spaces apart, one line per row, without trailing spaces.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows);

// The number of terminal columns of a text: its number of UTF-8 characters, without colour sequences.
size_t WidthOf(std::string_view text);
// Clips a line to `width` columns. A clipped line ends with "…" and resets colours.
std::string Clip(std::string_view text, size_t width);
// Replaces line breaks and other control characters by spaces.
std::string OneLine(std::string text);

}  // namespace howdah::cli::output
