// The command line of TonY's submitters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::compat::tony::config {

enum class Submitter { kCluster, kLocal, kNotebook };

// name=value, split at the first '=' as in TonY. Without a '=' the value is empty.
using Pair = std::pair<std::string, std::string>;

struct Flags {
  Submitter submitter = Submitter::kCluster;
  // TonY's flags; empty if not given. If a flag is repeated, the last one wins, except for lists, which are joined.
  std::string executes, task_params, src_dir, python_venv, python_binary_path, conf_file, tensorboard_log_dir;
  std::vector<Pair> conf, shell_env, container_env;
  std::vector<std::string> hdfs_classpath;  // accepted and ignored: containers need no jars
  bool help = false;
  bool debug = false;
  // Howdah's flags.
  std::string on;  // --on; empty if not given
  bool print_job = false, plan = false, keys = false, json = false, keep = false;
};

// Parses the words after `howdah tony`: optionally the submitter (ClusterSubmitter, with or without its Java package),
// then flags, each as -x v, --x v, -x=v or --x=v. Returns kUsage for an unknown flag, a word that belongs to no flag,
// or a flag without its value. (TonY silently ignores such words and everything after them.)
Result<Flags> ParseFlags(const std::vector<std::string>& words);

// The output of `howdah tony --help`.
std::string FlagsHelp();

}  // namespace howdah::compat::tony::config
