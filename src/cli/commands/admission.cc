#include "admission.h"

#include <utility>

#include "howdah/cli/output/staging_bar.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/directory_note.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/source_note.h"
#include "howdah/client/submitter.h"

namespace howdah::cli::commands {

Result<std::variant<jobspec::JobSpec, int>> AdmittedJob(client::Connection& connection,
                                                        const client::JobRequest& request) {
  HOWDAH_TRY(auto job, client::ReadJob(request));
  return Admit(connection, std::move(job));
}

Result<std::variant<jobspec::JobSpec, int>> Admit(client::Connection& connection, jobspec::ParsedJob job) {
  if (!job.problems.empty()) {
    PrintProblems(job.problems);
    return std::variant<jobspec::JobSpec, int>(client::kExitUsage);
  }
  connection.UseKeytab(job.spec);
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  const auto refusals = cluster->Check(job.spec).refusals;
  for (const std::string& refusal : refusals) output::PrintNote(refusal);
  if (!refusals.empty()) return std::variant<jobspec::JobSpec, int>(client::kExitUnavailable);
  PrintProblems(job.hints);
  return std::variant<jobspec::JobSpec, int>(std::move(job.spec));
}

void PrintProblems(const std::vector<keyfile::Problem>& problems) {
  for (const keyfile::Problem& problem : problems)
    output::PrintMessage(problem.ToText() + (problem.excerpt.empty() ? "" : "\n" + problem.excerpt));
}

Result<JobId> Submit(backend::Cluster& cluster, const jobspec::JobSpec& spec, bool keep,
                     std::function<void()> before_start) {
  for (const std::string& note : client::SourceNotesOf(spec)) output::PrintNote(note);
  for (const std::string& note : client::UnwritableDirectories(spec)) output::PrintNote(note);
  output::StagingBar bar;
  const auto on_staged = [&](int64_t done, int64_t total) { bar.Show(done, total); };
  auto id = cluster.Submit(
      spec,
      {.keep = keep, .user = client::UserName(), .on_staged = on_staged, .before_start = std::move(before_start)});
  bar.Finish(id.ok());
  return id;
}

}  // namespace howdah::cli::commands
