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

std::string TaskName(const Plan& plan, const PlannedTask& task) {
  return TaskText(plan.RoleOf(task).name, task.id.index);
}

jobspec::EnvVars ShownEnvironment(const Plan& plan, const PlannedTask& task) {
  jobspec::EnvVars environment = client::EnvironmentOf(plan, task);
  client::HideSecrets(environment);
  return environment;
}

jobspec::JobSpec ShownSpec(const Plan& plan) {
  jobspec::JobSpec spec = plan.spec;
  client::HideSecrets(spec);
  return spec;
}

std::string Text(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

std::string TaskJson(const Plan& plan, const PlannedTask& task) {
  const jobspec::RoleSpec& role = plan.RoleOf(task);
  Json environment = Json::object();
  for (const auto& [name, value] : ShownEnvironment(plan, task)) environment[name] = value;
  return Text({{"role", role.name},
               {"index", task.id.index},
               {"memory_bytes", role.memory_bytes},
               {"vcores", role.vcores},
               {"gpus", role.gpus},
               {"processes", role.processes},
               {"ranks", task.ranks},
               {"environment", std::move(environment)}},
              -1);
}

}  // namespace

std::string PlanText(const Plan& plan) {
  std::string text = "# the effective job\n" + jobspec::DescribeEffective(ShownSpec(plan)) + "\n# tasks\n";
  std::vector<Row> rows = {{"TASK", "MEMORY", "VCORES", "GPUS", "PROCESSES", "RANKS"}};
  for (const PlannedTask& task : plan.tasks) {
    const jobspec::RoleSpec& role = plan.RoleOf(task);
    rows.push_back({TaskName(plan, task), FormatBytes(role.memory_bytes), std::to_string(role.vcores),
                    std::to_string(role.gpus), std::to_string(role.processes), Numbers(task.ranks)});
  }
  text += FormatTable(rows);
  for (const PlannedTask& task : plan.tasks) {
    if (task.id.index != 0) continue;  // other tasks differ only in their index and ranks; --json lists all
    text += "\n# environment of " + TaskName(plan, task) +
            " (hosts, ports, paths and the job's id are examples; inherited variables such as HOME are "
            "left out)\n";
    for (const auto& [name, value] : ShownEnvironment(plan, task)) text += name + "=" + Shown(value) + "\n";
  }
  text += plan.uploads.empty() ? "\n# nothing is uploaded\n" : "\n# uploads\n";
  rows.clear();
  for (const Upload& upload : plan.uploads) {
    rows.push_back({upload.what, upload.from, "-> " + upload.to, upload.bytes ? FormatBytes(*upload.bytes) : ""});
  }
  return text + FormatTable(rows);
}

void WritePlanJson(const Plan& plan, const std::function<void(std::string_view text)>& write) {
  Json head = {{"problems", Json::array()}, {"refusals", plan.refusals}, {"ignored", plan.ignored}};
  head["job"] = Json::parse(jobspec::WriteEffective(ShownSpec(plan)), nullptr, /*allow_exceptions=*/false);
  const std::string first = Text(head, 1);
  write(first.substr(0, first.rfind("\n}")) + ",\n \"tasks\": [");
  for (const PlannedTask& task : plan.tasks) {
    write((&task == &plan.tasks.front() ? "\n  " : ",\n  ") + TaskJson(plan, task));
  }
  Json uploads = Json::array();
  for (const Upload& upload : plan.uploads) {
    uploads.push_back({{"what", upload.what},
                       {"from", upload.from},
                       {"to", upload.to},
                       {"bytes", upload.bytes ? Json(*upload.bytes) : Json(nullptr)}});
  }
  write("\n ],\n \"uploads\": " + Text(uploads, 1) + "\n}\n");
}

}  // namespace howdah::cli::output
