// The configuration of ytensorflow, the client of Slider's TensorFlow package.
#pragma once

#include <string>
#include <vector>

#include "howdah/compat/slider/conf_tree.h"

namespace howdah::compat::slider {

struct TensorflowCluster {
  std::string name;  // of the application
  // The package's resources.default.json and appConfig.default.json with the changes of the configuration.
  ConfTree resources, app_config;
  std::vector<std::string> problems;
};

// Reads a file in the format of ytensorflow/config.default.json: `commandConfig`, `appConfig.global`, whose keys lack
// their prefix `site.global.`, and `resources.components`. checkpoint_prefix: the default of user.checkpoint.prefix;
// empty: the configuration must have it.
TensorflowCluster ReadTensorflowCluster(const TextFile& file, const std::string& checkpoint_prefix);

}  // namespace howdah::compat::slider
