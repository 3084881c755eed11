#include <memory>

#include "fetch_outputs.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::cli::commands {
namespace {

struct OutputsArguments {
  std::string id, directory = "outputs";
};

Result<int> Outputs(client::Connection& connection, const OutputsArguments& arguments) {
  if (arguments.directory.empty()) {
    return Error{ErrorCode::kUsage, "outputs: the name of the directory is empty; write . for the current directory"};
  }
  HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
  HOWDAH_TRY(const journal::JobView view, job.cluster->Status(job.id));
  HOWDAH_TRY(const std::string job_file, job.cluster->JobFile(job.id));
  HOWDAH_TRY(const jobspec::JobSpec spec, jobspec::ReadEffective(job_file));
  if (!jobspec::KeepsOutputs(spec)) {
    output::PrintMessage(job.id.text + " keeps no outputs: its job file has neither `outputs` nor `keep_new_files`");
    return client::kExitOk;
  }
  HOWDAH_TRY(const int64_t files, FetchOutputs(*job.cluster, spec, view, arguments.directory));
  if (files == 0 && core::IsFinal(view.state)) output::PrintMessage(job.id.text + " has kept no files");
  return client::kExitOk;
}

}  // namespace

args::Command OutputsCommand(client::Connection& connection) {
  return {"outputs", "Copy the files that a job has kept to this machine",
          "  howdah outputs last\n  howdah outputs last results/", [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<OutputsArguments>();
            syntax.Id(arguments->id);
            syntax.Positional("directory", "DIR", arguments->directory, args::Presence::kOptional,
                              "Where to put DIR/ROLE-INDEX/...; default: outputs");
            return [&connection, arguments] { return Outputs(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
