// TonY's configuration: its sources, weakest first, and what it says in the end.
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

// What TonY reads, in this order, a later one over an earlier: the files (the user's tony.xml or -conf_file, then
// tony-site.xml), then the flags, which win over `final` values too. -conf of a key that takes several values
// (tony.containers.envs, tony.execution.envs, tony.containers.resources) adds to what is there. read_file: of a path
// that XInclude names. kUsage: a file that is no configuration.
Result<hadoop::conf::Configuration> ReadConfiguration(
    const Flags& flags, const std::vector<ConfigurationFile>& files, const hadoop::conf::Environment& surroundings,
    const std::function<Result<std::string>(const std::string& path)>& read_file);

}  // namespace howdah::compat::tony::config
