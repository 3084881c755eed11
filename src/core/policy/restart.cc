#include "howdah/core/policy/restart.h"

#include <algorithm>

namespace howdah::core::policy {
namespace {

constexpr Duration kLongestBackoff = std::chrono::minutes(1);

}  // namespace

bool FailsJob(jobspec::RoleKind kind, jobspec::OnFailure on_failure, bool first_index) {
  if (kind == jobspec::RoleKind::kSidecar) return false;
  return on_failure == jobspec::OnFailure::kFail || (on_failure == jobspec::OnFailure::kIgnoreOthers && first_index);
}

Remedy Decide(const FailureFacts& facts) {
  const bool fails_job = FailsJob(facts.kind, facts.on_failure, facts.first_index);
  if (facts.final) return fails_job ? Remedy::kFailJob : Remedy::kAccept;
  if (facts.ranked) {
    // The root cause may be another ranked task whose failure has not been reported yet. Only the task that failed
    // first is charged, so a task without a budget can restart with the others.
    const bool others_may_be_charged = fails_job && (facts.ranked_budget || facts.maybe_consequence);
    if (facts.budget > 0 || facts.not_charged || others_may_be_charged) return Remedy::kRestartRanked;
  } else if (facts.budget > 0 || facts.not_charged) {
    return Remedy::kRestartTask;
  }
  if (!fails_job) return Remedy::kAccept;
  return facts.job_budget > 0 ? Remedy::kRestartJob : Remedy::kFailJob;
}

std::optional<jobspec::RestartRule::Then> RuleFor(const jobspec::RestartLimit& restart, std::optional<int> rule,
                                                  bool node_fault, bool no_restart) {
  const auto index = static_cast<size_t>(rule.value_or(-1));
  if (index < restart.rules.size()) return restart.rules[index].then;
  if (no_restart) return jobspec::RestartRule::Then::kFail;
  if (node_fault && !restart.charge_infrastructure) return jobspec::RestartRule::Then::kElsewhere;
  return std::nullopt;
}

bool CameFirst(const FailureOrder& a, const FailureOrder& b) {
  if (a.final != b.final) return a.final;
  if (a.consequence != b.consequence) return b.consequence;
  return a.at < b.at;
}

Duration Backoff(Duration first, int nth) {
  const Duration longest = std::max(first, kLongestBackoff);
  Duration pause = first;
  for (int i = 1; i < nth && pause < longest && pause > Duration::zero(); ++i) pause = std::min(pause * 2, longest);
  return pause;
}

}  // namespace howdah::core::policy
