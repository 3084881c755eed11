// Jobs without a job file, and arguments from the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::jobspec {

// The values of `howdah run --framework pytorch --workers 2 -- python train.py`. ParseJobFile checks them later.
struct QuickJob {
  std::string name;  // empty: derived from the command, such as "train" from `python train.py`
  std::string framework = "plain";
  int workers = 1;
  std::string memory = "2GiB";  // per task
  std::optional<int> vcores;
  std::optional<int> gpus;
  std::optional<int> processes;
  std::string source = ".";          // by default the current directory, which contains train.py; empty: none
  std::string python_archive;        // empty: none
  std::string queue;                 // empty: the default queue
  std::vector<std::string> outputs;  // patterns; see JobSpec::outputs
  EnvVars env;
  std::vector<std::string> command;  // the words after --
};

// Returns a job file with one role, `worker`, for ParseJobFile. The job keeps the new files of its tasks up to 1 GiB,
// so that a model that a script saves in its working directory is there after `howdah run`. Variables in the values are
// not expanded, because the user's shell has already done that. kUsage if a value is not UTF-8.
Result<std::string> JobFileFor(const QuickJob& job);

// Returns the option of `howdah run` that sets the key of such a job file: "--memory" for "roles.worker.memory".
// Returns
// "" for all other keys.
std::string OptionOf(std::string_view key);

// Appends the words to every role's command. In a list of arguments they are unchanged; in a script for bash they are
// quoted where needed. kUsage if a word is not UTF-8 or contains a NUL, because job files allow neither, or if a script
// ends in a comment or a here-document, where bash would not read the words as arguments.
Status AppendArguments(JobSpec& spec, const std::vector<std::string>& words);

}  // namespace howdah::jobspec
