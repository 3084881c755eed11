// The command line of `howdah-agent task`, written by the backend that starts the container.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/executor/task.h"

namespace howdah::executor {

struct TaskArguments {
  TaskOptions options;           // without identity and agent variables
  bool on_yarn = false;          // what the options lack is found in the container
  std::string tls_dir;           // of the executor's identity
  std::string environment_file;  // see ReadInherited
};
// An error is one of usage.
Result<TaskArguments> ParseTaskArguments(const std::vector<std::string>& arguments);

}  // namespace howdah::executor
