// Jobs without a job file, and arguments from the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::jobspec {

// What `howdah run --framework pytorch --workers 2 -- python train.py` says. Texts are as the user wrote them:
// ParseJobFile checks them.
struct QuickJob {
  std::string name;  // empty: after the program, "train" for python train.py
  std::string framework = "plain";
  int workers = 1;
  std::string memory = "2GiB";  // of one task
  std::optional<int> vcores;
  std::optional<int> gpus;
  std::optional<int> processes;
  std::string source = ".";    // so that `python train.py` finds the file it finds now; empty: none
  std::string python_archive;  // empty: none
  std::string queue;           // empty: the default one
  EnvVars env;
  std::vector<std::string> command;  // the words behind --
};

// A job file with one role, `worker`, for ParseJobFile. Nothing in it is expanded: the user's shell has done that.
std::string JobFileFor(const QuickJob& job);

// Appends the words to every role's command: to a list as they are, to a text for bash with quotes where bash needs
// them. Fails if a word is not UTF-8 or contains a NUL, which a job file cannot say.
Status AppendArguments(JobSpec& spec, const std::vector<std::string>& words);

}  // namespace howdah::jobspec
