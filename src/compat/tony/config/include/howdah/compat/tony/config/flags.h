// The command line of TonY's submitters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::compat::tony::config {

enum class Submitter { kCluster, kLocal, kNotebook };

// name=value, as TonY splits it: at the first '='; without one the value is empty.
using Pair = std::pair<std::string, std::string>;

struct Flags {
  Submitter submitter = Submitter::kCluster;
  // TonY's, empty where not given. The last one counts of those that may stand once.
  std::string executes, task_params, src_dir, python_venv, python_binary_path, conf_file, tensorboard_log_dir;
  std::vector<Pair> conf, shell_env, container_env;
  std::vector<std::string> hdfs_classpath;  // accepted, and not needed: no jar of ours is needed in a container
  bool help = false;
  bool debug = false;
  // Ours.
  std::string on;  // --on; empty: not said
  bool print_job = false, plan = false, keys = false, json = false, keep = false;
};

// The words behind `howdah tony`: first, if it is there, the submitter (ClusterSubmitter, or with its Java package),
// then flags, each as -x v, --x v, -x=v or --x=v. kUsage: a flag that is not known, named with the nearest one; a word
// that belongs to none; a flag without its value. TonY ignores these, with all that follows.
Result<Flags> ParseFlags(const std::vector<std::string>& words);

// What `howdah tony --help` prints.
std::string FlagsHelp();

}  // namespace howdah::compat::tony::config
