// The directory for files that are kept after a command has ended: local jobs, caches, journals.
#pragma once

#include <functional>
#include <string>

#include "howdah/base/result.h"

namespace howdah::client {

// Returns $HOWDAH_HOME, else $XDG_STATE_HOME/howdah, else $HOME/.local/state/howdah, as an absolute path. `variable`
// returns an environment variable, or "" if it is not set. `working_directory` is called for a relative path only.
Result<std::string> HowdahHome(const std::function<std::string(const std::string& name)>& variable,
                               const std::function<Result<std::string>()>& working_directory);

}  // namespace howdah::client
