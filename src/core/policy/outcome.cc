#include "howdah/core/policy/outcome.h"

namespace howdah::core::policy {

JobOutcome Judge(const std::vector<RoleResult>& roles) {
  int tolerated = 0, tolerated_failed = 0;
  bool workers_done = true;
  for (const RoleResult& role : roles) {
    if (role.decided) return JobOutcome::kSucceeded;
    if (role.chief && role.succeeded > 0 && role.succeeded == role.tasks) return JobOutcome::kSucceeded;
    if (role.kind == jobspec::RoleKind::kWorker && role.done < role.tasks) workers_done = false;
    if (role.kind == jobspec::RoleKind::kSidecar || role.on_failure != jobspec::OnFailure::kTolerate) continue;
    tolerated += role.tasks;
    tolerated_failed += role.failed;
  }
  if (tolerated > 0 && tolerated_failed == tolerated) return JobOutcome::kAllToleratedFailed;
  return workers_done ? JobOutcome::kSucceeded : JobOutcome::kUndecided;
}

}  // namespace howdah::core::policy
