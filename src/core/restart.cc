#include "restart.h"

#include <algorithm>

namespace howdah::core {
namespace {

constexpr Duration kBackoffMost = std::chrono::minutes(1);

}  // namespace

bool Counts(jobspec::RoleKind kind, jobspec::OnFailure on_failure, bool first) {
  if (kind == jobspec::RoleKind::kSidecar) return false;
  return on_failure == jobspec::OnFailure::kFail || (on_failure == jobspec::OnFailure::kIgnoreOthers && first);
}

Remedy Decide(const FailureFacts& facts) {
  const bool counts = Counts(facts.kind, facts.on_failure, facts.first);
  if (facts.final) return counts ? Remedy::kFailJob : Remedy::kAccept;
  if (facts.ranked) {
    // The first cause may be another ranked task whose message is still under way, and who failed first pays.
    if (facts.budget > 0 || facts.excused || (counts && (facts.ranked_budget || facts.doubtful))) {
      return Remedy::kTogether;
    }
  } else if (facts.budget > 0 || facts.excused) {
    return Remedy::kAlone;
  }
  if (!counts) return Remedy::kAccept;
  return facts.job_budget > 0 ? Remedy::kWholeJob : Remedy::kFailJob;
}

std::optional<jobspec::RestartRule::Then> Says(const jobspec::RestartLimit& restart, const Diagnosis& diagnosis,
                                               bool may_excuse) {
  const auto rule = static_cast<size_t>(diagnosis.rule.value_or(-1));
  if (rule < restart.rules.size()) return restart.rules[rule].then;
  if (diagnosis.node_fault && restart.excuse && may_excuse) return jobspec::RestartRule::Then::kElsewhere;
  return std::nullopt;
}

bool CameFirst(const Failure& a, const Failure& b) {
  const bool a_is_final = a.then == jobspec::RestartRule::Then::kFail,
             b_is = b.then == jobspec::RestartRule::Then::kFail;
  if (a_is_final != b_is) return a_is_final;
  if (a.diagnosis.consequence != b.diagnosis.consequence) return b.diagnosis.consequence;
  return a.at < b.at;
}

Duration Backoff(Duration first, int nth) {
  const Duration most = std::max(first, kBackoffMost);
  Duration pause = first;
  for (int i = 1; i < nth && pause < most && pause > Duration::zero(); ++i) pause = std::min(pause * 2, most);
  return pause;
}

}  // namespace howdah::core
