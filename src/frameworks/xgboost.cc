// XGBoost 2.1 and later: what its CommunicatorContext takes as arguments. It reads none of it from the environment, so
// the script passes it on. The tracker is the AM's; it gives each process the rank that is its task id.
#include "parts.h"

namespace howdah::frameworks {

void AddXgboost(const Process& process, jobspec::EnvVars& env) {
  if (process.role().kind != jobspec::RoleKind::kWorker) return;
  const World world = WorldOf(process);
  Set(env, "DMLC_TRACKER_URI", process.place.rendezvous.host);
  Set(env, "DMLC_TRACKER_PORT", process.place.rendezvous.port);
  Set(env, "DMLC_TASK_ID", world.rank);
  Set(env, "DMLC_NUM_WORKER", world.size);
}

}  // namespace howdah::frameworks
