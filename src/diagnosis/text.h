// Output of programs as text for people: lines without escapes, and what is near a name that does not exist.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/text.h"

namespace howdah::diagnosis {

// The lines of a program's output: without terminal escapes and control characters, invalid UTF-8 replaced by U+FFFD,
// of a line that was overwritten (progress bars) only its last state, no trailing blanks. Indentation and empty lines
// stay.
std::vector<std::string> CleanLines(std::string_view text);

std::string_view BaseName(std::string_view path);
bool Contains(std::string_view text, std::string_view part);

// The name that is most like the one wanted, if one is like it at all.
std::optional<std::string> Nearest(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace howdah::diagnosis
