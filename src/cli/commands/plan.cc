#include "howdah/client/plan.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "admission.h"
#include "howdah/cli/args/job_flags.h"
#include "howdah/cli/output/plan_view.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/directory_note.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/source_note.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/source_filter.h"
#include "run_job.h"

namespace howdah::cli::commands {
namespace {

std::string ProblemsJson(const std::vector<keyfile::Problem>& problems) {
  nlohmann::ordered_json json;
  json["problems"] = nlohmann::ordered_json::array();
  for (const keyfile::Problem& problem : problems) {
    json["problems"].push_back(
        {{"file", problem.file}, {"line", problem.line}, {"key", problem.key}, {"text", problem.text}});
  }
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

struct PlanArguments {
  client::JobRequest job;
  bool json = false;
};

Result<int> PlanJob(client::Connection& connection, const PlanArguments& arguments) {
  HOWDAH_TRY(const jobspec::ParsedJob job, client::ReadJob(arguments.job));
  return ShowPlan(connection, job, arguments.json);
}

}  // namespace

args::Command PlanCommand(client::Connection& connection) {
  return {"plan", "Check a job and show what would run, without submitting it",
          "  howdah plan job.yaml\n  howdah plan job.yaml --set roles.worker.memory=8GiB --json",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<PlanArguments>();
            args::AddJobRequest(syntax, arguments->job);
            syntax.Json(arguments->json, "Print the plan as one JSON object");
            return [&connection, arguments] { return PlanJob(connection, *arguments); };
          }};
}

Result<int> ShowPlan(client::Connection& connection, const jobspec::ParsedJob& job, bool json) {
  if (!job.problems.empty()) {
    PrintProblems(job.problems);
    if (json) output::Print(ProblemsJson(job.problems));
    return client::kExitUsage;
  }
  connection.UseKeytab(job.spec);
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  const auto size_of = [&](const std::string& path) -> std::optional<int64_t> {
    if (path != job.spec.source || job.spec.tony_env) return os::files::TreeSize(path);
    const auto survey = os::files::SurveySource(path);
    return survey.ok() ? survey->bytes : os::files::TreeSize(path);
  };
  client::Plan plan = client::MakePlan(job.spec, size_of);
  backend::Cluster::JobCheck check = cluster->Check(job.spec);
  plan.refusals = std::move(check.refusals);
  plan.ignored = std::move(check.ignored);
  if (json) {
    output::WritePlanJson(plan, [](std::string_view text) { output::Print(text); });
  } else {
    output::Print(output::PlanText(plan));
  }
  PrintProblems(job.hints);
  for (const std::string& note : client::SourceNotesOf(job.spec)) output::PrintNote(note);
  for (const std::string& note : client::UnwritableDirectories(job.spec)) output::PrintNote(note);
  if (plan.refusals.empty()) {
    for (const std::string& note : client::MissingDirectories(job.spec)) output::PrintNote(note);
  }
  for (const std::string& ignored : plan.ignored) output::PrintNote(ignored);
  for (const std::string& refusal : plan.refusals) output::PrintNote(refusal);
  return plan.refusals.empty() ? client::kExitOk : client::kExitUnavailable;
}

}  // namespace howdah::cli::commands
