#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/follow.h"

namespace howdah::cli::commands {
namespace {

struct EventsArguments {
  std::string id;
  bool json = false, follow = false;
};

Result<int> Events(client::Connection& connection, const EventsArguments& arguments) {
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
  client::FollowOptions options;
  options.until = arguments.follow ? client::Until::kEnd : client::Until::kNow;
  options.on_note = output::PrintNote;
  options.on_entry = [&](const core::JournalEntry& entry) {
    output::Print((arguments.json ? journal::EncodeEntry(entry) : journal::DescribeEntry(entry)) + "\n");
  };
  const auto view = client::FollowJournal(*job.cluster, job.id, options);
  if (!view.ok()) return view.error();
  return client::kExitOk;
}

}  // namespace

args::Command EventsCommand(client::Connection& connection) {
  return {"events", "Show the journal of a job, one line per event",
          "  howdah events last -f\n  howdah events last --json | jq -r .type",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<EventsArguments>();
            syntax.Id(arguments->id);
            syntax.Flag("-f,--follow", arguments->follow, "Continue with new events until the job has finished");
            syntax.Json(arguments->json, "Print one JSON object per line");
            return [&connection, arguments] { return Events(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
