#include "howdah/client/plan.h"

#include "howdah/core/exports.h"
#include "howdah/core/ranks.h"
#include "howdah/frameworks/framework.h"

namespace howdah::client {
namespace {

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

// Sets variables. A variable that already exists keeps its position.
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

// Returns the variables that come before those of the framework, see MakeEnvironment of the executor. Their values are
// known only on the machine that runs the task.
jobspec::EnvVars ExampleOfMachine(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role) {
  const bool packed = !spec.python_archive.empty();
  jobspec::EnvVars variables = {{"PATH", packed ? "(python archive)/bin:(inherited)" : "(inherited)"}};
  if (packed) variables.emplace_back("VIRTUAL_ENV", "(python archive)");
  variables.emplace_back("HOWDAH_AGENT", "/opt/howdah/bin/howdah-agent");
  variables.emplace_back("HOWDAH_AM", "host-of-the-application-master:39998");
  variables.emplace_back("HOWDAH_TLS", "(place of the certificates)");
  if (role.gpus > 0) variables.emplace_back("CUDA_VISIBLE_DEVICES", "(the GPUs of the task)");
  variables.emplace_back("HOWDAH_PROGRESS", "(directory of the task)/0-0");
  variables.emplace_back("HOWDAH_RESULT", "(directory of the task)/0-0.result");
  return variables;
}

// Uses example values, because the values are known only after the roles have run.
core::Exports ExampleExports(const jobspec::JobSpec& spec) {
  core::Exports exports;
  for (const jobspec::RoleSpec& role : spec.roles) {
    auto& variables = exports.emplace_back();
    for (const auto& [name, text] : role.exports) {
      variables.emplace_back(name, "(the text that " + role.name + ":0 prints after '" + text + "')");
    }
  }
  return exports;
}

void AddTasks(Plan& plan) {
  std::vector<int> sizes;
  for (const jobspec::RoleSpec& role : plan.spec.roles) sizes.push_back(role.instances.min);
  for (int role = 0; role < static_cast<int>(sizes.size()); ++role) {
    for (int index = 0; index < sizes[static_cast<size_t>(role)]; ++index) {
      plan.tasks.push_back({{role, index}, core::RanksOf(plan.spec, sizes, {role, index})});
    }
  }
}

}  // namespace

Plan MakePlan(const jobspec::JobSpec& spec, const std::function<std::optional<int64_t>(const std::string&)>& size_of) {
  Plan plan;
  plan.spec = spec;
  plan.cluster = ExampleCluster(spec);
  plan.exports = ExampleExports(spec);
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

const jobspec::RoleSpec& Plan::RoleOf(const PlannedTask& task) const {
  return spec.roles[static_cast<size_t>(task.id.role)];
}

jobspec::EnvVars EnvironmentOf(const Plan& plan, const PlannedTask& task) {
  const jobspec::JobSpec& spec = plan.spec;
  const jobspec::RoleSpec& role = plan.RoleOf(task);
  frameworks::ProcessInfo process;
  process.job_id = kExampleId;
  process.task = task.id;
  process.error_file = "error.json";
  if (frameworks::RendezvousKindOf(spec) != frameworks::RendezvousKind::kNone) process.rendezvous = kExampleRendezvous;
  if (frameworks::NeedsTensorboardPort(spec, process.task)) process.tensorboard_port = kFirstExamplePort - 1;
  jobspec::EnvVars environment = ExampleOfMachine(spec, role);
  Override(environment, frameworks::Environment(spec, plan.cluster, process));
  Override(environment, spec.env);
  Override(environment, core::ExportsFor(spec, plan.exports, task.id.role));
  Override(environment, role.env);
  return environment;
}

}  // namespace howdah::client
