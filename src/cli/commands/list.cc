#include <unistd.h>

#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/status_text.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/indexed_jobs.h"
#include "howdah/os/process/clock.h"
#include "list_jobs.h"

namespace howdah::cli::commands {

Result<int> ListJobs(client::Connection& connection, const ListArguments& arguments) {
  HOWDAH_TRY(const std::string backend, connection.Backend());
  HOWDAH_TRY(backend::Cluster* const cluster, connection.ClusterOn(backend));
  HOWDAH_TRY(const auto jobs,
             cluster->List(arguments.all, arguments.all ? client::IndexedJobs(backend) : backend::EndedJobs()));
  if (arguments.json) {
    std::string text = "[";
    for (const journal::JobView& view : jobs) text += (text.size() == 1 ? "" : ",\n ") + journal::ToJson(view, false);
    output::Print(text + "]\n");
    return client::kExitOk;
  }
  if (jobs.empty()) {
    output::PrintMessage(arguments.all ? "no jobs"
                                       : "no queued or running jobs; `howdah list --all` includes finished ones");
    return client::kExitOk;
  }
  output::Print(output::DescribeJobs(jobs, os::process::Clock().Now(), output::WantsColour(STDOUT_FILENO)));
  return client::kExitOk;
}

args::Command ListCommand(client::Connection& connection) {
  return {"list", "List queued and running jobs", "  howdah list --all",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<ListArguments>();
            syntax.Json(arguments->json, "Print one JSON array");
            syntax.Flag("--all", arguments->all, "Include finished jobs");
            return [&connection, arguments] { return ListJobs(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
