// `howdah tony`: runs a job of TonY, translated into a job file.
#include <memory>

#include "admission.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/submitter.h"
#include "howdah/client/tony_job.h"
#include "howdah/compat/tony/config/keys.h"
#include "run_job.h"
#include "tony_notebook.h"

namespace howdah::cli::commands {
namespace {

namespace config = compat::tony::config;

// Prints the keys that have no effect: one line per key with the reason, or all keys on one line.
void PrintNotes(const std::vector<config::Note>& notes, bool with_reasons) {
  std::string names;
  for (const config::Note& note : notes) {
    if (with_reasons) output::PrintNote(note.ToText());
    names += (names.empty() ? "" : ", ") + note.key;
  }
  if (names.empty() || with_reasons) return;
  output::PrintNote("keys without effect: " + names + "; `howdah tony ... -plan` shows the reasons");
}

void PrintJobFile(const jobspec::JobSpec& job, const std::vector<config::Note>& notes) {
  std::string text;
  for (const config::Note& note : notes) text += "# " + note.ToText() + "\n";
  output::Print(text + jobspec::DescribeEffective(job));
}

std::string BackendFor(const client::Connection& connection, const config::Flags& flags) {
  if (!flags.on.empty()) return flags.on;
  if (!connection.on().empty()) return connection.on();
  if (const auto on = client::Variable("HOWDAH_ON"); on && !on->empty()) return *on;
  return flags.submitter == config::Submitter::kLocal ? "local" : "yarn";
}

Result<int> RunTonyJob(client::Connection& connection, jobspec::ParsedJob job, const config::Flags& flags) {
  HOWDAH_TRY(const auto admitted, Admit(connection, std::move(job)));
  if (const int* code = std::get_if<int>(&admitted)) return *code;
  RunOptions options{.keep = flags.keep, .json = flags.json, .on_status = nullptr};
  TonyNotebook notebook;
  if (flags.submitter == config::Submitter::kNotebook) {
    options.on_status = [&](backend::Cluster& cluster, const JobId& id, const journal::JobView& view) {
      return notebook.OnStatus(cluster, id, view);
    };
  }
  return RunJob(connection, std::get<jobspec::JobSpec>(admitted), options);
}

Result<int> Tony(client::Connection& connection, const std::vector<std::string>& words) {
  HOWDAH_TRY(const config::Flags flags, config::ParseFlags(words));
  if (flags.help || flags.keys) {
    output::Print(flags.help ? config::FlagsHelp() : config::KeysPage());
    return client::kExitOk;
  }
  const std::string on = BackendFor(connection, flags);
  connection.SetOn(on);
  HOWDAH_TRY(client::TonyJob tony, client::ReadTonyJob(connection, flags, on));
  if (!tony.job.problems.empty()) {
    PrintProblems(tony.job.problems);
    return client::kExitUsage;
  }
  if (flags.print_job) {
    PrintJobFile(tony.job.spec, tony.notes);
    return client::kExitOk;
  }
  PrintNotes(tony.notes, flags.plan);
  if (flags.plan) return ShowPlan(connection, tony.job, flags.json);
  return RunTonyJob(connection, std::move(tony.job), flags);
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
