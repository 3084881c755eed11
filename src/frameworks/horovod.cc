// Horovod with gloo: what horovodrun sets for a process, and TonY's CLUSTER_SPEC. The rendezvous is the AM's.
#include <map>

#include "parts.h"

namespace howdah::frameworks {
namespace {

// Where a process stands among those that share a machine, as horovodrun's get_host_assignments() counts: local within
// the machine, cross among the machines that have a process of the same local rank.
struct Slot {
  std::string machine;
  int local_rank = 0, local_size = 0;
  int cross_rank = 0, cross_size = 0;
};

// A local rank is what scripts choose their GPU by, and a task sees its own GPUs alone, numbered from 0. So tasks with
// GPUs count as a machine each.
std::string MachineOf(const Process& process, TaskId task) {
  const auto role = static_cast<size_t>(task.role);
  const std::string& host = process.cluster[role][static_cast<size_t>(task.index)].host;
  if (process.spec.roles[role].gpus == 0) return host;
  return host + "-" + process.spec.roles[role].name + "-" + std::to_string(task.index);
}

Slot SlotOf(const Process& process) {
  Slot slot;
  slot.machine = MachineOf(process, process.place.task);
  std::map<std::string, int> sizes;   // of machines, by name
  std::vector<std::string> in_order;  // machines, by their first rank
  for (const int role : RankedRoles(process.spec)) {
    const int tasks = static_cast<int>(process.cluster[static_cast<size_t>(role)].size());
    const int processes = process.spec.roles[static_cast<size_t>(role)].processes;
    for (int index = 0; index < tasks; ++index) {
      const std::string machine = MachineOf(process, {role, index});
      int& size = sizes[machine];
      if (size == 0) in_order.push_back(machine);
      if (TaskId{role, index} == process.place.task) slot.local_rank = size + process.place.local_rank;
      size += processes;
    }
  }
  slot.local_size = sizes[slot.machine];
  for (const std::string& machine : in_order) {
    if (machine == slot.machine) slot.cross_rank = slot.cross_size;
    if (sizes[machine] > slot.local_rank) ++slot.cross_size;
  }
  return slot;
}

}  // namespace

void AddHorovod(const Process& process, spec::EnvVars& env) {
  Set(env, "CLUSTER_SPEC", ClusterMap(process, std::vector<bool>(process.spec.roles.size(), true)));
  if (process.role().kind != spec::RoleKind::kWorker) return;
  const World world = WorldOf(process);
  const Slot slot = SlotOf(process);
  Set(env, "HOROVOD_CONTROLLER", "gloo");
  Set(env, "HOROVOD_CPU_OPERATIONS", "gloo");
  Set(env, "HOROVOD_GLOO_TIMEOUT_SECONDS", 2000);
  Set(env, "HOROVOD_GLOO_RENDEZVOUS_ADDR", process.place.rendezvous.host);
  Set(env, "HOROVOD_GLOO_RENDEZVOUS_PORT", process.place.rendezvous.port);
  // Else gloo listens where the machine's own name leads, which may be where no other machine reaches it.
  if (!process.place.interface.empty()) Set(env, "HOROVOD_GLOO_IFACE", process.place.interface);
  Set(env, "HOROVOD_RANK", world.rank);
  Set(env, "HOROVOD_SIZE", world.size);
  Set(env, "HOROVOD_LOCAL_RANK", slot.local_rank);
  Set(env, "HOROVOD_LOCAL_SIZE", slot.local_size);
  Set(env, "HOROVOD_CROSS_RANK", slot.cross_rank);
  Set(env, "HOROVOD_CROSS_SIZE", slot.cross_size);
  Set(env, "HOROVOD_HOSTNAME", slot.machine);
}

}  // namespace howdah::frameworks
