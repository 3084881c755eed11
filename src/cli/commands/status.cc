#include <unistd.h>

#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/advice_lines.h"
#include "howdah/cli/output/status_text.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/adviser.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/follow.h"
#include "howdah/os/process/clock.h"
#include "list_jobs.h"

namespace howdah::cli::commands {
namespace {

struct StatusArguments {
  std::string id;
  bool json = false, watch = false;
};

std::string StatusText(const journal::JobView& view, bool json, const std::vector<std::string>& advice = {}) {
  if (json) return journal::ToJson(view, true) + "\n";
  return output::DescribeJob(view, os::process::Clock().Now(), output::WantsColour(STDOUT_FILENO), advice);
}

// On a terminal the status is redrawn in place. On a pipe it is printed after every change.
Result<int> Watch(const client::Job& job, bool json) {
  HOWDAH_TRY(const auto follow, job.cluster->FollowJob(job.id, std::nullopt));
  const bool in_place = output::IsTerminal(STDOUT_FILENO) && !json;
  client::JournalSink sink(nullptr);  // only for waiting: Status() returns the usage, too
  while (!follow->ended()) {
    const auto limit = in_place ? std::optional<Duration>(std::chrono::seconds(1)) : std::nullopt;
    if (client::WaitFor(*follow, -1, limit) == client::Woke::kFollow) {
      while (follow->Read(sink)) {
      }
    }
    HOWDAH_TRY(const journal::JobView view, job.cluster->Status(job.id));
    output::Print((in_place ? "\x1b[H\x1b[J" : "") + StatusText(view, json) + (in_place || json ? "" : "\n"));
  }
  return client::kExitOk;
}

// Returns no advice if it cannot be computed, because the status is useful without advice.
std::vector<std::string> AdviceOn(const client::Job& job, const journal::JobView& view) {
  if (!view.started) return {};
  const Instant now = os::process::Clock().Now();
  client::Adviser adviser(*job.cluster, nullptr);
  const auto facts = adviser.FactsOf(view, now);
  return facts.ok() ? output::AdviceLines(view, adviser.AdviseBriefly(*facts, now)) : std::vector<std::string>();
}

Result<int> ShowStatus(client::Connection& connection, const StatusArguments& arguments) {
  if (arguments.id.empty()) {
    if (arguments.watch) return Error{ErrorCode::kUsage, "status: --watch needs the ID of a job, or `last`"};
    return ListJobs(connection, {.json = arguments.json, .all = false});
  }
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
  if (arguments.watch) return Watch(job, arguments.json);
  HOWDAH_TRY(const journal::JobView view, job.cluster->Status(job.id));
  output::Print(StatusText(view, arguments.json, arguments.json ? std::vector<std::string>() : AdviceOn(job, view)));
  return client::kExitOk;
}

}  // namespace

args::Command StatusCommand(client::Connection& connection) {
  return {"status", "Show a job with its tasks; without ID, list queued and running jobs",
          "  howdah status last\n  howdah status last --json | jq .state",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<StatusArguments>();
            syntax.Id(arguments->id, args::Presence::kOptional);
            syntax.Json(arguments->json, "Print one JSON object; without ID, one JSON array");
            syntax.Flag("--watch", arguments->watch, "Show every change until the job has finished");
            return [&connection, arguments] { return ShowStatus(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
