#include <unistd.h>

#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/find_job.h"
#include "howdah/client/find_task.h"
#include "howdah/rpc/streams/run_remote.h"

namespace howdah::cli::commands {
namespace {

struct ExecArguments {
  std::string id, task;
  bool terminal = false;
  std::vector<std::string> command;  // if empty, a shell is started
};

Result<int> Exec(client::Connection& connection, const ExecArguments& arguments) {
  if (arguments.terminal && !output::IsTerminal(STDIN_FILENO)) {
    return Error{ErrorCode::kUsage, "exec -t: stdin is not a terminal; leave out -t"};
  }
  HOWDAH_TRY(const client::Job job, client::FindJobToChange(connection, arguments.id, output::PrintNote));
  HOWDAH_TRY(const journal::JobView view, job.cluster->Status(job.id));
  HOWDAH_TRY(const client::TaskName task, client::FindTask(arguments.task, view));
  HOWDAH_TRY(const rpc::AmContact am, job.cluster->Contact(job.id));
  rpc::streams::RemoteCommand command{task.role, task.index, arguments.command, arguments.terminal};
  if (arguments.command.empty()) {
    command.argv = {"bash"};
    command.terminal = output::IsTerminal(STDIN_FILENO) && output::IsTerminal(STDOUT_FILENO);
  }
  return rpc::streams::RunRemote(am, command);
}

}  // namespace

args::Command ExecCommand(client::Connection& connection) {
  return {"exec", "Run a command in the environment of a running task",
          "  howdah exec last worker:0 -- nvidia-smi\n  howdah exec last worker:0\n"
          "Exit code: that of the command, or 128 plus the number of the signal that killed it.",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<ExecArguments>();
            syntax.Id(arguments->id);
            syntax.Positional("task", "ROLE:INDEX", arguments->task, args::Presence::kRequired, "The task");
            syntax.Flag("-t,--terminal", arguments->terminal,
                        "Allocate a terminal; the default if no COMMAND is given (then a shell starts)");
            syntax.WordsAfterDashes(arguments->command, "COMMAND");
            return [&connection, arguments] { return Exec(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
