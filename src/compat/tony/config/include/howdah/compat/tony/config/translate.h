// Translates a job of TonY into an ordinary job file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "howdah/compat/common/translation.h"
#include "howdah/compat/tony/config/flags.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::compat::tony::config {

// The facts that the translation needs about the submitting machine and remote file systems.
struct Facts {
  std::string directory;  // absolute; relative paths start here
  std::function<keyfile::PathKind(const std::string& path)> path_kind;
  bool on_cluster = false;  // whether containers run on nodes of Hadoop
  // Returns whether a file of this machine may be executed.
  std::function<bool(const std::string& path)> executable;
  // Returns the files of a remote directory as URIs, or none if the URI is a file.
  std::function<Result<std::vector<std::string>>(const std::string& uri)> list;
};

// Pure, except for calls to `facts`.
common::Translation Translate(const Flags& flags, const hadoop::conf::Configuration& configuration, const Facts& facts);

}  // namespace howdah::compat::tony::config
