// The regular expressions of job files. RE2 matches them in linear time and without recursion. ^ and $ match at line
// boundaries.
#pragma once

#include <string>
#include <string_view>

namespace howdah::keyfile {

// Returns the error in a pattern, or "" if the pattern is valid.
std::string PatternFault(const std::string& pattern);

// Whether the pattern matches anywhere in the text. Returns false for an invalid pattern.
bool FoundIn(const std::string& pattern, std::string_view text);

}  // namespace howdah::keyfile
