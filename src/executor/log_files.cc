#include "log_files.h"

namespace howdah::executor {

LogFiles LogFilesOf(const TaskOptions& options, int processes, int attempt, int local_rank) {
  std::string stem = options.logs_dir + (options.flat_logs ? "/attempt-" : "/") + std::to_string(attempt);
  if (processes > 1) stem += (options.flat_logs ? ".rank-" : "/") + std::to_string(local_rank);
  stem += options.flat_logs ? "." : "/";
  return {stem + "stdout", stem + "stderr", stem + "error.json"};
}

}  // namespace howdah::executor
