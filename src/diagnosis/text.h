// Makes the output of programs readable, and finds the name closest to a misspelt one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/text.h"

namespace howdah::diagnosis {

// Splits a program's output into lines, without terminal escapes, control characters and trailing blanks. Invalid UTF-8
// becomes U+FFFD. A line that was overwritten with carriage returns (a progress bar) has only its last content. Keeps
// indentation and empty lines.
std::vector<std::string> CleanLines(std::string_view text);

std::string_view BaseName(std::string_view path);
bool Contains(std::string_view text, std::string_view part);

// Returns the name most similar to `wanted`, or nullopt if no name is similar.
std::optional<std::string> Nearest(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace howdah::diagnosis
