// The log files of the task's processes.
#pragma once

#include <string>

#include "howdah/executor/task.h"

namespace howdah::executor {

struct LogFiles {
  std::string out, err;
  std::string error_file;  // the file to which the framework may write the reason for a failure
};

// processes: the number of processes of the task's role. The file names of a single process contain no rank. See
// TaskOptions::logs_dir and flat_logs.
LogFiles LogFilesOf(const TaskOptions& options, int processes, int attempt, int local_rank);

}  // namespace howdah::executor
