// `howdah skein`: submits an application of Skein, translated into a job file.
#include <memory>

#include "admission.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/skein_job.h"
#include "howdah/compat/skeinspec/arguments.h"
#include "howdah/compat/skeinspec/keys.h"
#include "translated_job.h"

namespace howdah::cli::commands {
namespace {

using compat::skeinspec::Arguments;

Result<int> SubmitSpecification(client::Connection& connection, const Arguments& arguments) {
  connection.SetOn(ChosenBackend(connection, arguments.on, "yarn"));
  HOWDAH_TRY(client::TranslatedJob job, client::ReadSkeinJob(arguments.file));
  TranslatedRun options{.print_job = arguments.print_job,
                        .plan = arguments.plan,
                        .plan_flag = "howdah skein application submit " + arguments.file + " --plan"};
  options.run.json = arguments.json;
  HOWDAH_TRY(const std::optional<int> shown, ShowTranslated(connection, job, options));
  if (shown) return *shown;
  HOWDAH_TRY(const auto admitted, Admit(connection, std::move(job.job)));
  if (const int* code = std::get_if<int>(&admitted)) return *code;
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  HOWDAH_TRY(const JobId id, Submit(*cluster, std::get<jobspec::JobSpec>(admitted), arguments.keep));
  output::Print(id.text + "\n");
  return client::kExitOk;
}

Result<int> Skein(client::Connection& connection, const std::vector<std::string>& words) {
  HOWDAH_TRY(const Arguments arguments, compat::skeinspec::ParseArguments(words));
  if (arguments.action == Arguments::Action::kSubmit) return SubmitSpecification(connection, arguments);
  const bool keys = arguments.action == Arguments::Action::kKeys;
  output::Print(keys ? compat::skeinspec::KeysText() : compat::skeinspec::ArgumentsHelp());
  return client::kExitOk;
}

}  // namespace

args::Command SkeinCommand(client::Connection& connection) {
  return {"skein", "Submit an application specification of Skein",
          "  howdah skein application submit spec.yaml\n  howdah skein application submit spec.yaml --print-job",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto words = std::make_shared<std::vector<std::string>>();
            syntax.RawWords(*words);
            return [&connection, words] { return Skein(connection, *words); };
          }};
}

}  // namespace howdah::cli::commands
