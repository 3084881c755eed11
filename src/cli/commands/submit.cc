#include <memory>

#include "admission.h"
#include "howdah/cli/args/job_flags.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"

namespace howdah::cli::commands {
namespace {

struct SubmitArguments {
  client::JobRequest job;
  bool keep = false;
};

Result<int> SubmitAndPrint(client::Connection& connection, const SubmitArguments& arguments) {
  HOWDAH_TRY(const auto job, AdmittedJob(connection, arguments.job));
  if (const int* code = std::get_if<int>(&job)) return *code;
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  HOWDAH_TRY(const JobId id, Submit(*cluster, std::get<jobspec::JobSpec>(job), arguments.keep));
  output::Print(id.text + "\n");
  return client::kExitOk;
}

}  // namespace

args::Command SubmitCommand(client::Connection& connection) {
  return {"submit", "Submit a job, print its id and return", "  id=$(howdah submit job.yaml)",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<SubmitArguments>();
            args::AddJobRequest(syntax, arguments->job);
            syntax.Flag("--keep", arguments->keep, "Keep the tasks' working directories after the job");
            return [&connection, arguments] { return SubmitAndPrint(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
