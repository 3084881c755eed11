// Merges TonY's configuration from its sources.
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
  std::string path;  // used in messages, and as the source of the file's values
  std::string xml;
};

// Merges the sources in TonY's order; later sources override earlier ones. First come the files: the user's tony.xml or
// -conf_file, then tony-site.xml. Then come the flags, which override even `final` values. -conf appends to the keys
// that take several values: tony.containers.envs, tony.execution.envs, tony.containers.resources. `read_file` reads a
// path named by XInclude. Returns kUsage if a file is not a configuration.
Result<hadoop::conf::Configuration> ReadConfiguration(
    const Flags& flags, const std::vector<ConfigurationFile>& files, const hadoop::conf::Environment& surroundings,
    const std::function<Result<std::string>(const std::string& path)>& read_file);

}  // namespace howdah::compat::tony::config
