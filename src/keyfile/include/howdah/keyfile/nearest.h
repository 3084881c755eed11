// Suggestions for misspelt words.
#pragma once

#include <string_view>
#include <vector>

namespace howdah::keyfile {

// Returns the most similar candidate: it differs by a few edits or in case, or one text is a prefix or suffix of the
// other. Returns "" if no candidate is similar enough.
std::string_view Nearest(std::string_view text, const std::vector<std::string_view>& candidates);

}  // namespace howdah::keyfile
