#include "howdah/client/home.h"

namespace howdah::client {

Result<std::string> HowdahHome(const std::function<std::string(const std::string& name)>& variable,
                               const std::function<Result<std::string>()>& working_directory) {
  const auto below = [&](const std::string& path, const std::string& name) -> Result<std::string> {
    if (path.starts_with('/')) return path + name;
    HOWDAH_TRY(const std::string here, working_directory());
    return here + "/" + path + name;
  };
  if (const std::string home = variable("HOWDAH_HOME"); !home.empty()) return below(home, "");
  if (const std::string state = variable("XDG_STATE_HOME"); !state.empty()) return below(state, "/howdah");
  if (const std::string home = variable("HOME"); !home.empty()) return below(home, "/.local/state/howdah");
  return Error{ErrorCode::kUsage,
               "neither HOWDAH_HOME nor HOME is set; set the directory for jobs, for example HOWDAH_HOME=/data/howdah"};
}

}  // namespace howdah::client
