#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/status_text.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/follow.h"

namespace howdah::cli::commands {
namespace {

struct WaitArguments {
  std::string id;
  std::optional<Duration> timeout;
};

Result<int> Wait(client::Connection& connection, const WaitArguments& arguments) {
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
  const auto view = client::FollowJournal(
      *job.cluster, job.id, {.limit = arguments.timeout, .on_entry = nullptr, .on_note = output::PrintNote});
  if (!view.ok() && view.error().code == ErrorCode::kTimeout) {
    output::PrintNote("waiting for " + job.id.text + " timed out: " + view.error().message + "; the job keeps running");
    return client::kExitTimeout;
  }
  if (!view.ok()) return view.error();
  output::PrintMessage(output::Summary(*view, job.cluster->LogsLocation(job.id)));
  return client::ExitCodeOf(*view);
}

}  // namespace

args::Command WaitCommand(client::Connection& connection) {
  return {"wait", "Wait until a job has finished; exit with the job's exit code",
          "  howdah wait last --timeout 10m\nExit code: that of `howdah run`; 5 after --timeout.",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<WaitArguments>();
            syntax.Id(arguments->id);
            syntax.Duration("--timeout", arguments->timeout, "Give up after this time, with exit code 5");
            return [&connection, arguments] { return Wait(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
