// Finds out whether words can be appended to a script for bash.
#pragma once

#include <string_view>

namespace howdah::jobspec {

// Returns "" if bash reads words that are appended to the script as arguments of its last command. Otherwise returns
// the place where the script ends: "a comment". Also returns "" for a script with `${…}`, `$'…'`, or a command
// substitution in double quotes, in which quotes can be nested. script: without white space at its end.
std::string_view ScriptEndsIn(std::string_view script);

}  // namespace howdah::jobspec
