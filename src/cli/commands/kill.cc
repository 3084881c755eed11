#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/follow.h"
#include "howdah/client/submitter.h"

namespace howdah::cli::commands {
namespace {

struct KillArguments {
  std::string id;
  std::optional<Duration> grace;
};

Result<int> Kill(client::Connection& connection, const KillArguments& arguments) {
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id));
  HOWDAH_TRY(const client::StoppedJob stopped,
             client::StopAndWait(*job.cluster, job.id,
                                 {client::Requester("`howdah kill`"), arguments.grace, output::PrintNote}));
  const std::string state(core::ToText(stopped.view.state));
  const std::string& reason = stopped.view.reason;
  output::PrintMessage(stopped.had_ended ? job.id.text + " has already finished: " + state + "; nothing to do"
                                         : job.id.text + " " + state + (reason.empty() ? "" : ": " + reason));
  return client::kExitOk;
}

}  // namespace

args::Command KillCommand(client::Connection& connection) {
  return {"kill", "Kill a job and wait until all its processes have ended",
          "  howdah kill last\n  howdah kill last --grace 30s", [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<KillArguments>();
            syntax.Id(arguments->id);
            syntax.Duration("--grace", arguments->grace,
                            "Time between the stop signal and SIGKILL; default: checkpoint.grace of the job");
            return [&connection, arguments] { return Kill(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
