// Columns of text for people. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace howdah::cli {

// Left-aligned columns, two spaces apart, a line a row, nothing behind the last column.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows);

// How many columns of a terminal a text takes: UTF-8 characters, colours not counted.
size_t WidthOf(std::string_view text);
// At most `width` columns of a line; a cut one ends with "…" and with colours off.
std::string Clip(std::string_view text, size_t width);
// Line breaks and other control characters become spaces.
std::string OneLine(std::string text);

}  // namespace howdah::cli
