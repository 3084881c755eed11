// `howdah tony`: runs a job of TonY, translated into a job file.
#include <memory>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/tony_job.h"
#include "howdah/compat/tony/config/keys.h"
#include "tony_notebook.h"
#include "translated_job.h"

namespace howdah::cli::commands {
namespace {

namespace config = compat::tony::config;

Result<int> Tony(client::Connection& connection, const std::vector<std::string>& words) {
  HOWDAH_TRY(const config::Flags flags, config::ParseFlags(words));
  if (flags.help || flags.keys) {
    output::Print(flags.help ? config::FlagsHelp() : config::KeysPage());
    return client::kExitOk;
  }
  const std::string on =
      ChosenBackend(connection, flags.on, flags.submitter == config::Submitter::kLocal ? "local" : "yarn");
  connection.SetOn(on);
  HOWDAH_TRY(client::TranslatedJob job, client::ReadTonyJob(connection, flags, on));
  TranslatedRun options{.print_job = flags.print_job, .plan = flags.plan, .plan_flag = "howdah tony ... -plan"};
  options.run.keep = flags.keep;
  options.run.json = flags.json;
  TonyNotebook notebook;
  if (flags.submitter == config::Submitter::kNotebook) {
    options.run.on_status = [&](backend::Cluster& cluster, const JobId& id, const journal::JobView& view) {
      return notebook.OnStatus(cluster, id, view);
    };
  }
  return RunTranslated(connection, std::move(job), options);
}

}  // namespace

args::Command TonyCommand(client::Connection& connection) {
  return {"tony", "Run a job of LinkedIn's TonY with TonY's own flags and configuration",
          "  howdah tony ClusterSubmitter -src_dir src -executes 'python train.py' -conf tony.worker.instances=2",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto words = std::make_shared<std::vector<std::string>>();
            syntax.RawWords(*words);
            return [&connection, words] { return Tony(connection, *words); };
          }};
}

}  // namespace howdah::cli::commands
