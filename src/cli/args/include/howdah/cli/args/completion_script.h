// Completion scripts for shells, generated from the grammar. Pure.
#pragma once

#include <string>

#include "howdah/cli/args/syntax.h"

namespace howdah::cli::args {

// program: the result of Grammar::Describe.
std::string BashScript(const Grammar::CommandHelp& program);
std::string ZshScript(const Grammar::CommandHelp& program);
std::string FishScript(const Grammar::CommandHelp& program);

}  // namespace howdah::cli::args
