#include "outcome.h"

namespace howdah::core {

Outcome Judge(const std::vector<RoleStanding>& roles) {
  int tolerated = 0, tolerated_failed = 0;
  bool workers_done = true;
  for (const RoleStanding& role : roles) {
    if (role.decided) return Outcome::kSucceeded;
    if (role.chief && role.succeeded > 0 && role.succeeded == role.tasks) return Outcome::kSucceeded;
    if (role.kind == jobspec::RoleKind::kWorker && role.done < role.tasks) workers_done = false;
    if (role.kind == jobspec::RoleKind::kSidecar || role.on_failure != jobspec::OnFailure::kTolerate) continue;
    tolerated += role.tasks;
    tolerated_failed += role.failed;
  }
  if (tolerated > 0 && tolerated_failed == tolerated) return Outcome::kAllToleratedFailed;
  return workers_done ? Outcome::kSucceeded : Outcome::kGoesOn;
}

}  // namespace howdah::core
