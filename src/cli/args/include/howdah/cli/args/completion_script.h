// Completion scripts for shells, from the grammar. Pure.
#pragma once

#include <string>
#include <vector>

#include "syntax.h"

namespace howdah::cli {

std::string BashScript(const std::vector<Grammar::Command>& commands);
std::string ZshScript(const std::vector<Grammar::Command>& commands);
std::string FishScript(const std::vector<Grammar::Command>& commands);

}  // namespace howdah::cli
