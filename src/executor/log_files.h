// The log files of the task's processes.
#pragma once

#include <string>

#include "howdah/executor/task.h"

namespace howdah::executor {

struct LogFiles {
  std::string out, err;
  std::string error_file;  // written by the framework, if it has such a file
};

// processes: of the task's role; a single process has no rank in its file names. See TaskOptions::logs_dir and
// flat_logs.
LogFiles LogFilesOf(const TaskOptions& options, int processes, int attempt, int local_rank);

}  // namespace howdah::executor
