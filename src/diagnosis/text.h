// Makes the output of programs readable, and finds the name closest to a misspelt one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/text.h"

namespace howdah::diagnosis {

// The lines of a program's output, without terminal escapes, control characters and trailing blanks. Invalid UTF-8 is
// replaced by U+FFFD. A line that was overwritten (progress bars) is reduced to its last state. Indentation and empty
// lines are kept.
std::vector<std::string> CleanLines(std::string_view text);

std::string_view BaseName(std::string_view path);
bool Contains(std::string_view text, std::string_view part);

// The name closest to the wanted one. Returns nullopt if none is similar.
std::optional<std::string> Nearest(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace howdah::diagnosis
