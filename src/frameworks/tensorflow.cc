// TensorFlow: TF_CONFIG, and TonY's CLUSTER_SPEC. A task is one process: the cluster has one address for it.
#include "parts.h"

namespace howdah::frameworks {

bool TrainsWithParameterServers(const jobspec::JobSpec& spec) {
  // TensorFlow itself knows parameter servers by this name alone.
  for (const jobspec::RoleSpec& role : spec.roles) {
    if (role.name == "ps") return true;
  }
  return false;
}

namespace {

// An evaluator is in nobody else's cluster, whether the job waits for it or not.
bool IsMember(const jobspec::RoleSpec& role) {
  return role.kind != jobspec::RoleKind::kSidecar && role.kind != jobspec::RoleKind::kSetup && role.name != "evaluator";
}

}  // namespace

void AddTensorflow(const Process& process, jobspec::EnvVars& env) {
  std::vector<bool> members;
  for (const jobspec::RoleSpec& role : process.spec.roles)
    members.push_back(IsMember(role) || &role == &process.role());
  const std::string cluster = ClusterMap(process, members);
  // Role names are letters, digits, _ and -: nothing to escape.
  Set(env, "TF_CONFIG",
      "{\"cluster\":" + cluster + ",\"task\":{\"type\":\"" + process.role().name +
          "\",\"index\":" + std::to_string(process.place.task.index) + "}}");
  Set(env, "CLUSTER_SPEC", cluster);
}

}  // namespace howdah::frameworks
