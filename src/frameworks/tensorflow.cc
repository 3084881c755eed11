// TensorFlow: TF_CONFIG, and TonY's CLUSTER_SPEC. One process a task: the cluster names one address for each.
#include "parts.h"

namespace howdah::frameworks {

bool TrainsWithParameterServers(const spec::JobSpec& spec) {
  // TensorFlow itself knows parameter servers by this name alone.
  for (const spec::RoleSpec& role : spec.roles) {
    if (role.name == "ps") return true;
  }
  return false;
}

void AddTensorflow(const Process& process, spec::EnvVars& env) {
  if (process.place.local_rank != 0) return;
  std::vector<bool> members;
  for (const spec::RoleSpec& role : process.spec.roles) {
    members.push_back(role.kind != spec::RoleKind::kSidecar || &role == &process.role());
  }
  const std::string cluster = ClusterMap(process, members);
  // Role names are letters, digits, _ and -: nothing to escape.
  Set(env, "TF_CONFIG",
      "{\"cluster\":" + cluster + ",\"task\":{\"type\":\"" + process.role().name +
          "\",\"index\":" + std::to_string(process.place.task.index) + "}}");
  Set(env, "CLUSTER_SPEC", cluster);
}

}  // namespace howdah::frameworks
