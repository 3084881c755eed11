// Matches paths against patterns as git does in .gitignore.
#pragma once

#include <string_view>

namespace howdah::os::files {

// Whether the pattern matches the whole path; both are relative. `*`, `?` and `[a-z]` match within one component, `**`
// as a whole component matches any number of components (at the end of the pattern at least one), and a backslash makes
// the next character literal. The time is at most proportional to the product of the lengths of pattern and path.
bool MatchesGlob(std::string_view pattern, std::string_view path);

}  // namespace howdah::os::files
