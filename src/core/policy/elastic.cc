#include "howdah/core/policy/elastic.h"

#include <algorithm>

namespace howdah::core::policy {

bool ShouldGrow(const Candidates& candidates) {
  if (candidates.joinable == 0) return false;
  return candidates.settled || candidates.starting + candidates.pending == 0;
}

bool ShouldWait(const Candidates& candidates) { return candidates.starting > 0 && !candidates.settled; }

Duration ReplacementLimit(const jobspec::Instances& instances, const jobspec::Timeouts& timeouts, bool at_once) {
  if (!instances.elastic()) return timeouts.gang;
  return at_once ? Duration::zero() : std::min(timeouts.replacement, timeouts.gang);
}

bool CanShrink(const jobspec::Instances& instances, int members) { return members > instances.min; }

}  // namespace howdah::core::policy
