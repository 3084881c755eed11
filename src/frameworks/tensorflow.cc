// TensorFlow: TF_CONFIG, and TonY's CLUSTER_SPEC. A task is one process with one address in the cluster.
#include "variables.h"

namespace howdah::frameworks {

bool TrainsWithParameterServers(const jobspec::JobSpec& spec) {
  // TensorFlow itself identifies parameter servers by this name.
  for (const jobspec::RoleSpec& role : spec.roles) {
    if (role.name == "ps") return true;
  }
  return false;
}

namespace {

// An evaluator is never part of the training cluster, whether or not the job waits for it.
bool IsMember(const jobspec::RoleSpec& role) {
  return role.kind != jobspec::RoleKind::kSidecar && role.kind != jobspec::RoleKind::kSetup && role.name != "evaluator";
}

}  // namespace

void AddTensorflow(const Process& process, jobspec::EnvVars& env) {
  std::vector<bool> members;
  for (const jobspec::RoleSpec& role : process.spec.roles)
    members.push_back(IsMember(role) || &role == &process.role());
  const std::string cluster = ClusterMap(process, members);
  // Nothing needs escaping, because role names consist of letters, digits, _ and -.
  Set(env, "TF_CONFIG",
      "{\"cluster\":" + cluster + ",\"task\":{\"type\":\"" + process.role().name +
          "\",\"index\":" + std::to_string(process.info.task.index) + "}}");
  Set(env, "CLUSTER_SPEC", cluster);
}

}  // namespace howdah::frameworks
