#include <memory>

#include "howdah/cli/output/terminal.h"
#include "howdah/client/find_job.h"
#include "howdah/client/find_task.h"
#include "serve_forward.h"

namespace howdah::cli::commands {
namespace {

struct OpenArguments {
  std::string id, task;
  int port = 0, listen = 0;
};

Result<int> Open(client::Connection& connection, const OpenArguments& arguments) {
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
  HOWDAH_TRY(const journal::JobView view, job.cluster->Status(job.id));
  HOWDAH_TRY(const client::TaskName task, client::FindTask(arguments.task, view));
  return ServeForward(job, {task.role, task.index, static_cast<uint16_t>(arguments.port)}, arguments.listen, nullptr);
}

}  // namespace

args::Command OpenCommand(client::Connection& connection) {
  return {"open", "Forward a local port to a running task, until Ctrl-C or the job's end",
          "  howdah open last worker:0 8888\n  howdah open last worker:0 8888 --listen 8080",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<OpenArguments>();
            syntax.Id(arguments->id);
            syntax.Positional("task", "ROLE:INDEX", arguments->task, args::Presence::kRequired, "The task");
            syntax.Port("port", arguments->port, args::Presence::kRequired,
                        "The port of the server in the task, on the loopback interface of the task's machine");
            AddListen(syntax, arguments->listen);
            return [&connection, arguments] { return Open(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
