// The command line of `howdah-agent task`, written by the backend that starts the container.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/executor/task.h"

namespace howdah::executor {

struct TaskArguments {
  TaskOptions options;           // everything except load_identity and agent_variables
  bool on_yarn = false;          // read the options that are missing in the command line from the YARN container
  std::string tls_dir;           // the directory of the executor's identity
  std::string environment_file;  // the path for ReadInherited
};
// Every error has the code kUsage.
Result<TaskArguments> ParseTaskArguments(const std::vector<std::string>& arguments);

}  // namespace howdah::executor
