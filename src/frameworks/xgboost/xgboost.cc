#include "howdah/frameworks/xgboost/xgboost.h"

namespace howdah::frameworks::xgboost {

void AddVariables(const common::Process& process, jobspec::EnvVars& env) {
  using common::Set;
  if (process.role().kind != jobspec::RoleKind::kWorker) return;
  const common::RankInfo ranks = common::RankInfoOf(process);
  Set(env, "DMLC_TRACKER_URI", process.info.rendezvous.host);
  Set(env, "DMLC_TRACKER_PORT", process.info.rendezvous.port);
  Set(env, "DMLC_TASK_ID", ranks.rank);
  Set(env, "DMLC_NUM_WORKER", ranks.size);
}

}  // namespace howdah::frameworks::xgboost
