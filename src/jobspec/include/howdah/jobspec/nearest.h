// What a misspelt word was probably meant to be.
#pragma once

#include <string_view>
#include <vector>

namespace howdah::jobspec {

// The candidate that was probably meant: a few typing mistakes away, or different in case, or one begins or ends with
// the other. Empty if there is none.
std::string_view Nearest(std::string_view text, const std::vector<std::string_view>& candidates);

}  // namespace howdah::jobspec
