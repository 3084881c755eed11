#include "howdah/cli/output/plan_view.h"

#include <nlohmann/json.hpp>

#include "howdah/base/bytes.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/cli/output/text_table.h"
#include "howdah/client/secrets.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::cli::output {
namespace {

using client::Plan;
using client::PlannedTask;
using client::Upload;
using Json = nlohmann::ordered_json;

std::string Numbers(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

const jobspec::RoleSpec& RoleOf(const Plan& plan, const PlannedTask& task) {
  size_t at = 0;
  while (plan.spec.roles[at].name != task.role) ++at;
  return plan.spec.roles[at];
}

// Returns the plan with hidden secrets, so that it may be shown.
Plan WithoutSecrets(Plan plan) {
  client::HideSecrets(plan.spec);
  for (PlannedTask& task : plan.tasks) client::HideSecrets(task.environment);
  return plan;
}

}  // namespace

std::string PlanText(const Plan& whole) {
  const Plan plan = WithoutSecrets(whole);
  std::string text = "# the effective job\n" + jobspec::DescribeEffective(plan.spec) + "\n# tasks\n";
  std::vector<Row> rows = {{"TASK", "MEMORY", "VCORES", "GPUS", "PROCESSES", "RANKS"}};
  for (const PlannedTask& task : plan.tasks) {
    const jobspec::RoleSpec& role = RoleOf(plan, task);
    rows.push_back({TaskText(task.role, task.index), FormatBytes(role.memory_bytes), std::to_string(role.vcores),
                    std::to_string(role.gpus), std::to_string(role.processes), Numbers(task.ranks)});
  }
  text += FormatTable(rows);
  for (const PlannedTask& task : plan.tasks) {
    if (task.index != 0) continue;  // other tasks differ only in their index and ranks; --json lists all
    text += "\n# environment of " + task.role +
            ":0 (hosts, ports, paths and the job's id are examples; inherited variables such as HOME are "
            "left out)\n";
    for (const auto& [name, value] : task.environment) text += name + "=" + Shown(value) + "\n";
  }
  text += plan.uploads.empty() ? "\n# nothing is uploaded\n" : "\n# uploads\n";
  rows.clear();
  for (const Upload& upload : plan.uploads) {
    rows.push_back({upload.what, upload.from, "-> " + upload.to, upload.bytes ? FormatBytes(*upload.bytes) : ""});
  }
  return text + FormatTable(rows);
}

std::string PlanJson(const Plan& whole) {
  const Plan plan = WithoutSecrets(whole);
  Json json;
  json["problems"] = Json::array();
  json["refusals"] = plan.refusals;
  json["ignored"] = plan.ignored;
  json["job"] = Json::parse(jobspec::WriteEffective(plan.spec), nullptr, /*allow_exceptions=*/false);
  json["tasks"] = Json::array();
  for (const PlannedTask& task : plan.tasks) {
    const jobspec::RoleSpec& role = RoleOf(plan, task);
    Json environment = Json::object();
    for (const auto& [name, value] : task.environment) environment[name] = value;
    json["tasks"].push_back({{"role", task.role},
                             {"index", task.index},
                             {"memory_bytes", role.memory_bytes},
                             {"vcores", role.vcores},
                             {"gpus", role.gpus},
                             {"processes", role.processes},
                             {"ranks", task.ranks},
                             {"environment", std::move(environment)}});
  }
  json["uploads"] = Json::array();
  for (const Upload& upload : plan.uploads) {
    json["uploads"].push_back({{"what", upload.what},
                               {"from", upload.from},
                               {"to", upload.to},
                               {"bytes", upload.bytes ? Json(*upload.bytes) : Json(nullptr)}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace howdah::cli::output
