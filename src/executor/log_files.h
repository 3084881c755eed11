// Where the output of each process of the task lies.
#pragma once

#include <string>

#include "howdah/executor/task.h"

namespace howdah::executor {

struct LogFiles {
  std::string out, err;
  std::string error_file;  // where the process's framework may write an error to
};

// processes: of the task's role; one has no rank in its names. See TaskOptions::logs_dir and flat_logs.
LogFiles LogFilesOf(const TaskOptions& options, int processes, int attempt, int local_rank);

}  // namespace howdah::executor
