// Completion scripts for shells, generated from the grammar. Pure.
#pragma once

#include <string>
#include <vector>

#include "howdah/cli/args/syntax.h"

namespace howdah::cli::args {

std::string BashScript(const std::vector<Grammar::CommandHelp>& commands);
std::string ZshScript(const std::vector<Grammar::CommandHelp>& commands);
std::string FishScript(const std::vector<Grammar::CommandHelp>& commands);

}  // namespace howdah::cli::args
