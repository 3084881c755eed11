// Translates an application of Apache Slider into a job file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/compat/common/translation.h"
#include "howdah/compat/slider/conf_tree.h"
#include "howdah/compat/slider/metainfo.h"
#include "howdah/keyfile/host.h"

namespace howdah::compat::slider {

// The files of a package on the submitting machine.
struct Package {
  std::string path;     // absolute; empty: the application has none
  bool zipped = false;  // `path` is a zip file, otherwise a directory
  // Returns the kind of a path within the package, such as "package/files". Null if `path` is empty.
  std::function<keyfile::PathKind(const std::string& inside)> path_kind;
};

struct Application {
  std::string name;
  std::string user;   // for ${USER_NAME}
  std::string queue;  // empty: the default queue
  ConfTree resources, app_config;
  std::optional<Metainfo> metainfo;  // nullopt: the package is Slider's TensorFlow package
  Package package;
  std::vector<std::pair<std::string, int>> maxima;  // --max: components and their largest number of instances
  bool docker = false;                              // run the tasks in site.global.docker.image
  std::vector<jobspec::File> files;                 // further files for the working directories
  std::vector<std::string> problems;                // of the files as they were read; the translation begins with them
};

// The largest container, for the value `max`.
struct Largest {
  int64_t memory_bytes = 0;
  int vcores = 0;
};

// Pure, except for calls of `package.path_kind` and `largest`. `largest` is called only for the value `max`, and
// returns nullopt if the backend does not report its nodes.
common::Translation Translate(const Application& application, const std::function<std::optional<Largest>()>& largest);

}  // namespace howdah::compat::slider
