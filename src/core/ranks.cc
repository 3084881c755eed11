#include "howdah/core/ranks.h"

#include <numeric>

namespace howdah::core {

std::vector<int> RanksOf(const jobspec::JobSpec& spec, const std::vector<int>& sizes, TaskId task) {
  const jobspec::RoleSpec& own = spec.roles[static_cast<size_t>(task.role)];
  if (own.kind != jobspec::RoleKind::kWorker) return {};
  int first = task.index * own.processes;
  for (size_t r = 0; r < spec.roles.size(); ++r) {
    const jobspec::RoleSpec& role = spec.roles[r];
    if (role.kind != jobspec::RoleKind::kWorker || static_cast<int>(r) == task.role) continue;
    const bool before = role.chief != own.chief ? role.chief : static_cast<int>(r) < task.role;
    if (before) first += sizes[r] * role.processes;
  }
  std::vector<int> ranks(static_cast<size_t>(own.processes));
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

int FirstRankedRole(const jobspec::JobSpec& spec) {
  int first = -1;
  for (size_t r = 0; r < spec.roles.size(); ++r) {
    if (spec.roles[r].kind != jobspec::RoleKind::kWorker) continue;
    if (spec.roles[r].chief) return static_cast<int>(r);
    if (first < 0) first = static_cast<int>(r);
  }
  return first;
}

}  // namespace howdah::core
