// Horovod with gloo: what horovodrun sets for a process, and TonY's CLUSTER_SPEC. The rendezvous is the AM's.
#include <algorithm>
#include <map>

#include "howdah/frameworks/seat.h"
#include "parts.h"

namespace howdah::frameworks {
namespace {

// How long gloo waits for another process in a collective or connection. Of elastic ones some notice a death only by
// it, as those that have noticed keep their connections to them open until the next world; and it costs them little if
// nobody was dead. TonY's value otherwise: all have to come together within it.
constexpr int kElasticTimeoutSeconds = 10, kTimeoutSeconds = 2000;

// A local rank is what scripts choose their GPU by, and a task sees its own GPUs alone, numbered from 0. So tasks with
// GPUs count as a machine each; and those of elastic Horovod, so that none has another local rank in its next world.
std::string MachineOf(const Process& process, TaskId task) {
  const auto role = static_cast<size_t>(task.role);
  const std::string& host = process.cluster[role][static_cast<size_t>(task.index)].host;
  const std::string& name = process.spec.roles[role].name;
  if (IsElasticHorovod(process.spec)) return name + "-" + std::to_string(task.index);
  if (process.spec.roles[role].gpus == 0) return host;
  return host + "-" + name + "-" + std::to_string(task.index);
}

}  // namespace

bool IsElasticHorovod(const jobspec::JobSpec& spec) {
  return spec.framework == jobspec::Framework::kHorovod &&
         std::any_of(spec.roles.begin(), spec.roles.end(), [](const jobspec::RoleSpec& role) {
           return role.kind == jobspec::RoleKind::kWorker && role.instances.elastic();
         });
}

// As horovodrun's get_host_assignments() counts: local within the machine, cross among the machines that have a process
// of the same local rank.
frameworks::horovod::Seat SeatOf(const jobspec::JobSpec& spec, const core::PeerGroup& cluster,
                                 const ProcessPlace& place) {
  const Process process{spec, cluster, place};
  const World world = WorldOf(process);
  const std::string machine = MachineOf(process, place.task);
  frameworks::horovod::Seat seat{.host = machine, .rank = world.rank, .size = world.size};
  if (IsElasticHorovod(spec)) seat.host += "." + std::to_string(place.generation);
  std::map<std::string, int> sizes;   // of machines, by name
  std::vector<std::string> in_order;  // machines, by their first rank
  for (const int role : RankedRoles(spec)) {
    const int tasks = static_cast<int>(cluster[static_cast<size_t>(role)].size());
    const int processes = spec.roles[static_cast<size_t>(role)].processes;
    for (int index = 0; index < tasks; ++index) {
      const std::string other = MachineOf(process, {role, index});
      int& size = sizes[other];
      if (size == 0) in_order.push_back(other);
      if (TaskId{role, index} == place.task) seat.local_rank = size + place.local_rank;
      size += processes;
    }
  }
  seat.local_size = sizes[machine];
  for (const std::string& other : in_order) {
    if (other == machine) seat.cross_rank = seat.cross_size;
    if (sizes[other] > seat.local_rank) ++seat.cross_size;
  }
  return seat;
}

void AddHorovod(const Process& process, jobspec::EnvVars& env) {
  Set(env, "CLUSTER_SPEC", ClusterMap(process, std::vector<bool>(process.spec.roles.size(), true)));
  if (process.role().kind != jobspec::RoleKind::kWorker) return;
  const bool elastic = IsElasticHorovod(process.spec);
  const frameworks::horovod::Seat seat = SeatOf(process.spec, process.cluster, process.place);
  Set(env, "HOROVOD_CONTROLLER", "gloo");
  Set(env, "HOROVOD_CPU_OPERATIONS", "gloo");
  Set(env, "HOROVOD_GLOO_TIMEOUT_SECONDS", elastic ? kElasticTimeoutSeconds : kTimeoutSeconds);
  Set(env, "HOROVOD_GLOO_RENDEZVOUS_ADDR", process.place.rendezvous.host);
  Set(env, "HOROVOD_GLOO_RENDEZVOUS_PORT", process.place.rendezvous.port);
  // Else gloo listens where the machine's own name leads, which may be where no other machine reaches it.
  if (!process.place.interface.empty()) Set(env, "HOROVOD_GLOO_IFACE", process.place.interface);
  Set(env, "HOROVOD_RANK", seat.rank);
  Set(env, "HOROVOD_SIZE", seat.size);
  Set(env, "HOROVOD_LOCAL_RANK", seat.local_rank);
  Set(env, "HOROVOD_LOCAL_SIZE", seat.local_size);
  Set(env, "HOROVOD_CROSS_RANK", seat.cross_rank);
  Set(env, "HOROVOD_CROSS_SIZE", seat.cross_size);
  Set(env, "HOROVOD_HOSTNAME", seat.host);
  if (elastic) Set(env, "HOROVOD_ELASTIC", 1);
}

}  // namespace howdah::frameworks
