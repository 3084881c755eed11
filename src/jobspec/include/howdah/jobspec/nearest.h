// Suggestions for misspelt words.
#pragma once

#include <string_view>
#include <vector>

namespace howdah::jobspec {

// The most similar candidate: a few edits away, different in case, or a prefix or suffix of one another. Returns "" if
// none is similar enough.
std::string_view Nearest(std::string_view text, const std::vector<std::string_view>& candidates);

}  // namespace howdah::jobspec
