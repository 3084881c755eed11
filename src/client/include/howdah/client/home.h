// Where howdah keeps what outlives a command: local jobs, caches, journals.
#pragma once

#include <functional>
#include <string>

#include "howdah/base/result.h"

namespace howdah::client {

// $HOWDAH_HOME, else $XDG_STATE_HOME/howdah, else $HOME/.local/state/howdah; absolute. variable: an environment
// variable, empty if it is not set.
Result<std::string> HowdahHome(const std::function<std::string(const std::string& name)>& variable,
                               const std::string& working_directory);

}  // namespace howdah::client
