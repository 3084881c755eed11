#include <unistd.h>

#include <memory>
#include <optional>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/find_task.h"
#include "howdah/core/results.h"
#include "howdah/os/files/files.h"

namespace howdah::cli::commands {
namespace {

struct ResultArguments {
  std::string id, task;
  std::optional<int64_t> rank;
};

// Returns the error for a process without a result that could be printed. The message contains the reason.
Error NoResult(const journal::TaskView& task, const std::string& name) {
  const bool ended = core::IsFinal(task.state);
  if (ended && !task.reason.empty()) return Failed(name + " has no result: " + task.reason);
  return Failed(name + (ended ? " has no result: it has not written the file $HOWDAH_RESULT"
                              : " has no result yet: it is " + std::string(core::ToText(task.state)) +
                                    ", and a result is stored when its process ends"));
}

Result<int> PrintResult(client::Connection& connection, const ResultArguments& arguments) {
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
  HOWDAH_TRY(const journal::JobView view, job.cluster->Status(job.id));
  HOWDAH_TRY(const client::TaskName named, client::FindTask(arguments.task, view));
  const journal::TaskView& task = *view.Find(named.role, named.index);
  const std::string name = named.role + ":" + std::to_string(named.index);
  const std::vector<int>& sizes = task.result_bytes;
  const int64_t rank = arguments.rank.value_or(0);
  const auto processes = static_cast<int64_t>(task.pids.empty() ? sizes.size() : task.pids.size());
  if (processes > 0 && rank >= processes) {
    return Error{ErrorCode::kUsage, name + " has no process with the local rank " + std::to_string(rank) +
                                        "; its processes are 0 to " + std::to_string(processes - 1)};
  }
  const std::string process = rank == 0 ? name : name + "/" + std::to_string(rank);
  if (rank >= static_cast<int64_t>(sizes.size()) || sizes[static_cast<size_t>(rank)] == core::kNoResult)
    return NoResult(task, process);
  HOWDAH_TRY(const std::string bytes, job.cluster->ReadResult(job.id, named.role, named.index, static_cast<int>(rank)));
  HOWDAH_TRY_STATUS(os::files::WriteAll(STDOUT_FILENO, bytes, "stdout"));
  return client::kExitOk;
}

}  // namespace

args::Command ResultCommand(client::Connection& connection) {
  return {"result", "Print the result of a process: the content of its file $HOWDAH_RESULT",
          "  howdah result last worker:0 > result.json\n  howdah result last worker:1 --rank 3",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<ResultArguments>();
            syntax.Id(arguments->id);
            syntax.Positional("task", "ROLE:INDEX", arguments->task, args::Presence::kRequired, "The task");
            syntax.Number("--rank", arguments->rank, 0,
                          "The local rank of the process, in a task with several processes; default: 0");
            return [&connection, arguments] { return PrintResult(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
