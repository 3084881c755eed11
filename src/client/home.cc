#include "howdah/client/home.h"

namespace howdah::client {

Result<std::string> HowdahHome(const std::function<std::string(const std::string& name)>& variable,
                               const std::string& working_directory) {
  const auto absolute = [&](const std::string& path) {
    return path.starts_with('/') ? path : working_directory + "/" + path;
  };
  if (const std::string home = variable("HOWDAH_HOME"); !home.empty()) return absolute(home);
  if (const std::string state = variable("XDG_STATE_HOME"); !state.empty()) return absolute(state) + "/howdah";
  if (const std::string home = variable("HOME"); !home.empty()) return absolute(home) + "/.local/state/howdah";
  return Error{ErrorCode::kUsage,
               "neither HOWDAH_HOME nor HOME is set; set the directory for jobs, for example HOWDAH_HOME=/data/howdah"};
}

}  // namespace howdah::client
