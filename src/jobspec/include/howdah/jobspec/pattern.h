// The regular expressions of job files: RE2's syntax, which takes time in proportion to the text and no stack, whatever
// somebody has written. ^ and $ stand for the ends of lines.
#pragma once

#include <string>
#include <string_view>

namespace howdah::jobspec {

// What is wrong with it, for people; empty: nothing.
std::string PatternFault(const std::string& pattern);

// Whether it fits somewhere in the text; false of what is no pattern.
bool FoundIn(const std::string& pattern, std::string_view text);

}  // namespace howdah::jobspec
