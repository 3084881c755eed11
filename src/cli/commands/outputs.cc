#include <memory>

#include "fetch_outputs.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"

namespace howdah::cli::commands {
namespace {

struct OutputsArguments {
  std::string id, directory = "outputs";
};

Result<int> Outputs(client::Connection& connection, const OutputsArguments& arguments) {
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
  HOWDAH_TRY(const bool any, FetchOutputs(*job.cluster, job.id, arguments.directory));
  if (!any) {
    const auto status = job.cluster->Status(job.id);
    if (!status.ok()) return status.error();  // for example because no job has this id
    output::PrintMessage(job.id.text +
                         " has kept no files: its job file has no key `outputs`, or no file in a working directory "
                         "matched");
  }
  return client::kExitOk;
}

}  // namespace

args::Command OutputsCommand(client::Connection& connection) {
  return {"outputs", "Copy the files that a job has kept (key `outputs`) to this machine",
          "  howdah outputs last\n  howdah outputs last results/", [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<OutputsArguments>();
            syntax.Id(arguments->id);
            syntax.Positional("directory", "DIR", arguments->directory, args::Presence::kOptional,
                              "Where to put DIR/ROLE-INDEX/...; default: outputs");
            return [&connection, arguments] { return Outputs(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
