#include <nlohmann/json.hpp>

#include "commands.h"
#include "howdah/os/files/files.h"
#include "job_request.h"
#include "run_job.h"
#include "terminal.h"
#include "plan_view.h"

namespace howdah::cli {
namespace {

std::string ProblemsJson(const std::vector<jobspec::Problem>& problems) {
  nlohmann::ordered_json json;
  json["problems"] = nlohmann::ordered_json::array();
  for (const jobspec::Problem& problem : problems) {
    json["problems"].push_back(
        {{"file", problem.file}, {"line", problem.line}, {"key", problem.key}, {"text", problem.text}});
  }
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

int PlanCommand(Shell& shell, const Arguments& arguments) {
  const auto job = ReadJob(arguments.job);
  if (!job.ok()) return Report(job.error());
  return ShowPlan(shell, *job, arguments.json);
}

int ShowPlan(Shell& shell, const jobspec::ParsedJob& job, bool json) {
  if (!job.problems.empty()) {
    TellProblems(job.problems);
    if (json) Print(ProblemsJson(job.problems));
    return kExitUsage;
  }
  const auto place = shell.Place();
  if (!place.ok()) return Report(place.error());
  Plan plan = MakePlan(job.spec, os::files::TreeSize);
  plan.refusals = (*place)->Refusals(job.spec);
  plan.ignored = (*place)->Ignored(job.spec);
  Print(json ? PlanJson(plan) : PlanText(plan));
  for (const std::string& ignored : plan.ignored) Say("howdah: " + ignored);
  for (const std::string& refusal : plan.refusals) Say("howdah: " + refusal);
  return plan.refusals.empty() ? kExitOk : kExitPlace;
}

}  // namespace howdah::cli
