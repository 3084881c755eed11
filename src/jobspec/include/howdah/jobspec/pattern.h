// The regular expressions of job files: RE2 matches any pattern in time linear in the text, without recursion. ^ and $
// match at line boundaries.
#pragma once

#include <string>
#include <string_view>

namespace howdah::jobspec {

// The error in a pattern; empty if the pattern is valid.
std::string PatternFault(const std::string& pattern);

// Whether the pattern matches anywhere in the text; false for an invalid pattern.
bool FoundIn(const std::string& pattern, std::string_view text);

}  // namespace howdah::jobspec
