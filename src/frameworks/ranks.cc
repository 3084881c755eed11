#include "parts.h"

namespace howdah::frameworks {

std::vector<int> RankedRoles(const jobspec::JobSpec& spec) {
  std::vector<int> chiefs, others;
  for (size_t i = 0; i < spec.roles.size(); ++i) {
    if (spec.roles[i].kind != jobspec::RoleKind::kWorker) continue;
    (spec.roles[i].chief ? chiefs : others).push_back(static_cast<int>(i));
  }
  chiefs.insert(chiefs.end(), others.begin(), others.end());
  return chiefs;
}

int WorldSize(const jobspec::JobSpec& spec, const core::PeerGroup& cluster) {
  int size = 0;
  for (const int r : RankedRoles(spec)) {
    const auto role = static_cast<size_t>(r);
    size += static_cast<int>(cluster[role].size()) * spec.roles[role].processes;
  }
  return size;
}

World WorldOf(const Process& process) {
  const TaskId task = process.place.task;
  World world;
  for (const int r : RankedRoles(process.spec)) {
    const auto role = static_cast<size_t>(r);
    const int processes = process.spec.roles[role].processes;
    const int size = static_cast<int>(process.cluster[role].size());
    if (world.size == 0 && size > 0) world.first = process.cluster[role].front();
    if (r == task.role) {
      world.role_rank = task.index * processes + process.place.local_rank;
      world.role_size = size * processes;
      world.rank = world.size + world.role_rank;
      world.group_rank = world.group_size + task.index;
    }
    world.size += size * processes;
    world.group_size += size;
  }
  return world;
}

}  // namespace howdah::frameworks
