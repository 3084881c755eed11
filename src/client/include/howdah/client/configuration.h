// Finds and reads the user's configuration file.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/jobspec/configuration.h"

namespace howdah::client {

// The configuration of this user: $XDG_CONFIG_HOME/howdah/config.yaml, else ~/.config/howdah/config.yaml.
struct UserConfiguration {
  std::string path;
  jobspec::Configuration settings;  // empty if the file does not exist
};
// Returns kUsage if the file has mistakes; the message has all of them, one per line.
Result<UserConfiguration> ReadUserConfiguration();

// Reads a file that contains only prices. Returns kUsage if the file has mistakes or cannot be read.
Result<jobspec::Prices> ReadPriceFile(const std::string& path);

}  // namespace howdah::client
