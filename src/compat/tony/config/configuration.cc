#include "howdah/compat/tony/config/configuration.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace howdah::compat::tony::config {
namespace {

// The keys to which -conf appends values instead of replacing them (MULTI_VALUE_CONF).
constexpr std::array<std::string_view, 3> kSeveralValues = {"tony.containers.envs", "tony.execution.envs",
                                                            "tony.containers.resources"};

// Builds the command from the Python binary, -executes and its parameters.
std::string CommandOf(const Flags& flags) {
  std::string command = flags.executes;
  if (!flags.python_binary_path.empty()) {
    const bool in_venv = flags.python_binary_path.front() != '/' && !flags.python_venv.empty();
    command = (in_venv ? "venv/" : "") + flags.python_binary_path + " " + command;
  }
  if (!flags.task_params.empty()) command += " " + flags.task_params;
  return command;
}

}  // namespace

Result<hadoop::conf::Configuration> ReadConfiguration(
    const Flags& flags, const std::vector<ConfigurationFile>& files, const hadoop::conf::Environment& surroundings,
    const std::function<Result<std::string>(const std::string& path)>& read_file) {
  hadoop::conf::Configuration configuration(surroundings);
  for (const ConfigurationFile& file : files) {
    HOWDAH_TRY_STATUS(hadoop::conf::AddXml(configuration, file.path, file.xml, read_file));
  }
  for (const auto& [key, value] : flags.conf) {
    const bool adds = std::find(kSeveralValues.begin(), kSeveralValues.end(), key) != kSeveralValues.end();
    const hadoop::conf::Property* before = adds ? configuration.Find(key) : nullptr;
    const bool has_before = before != nullptr && !before->raw.empty();
    configuration.Set(key, has_before ? before->raw + "," + value : value, "-conf");
  }
  if (!flags.executes.empty()) configuration.Set("tony.containers.command", CommandOf(flags), "-executes");
  if (!flags.tensorboard_log_dir.empty()) {
    configuration.Set("tony.application.tensorboard-log-dir", flags.tensorboard_log_dir,
                      "-sidecar_tensorboard_log_dir");
  }
  return configuration;
}

}  // namespace howdah::compat::tony::config
