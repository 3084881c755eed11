#include "howdah/executor/task_arguments.h"

#include "howdah/base/flags.h"
#include "howdah/base/number.h"

namespace howdah::executor {
namespace {

// Parses "0,3,4". An empty text is an empty list.
Result<std::vector<int>> ParseGpus(const std::string& text) {
  std::vector<int> gpus;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const auto gpu = ParseNumber<int>(text.substr(at, end - at));
    if (!gpu || *gpu < 0) return Error{ErrorCode::kUsage, "invalid list of GPUs '" + text + "'"};
    gpus.push_back(*gpu);
    at = end + 1;
  }
  return gpus;
}

}  // namespace

Result<TaskArguments> ParseTaskArguments(const std::vector<std::string>& arguments) {
  HOWDAH_TRY(const Flags flags,
             Flags::Parse(arguments,
                          {"--job", "--job-file", "--container", "--role", "--index", "--am", "--am-socket", "--tls",
                           "--staging", "--work", "--logs", "--python", "--environment", "--gpus"},
                          {"--yarn", "--keep-work"}));
  TaskArguments task;
  task.on_yarn = flags.has("--yarn");
  task.tls_dir = flags.text("--tls");
  task.environment_file = flags.text("--environment");
  TaskOptions& options = task.options;
  options.job_id = flags.text("--job");
  options.job_file = flags.text("--job-file");
  options.container = flags.text("--container");
  options.role = flags.text("--role");
  options.index = flags.number("--index", 0);
  options.am_address = flags.text("--am");
  options.am_socket = flags.number("--am-socket", -1);
  options.staging_dir = flags.text("--staging");
  options.work_dir = flags.text("--work");
  options.keeps_work_dir = flags.has("--keep-work");
  options.logs_dir = flags.text("--logs");
  options.python_dir = flags.text("--python");
  if (flags.has("--gpus")) {
    HOWDAH_TRY(options.gpus, ParseGpus(flags.text("--gpus")));
  }
  return task;
}

void UseContainerDirectory(const ContainerDirectory& container, TaskOptions& options) {
  options.job_file = "howdah/job.json";
  options.am_may_move = true;
  options.staging_dir = container.path + "/staging";
  options.work_dir = container.path + "/work";
  options.remove_work_dir = true;
  // All logs of a container are in one of the directories, so that YARN collects them as one log.
  const std::string logs = container.log_dirs.value_or(container.path + "/logs");
  options.logs_dir = logs.substr(0, logs.find(','));
  options.flat_logs = true;
  options.python_dir = container.python_dir;
}

}  // namespace howdah::executor
