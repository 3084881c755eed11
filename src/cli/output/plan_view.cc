#include "plan_view.h"

#include <nlohmann/json.hpp>

#include "howdah/base/bytes.h"
#include "howdah/base/ids.h"
#include "howdah/core/exports.h"
#include "howdah/core/ranks.h"
#include "howdah/frameworks/framework.h"
#include "howdah/jobspec/job_file.h"
#include "text_table.h"

namespace howdah::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint16_t kFirstExamplePort = 40000;
constexpr int kExamplePorts = 20000;
const HostPort kExampleRendezvous{"host-of-the-application-master", 39999};
constexpr char kExampleId[] = "howdah-YYYYMMDD-hhmmss-xxxx";

core::PeerGroup ExampleCluster(const jobspec::JobSpec& spec) {
  core::PeerGroup cluster;
  int number = 0;
  for (const jobspec::RoleSpec& role : spec.roles) {
    std::vector<HostPort> endpoints;
    for (int index = 0; index < role.instances.min; ++index, ++number) {
      endpoints.push_back({"host-of-" + role.name + "-" + std::to_string(index),
                           static_cast<uint16_t>(kFirstExamplePort + number % kExamplePorts)});
    }
    cluster.push_back(std::move(endpoints));
  }
  return cluster;
}

// Later ones override earlier ones, in the place of the first.
void Override(jobspec::EnvVars& environment, const jobspec::EnvVars& with) {
  for (const auto& [name, value] : with) {
    bool found = false;
    for (auto& [known, old] : environment) {
      if (known != name) continue;
      old = value;
      found = true;
    }
    if (!found) environment.emplace_back(name, value);
  }
}

std::string Numbers(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

// What each role would hand on is known only when it has run.
core::Exports ExampleExports(const jobspec::JobSpec& spec) {
  core::Exports exports;
  for (const jobspec::RoleSpec& role : spec.roles) {
    auto& variables = exports.emplace_back();
    for (const auto& [name, text] : role.exports) {
      variables.emplace_back(name, "(what " + role.name + ":0 prints behind '" + text + "')");
    }
  }
  return exports;
}

void AddTasks(Plan& plan) {
  const jobspec::JobSpec& spec = plan.spec;
  const core::PeerGroup cluster = ExampleCluster(spec);
  const core::Exports exports = ExampleExports(spec);
  std::vector<int> sizes;
  for (const jobspec::RoleSpec& role : spec.roles) sizes.push_back(role.instances.min);
  for (int role = 0; role < static_cast<int>(spec.roles.size()); ++role) {
    const jobspec::RoleSpec& of_role = spec.roles[static_cast<size_t>(role)];
    for (int index = 0; index < of_role.instances.min; ++index) {
      PlannedTask task{of_role.name, index, core::RanksOf(spec, sizes, {role, index}), {}};
      frameworks::ProcessPlace place;
      place.job_id = kExampleId;
      place.task = {role, index};
      place.error_file = "error.json";
      if (frameworks::RendezvousOf(spec) != frameworks::Rendezvous::kNone) place.rendezvous = kExampleRendezvous;
      if (frameworks::NeedsTensorboardPort(spec, place.task)) place.tensorboard_port = kFirstExamplePort - 1;
      task.environment = frameworks::Environment(spec, cluster, place);
      Override(task.environment, spec.env);
      Override(task.environment, core::ExportsFor(spec, exports, role));
      Override(task.environment, of_role.env);
      plan.tasks.push_back(std::move(task));
    }
  }
}

const jobspec::RoleSpec& RoleOf(const Plan& plan, const PlannedTask& task) {
  size_t at = 0;
  while (plan.spec.roles[at].name != task.role) ++at;
  return plan.spec.roles[at];
}

}  // namespace

Plan MakePlan(const jobspec::JobSpec& spec, const std::function<std::optional<int64_t>(const std::string&)>& size_of) {
  Plan plan;
  plan.spec = spec;
  AddTasks(plan);
  if (!spec.source.empty()) plan.uploads.push_back({"source", spec.source, ".", size_of(spec.source)});
  for (const auto& [file, role] : jobspec::AllFiles(spec)) {
    plan.uploads.push_back({role.empty() ? "file" : "file of " + role, file.from, file.to, size_of(file.from)});
  }
  if (!spec.python_archive.empty()) {
    plan.uploads.push_back({"python", spec.python_archive, "(PATH)", size_of(spec.python_archive)});
  }
  return plan;
}

std::string PlanText(const Plan& plan) {
  std::string text = "# the effective job\n" + jobspec::DescribeEffective(plan.spec) + "\n# tasks\n";
  std::vector<std::vector<std::string>> rows = {{"TASK", "MEMORY", "VCORES", "GPUS", "PROCESSES", "RANKS"}};
  for (const PlannedTask& task : plan.tasks) {
    const jobspec::RoleSpec& role = RoleOf(plan, task);
    rows.push_back({TaskText(task.role, task.index), FormatBytes(role.memory_bytes), std::to_string(role.vcores),
                    std::to_string(role.gpus), std::to_string(role.processes), Numbers(task.ranks)});
  }
  text += FormatTable(rows);
  for (const PlannedTask& task : plan.tasks) {
    if (task.index != 0) continue;  // the others of the role differ in their numbers alone; --json has them all
    text += "\n# environment of " + task.role + ":0 (hosts, ports and the job's id are examples)\n";
    for (const auto& [name, value] : task.environment) text += name + "=" + OneLine(value) + "\n";
  }
  text += plan.uploads.empty() ? "\n# nothing is uploaded\n" : "\n# uploads\n";
  rows.clear();
  for (const Upload& upload : plan.uploads) {
    rows.push_back({upload.what, upload.from, "-> " + upload.to, upload.bytes ? FormatBytes(*upload.bytes) : ""});
  }
  return text + FormatTable(rows);
}

std::string PlanJson(const Plan& plan) {
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

}  // namespace howdah::cli
