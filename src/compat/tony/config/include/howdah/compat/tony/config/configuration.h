// TonY's configuration, merged from its sources.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/compat/tony/config/flags.h"
#include "howdah/hadoop/conf/configuration.h"

namespace howdah::compat::tony::config {

// An XML file of the configuration.
struct ConfigurationFile {
  std::string path;  // for messages, and as the source of its values
  std::string xml;
};

// Merges what TonY merges, in its order; later sources override earlier ones: the files (the user's tony.xml or
// -conf_file, then tony-site.xml), then the flags, which override `final` values too. -conf appends to a key that takes
// several values (tony.containers.envs, tony.execution.envs, tony.containers.resources). read_file: reads a path named
// by XInclude. kUsage: a file is not a configuration.
Result<hadoop::conf::Configuration> ReadConfiguration(
    const Flags& flags, const std::vector<ConfigurationFile>& files, const hadoop::conf::Environment& surroundings,
    const std::function<Result<std::string>(const std::string& path)>& read_file);

}  // namespace howdah::compat::tony::config
