#include <unistd.h>

#include "commands.h"
#include "howdah/rpc/streams/run_remote.h"
#include "terminal.h"
#include "find_task.h"

namespace howdah::cli {

int ExecCommand(Shell& shell, const Arguments& arguments) {
  const bool shell_wanted = arguments.job.words.empty();
  if (arguments.terminal && !IsTerminal(STDIN_FILENO)) {
    return Report({ErrorCode::kUsage, "exec -t needs a terminal, and stdin is none; leave out -t"});
  }
  const auto made = shell.Place();
  if (!made.ok()) return Report(made.error());
  backend::Cluster& place = **made;
  const auto id = place.Resolve(arguments.id);
  if (!id.ok()) return Report(id.error());
  const auto view = place.Status(*id);
  if (!view.ok()) return Report(view.error());
  const auto task = FindTask(arguments.task, *view);
  if (!task.ok()) return Report(task.error());
  const auto am = place.Contact(*id);
  if (!am.ok()) return Report(am.error());
  rpc::streams::RemoteCommand command{task->role, task->index, arguments.job.words, arguments.terminal};
  if (shell_wanted) {
    command.argv = {"bash"};
    command.terminal = IsTerminal(STDIN_FILENO) && IsTerminal(STDOUT_FILENO);
  }
  const auto ended = rpc::streams::RunRemote(*am, command);
  return ended.ok() ? *ended : Report(ended.error());
}

}  // namespace howdah::cli
