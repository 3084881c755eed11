#include "translated_job.h"

#include "admission.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/submitter.h"

namespace howdah::cli::commands {
namespace {

using compat::common::Note;

// Prints the keys that have no effect: one line per key with the reason, or all keys on one line.
void PrintNotes(const std::vector<Note>& notes, const TranslatedRun& options) {
  std::string names;
  for (const Note& note : notes) {
    if (options.plan) output::PrintNote(note.ToText());
    names += (names.empty() ? "" : ", ") + note.key;
  }
  if (names.empty() || options.plan) return;
  output::PrintNote("keys without effect: " + names + "; `" + options.plan_flag + "` shows the reasons");
}

void PrintJobFile(const jobspec::JobSpec& job, const std::vector<Note>& notes) {
  std::string text;
  for (const Note& note : notes) text += "# " + note.ToText() + "\n";
  output::Print(text + jobspec::DescribeEffective(job));
}

}  // namespace

std::string ChosenBackend(const client::Connection& connection, const std::string& flag, const std::string& otherwise) {
  if (!flag.empty()) return flag;
  if (!connection.on().empty()) return connection.on();
  const auto on = client::Variable("HOWDAH_ON");
  return on && !on->empty() ? *on : otherwise;
}

Result<std::optional<int>> ShowTranslated(client::Connection& connection, const client::TranslatedJob& job,
                                          const TranslatedRun& options) {
  if (!job.job.problems.empty()) {
    PrintProblems(job.job.problems);
    return std::optional<int>(client::kExitUsage);
  }
  if (options.print_job) {
    PrintJobFile(job.job.spec, job.notes);
    return std::optional<int>(client::kExitOk);
  }
  PrintNotes(job.notes, options);
  if (!options.plan) return std::optional<int>();
  HOWDAH_TRY(const int code, ShowPlan(connection, job.job, options.run.json));
  return std::optional<int>(code);
}

Result<int> RunTranslated(client::Connection& connection, client::TranslatedJob job, const TranslatedRun& options) {
  HOWDAH_TRY(const std::optional<int> shown, ShowTranslated(connection, job, options));
  if (shown) return *shown;
  HOWDAH_TRY(const auto admitted, Admit(connection, std::move(job.job)));
  if (const int* code = std::get_if<int>(&admitted)) return *code;
  return RunJob(connection, std::get<jobspec::JobSpec>(admitted), options.run);
}

}  // namespace howdah::cli::commands
