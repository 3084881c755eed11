// The command line of `howdah-agent task`, written by the backend that starts the container.
#pragma once

#include <optional>
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

// A YARN container, from the view of the process in it.
struct ContainerDirectory {
  std::string path;                     // the absolute path of the container's directory
  std::optional<std::string> log_dirs;  // the value of LOG_DIRS: one or more directories, separated by commas
  std::string python_dir;               // the unpacked python archive; empty if there is none
};
// Sets the options that the command line of a task on YARN leaves out: the places of files in the container's
// directory, and the log directory that YARN collects.
void UseContainerDirectory(const ContainerDirectory& container, TaskOptions& options);

}  // namespace howdah::executor
