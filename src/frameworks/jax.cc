// JAX: the coordinator is served by process 0. JAX takes its address from JAX_COORDINATOR_ADDRESS, but the process
// count and index only from a cluster that it knows by its variables. Of those it asks for Open MPI's first, so that
// they also win where a job was started from within Slurm; and it takes them from the environment alone.
#include <algorithm>

#include "parts.h"

namespace howdah::frameworks {
namespace {

// Seeing Open MPI, JAX gives each process the one device that has its local rank's number: wrong where a process has
// several. This shares the task's devices out evenly instead, in order.
std::string LocalDevices(const jobspec::RoleSpec& role, int local_rank) {
  const int first = local_rank * role.gpus / role.processes;
  const int end = std::max(first + 1, (local_rank + 1) * role.gpus / role.processes);
  std::string ids;
  for (int id = first; id < end; ++id) ids += (ids.empty() ? "" : ",") + std::to_string(id);
  return ids;
}

}  // namespace

void AddJax(const Process& process, jobspec::EnvVars& env) {
  const jobspec::RoleSpec& role = process.role();
  if (role.kind != jobspec::RoleKind::kWorker) return;
  const World world = WorldOf(process);
  const std::string coordinator = Address(world.first);
  const bool ipv6 = coordinator.starts_with('[');
  Set(env, "JAX_COORDINATOR_ADDRESS", coordinator);
  if (role.gpus > 0) Set(env, "JAX_LOCAL_DEVICE_IDS", LocalDevices(role, process.place.local_rank));
  Set(env, "OMPI_MCA_orte_hnp_uri",
      (ipv6 ? "0.0;tcp6://" : "0.0;tcp://") + coordinator);  // its presence is what counts
  Set(env, "OMPI_COMM_WORLD_SIZE", world.size);
  Set(env, "OMPI_COMM_WORLD_RANK", world.rank);
  Set(env, "OMPI_COMM_WORLD_LOCAL_SIZE", role.processes);
  Set(env, "OMPI_COMM_WORLD_LOCAL_RANK", process.place.local_rank);
}

}  // namespace howdah::frameworks
