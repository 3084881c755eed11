#include <memory>
#include <nlohmann/json.hpp>

#include "first_failure.h"
#include "howdah/base/time.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/find_job.h"
#include "howdah/journal/job_view.h"

namespace howdah::cli::commands {
namespace {

struct RenewArguments {
  std::vector<std::string> ids;
  bool json = false;
};

void PrintOutcome(const JobId& id, const std::optional<backend::Cluster::RenewedTokens>& renewed, bool json) {
  if (json) {
    nlohmann::ordered_json line = {{"id", id.text}, {"until", nullptr}, {"replaced", renewed && renewed->replaced}};
    if (renewed) line["until"] = FormatInstant(renewed->until);
    return output::Print(line.dump() + "\n");
  }
  if (!renewed) return output::Print(id.text + " has ended; nothing to do\n");
  output::Print(id.text + " has tokens until " + journal::FormatMinute(renewed->until) + " UTC" +
                (renewed->replaced ? "" : "; new ones would not live longer") + "\n");
}

// Supplies every job, even if an earlier one failed. Returns the exit code of the first failure.
Result<int> Renew(client::Connection& connection, const RenewArguments& arguments) {
  if (arguments.ids.empty()) return Error{ErrorCode::kUsage, "renew: name the jobs: ID..."};
  FirstFailure failure;
  for (const std::string& name : arguments.ids) {
    const auto job = client::FindJobToChange(connection, name, output::PrintNote);
    const auto renewed = job.ok() ? job->cluster->RenewTokens(job->id) : job.error();
    if (renewed.ok()) {
      PrintOutcome(job->id, *renewed, arguments.json);
    } else {
      failure.Add(renewed.error());
    }
  }
  return failure.exit_code();
}

}  // namespace

args::Command RenewCommand(client::Connection& connection) {
  return {"renew", "Supply running jobs with new delegation tokens, on a cluster with Kerberos",
          "  howdah renew last\n  0 */6 * * * howdah renew --keytab ~/ann.keytab application_1790000000000_0001",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<RenewArguments>();
            syntax.Ids(arguments->ids);
            syntax.Flag("--json", arguments->json, "Print one JSON object per job");
            return [&connection, arguments] { return Renew(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
