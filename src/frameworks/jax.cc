// JAX: process 0 serves the coordinator. JAX reads the coordinator's address from JAX_COORDINATOR_ADDRESS. It reads the
// number of processes and the process index only from the variables of a cluster system that it recognises. It checks
// for Open MPI first, so with Open MPI's variables a job works even if it was started from within Slurm. Programs that
// were written for a JAXJob of Kubeflow read the variables of its training operator, so they run unchanged, too.
#include <algorithm>

#include "variables.h"

namespace howdah::frameworks {
namespace {

// With Open MPI's variables, JAX gives each process only the device with the number of its local rank, even if there
// are more devices. This function divides all devices of the task evenly among its processes, in order.
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
  const RankInfo ranks = RankInfoOf(process);
  const std::string coordinator = Address(ranks.first);
  const bool ipv6 = coordinator.starts_with('[');
  Set(env, "JAX_COORDINATOR_ADDRESS", coordinator);
  if (role.gpus > 0) Set(env, "JAX_LOCAL_DEVICE_IDS", LocalDevices(role, process.info.local_rank));
  Set(env, "OMPI_MCA_orte_hnp_uri",
      (ipv6 ? "0.0;tcp6://" : "0.0;tcp://") + coordinator);  // JAX only checks whether this variable is set
  Set(env, "OMPI_COMM_WORLD_SIZE", ranks.size);
  Set(env, "OMPI_COMM_WORLD_RANK", ranks.rank);
  Set(env, "OMPI_COMM_WORLD_LOCAL_SIZE", role.processes);
  Set(env, "OMPI_COMM_WORLD_LOCAL_RANK", process.info.local_rank);
  Set(env, "COORDINATOR_ADDRESS", coordinator.substr(0, coordinator.rfind(':')));  // programs append ":" and the port
  Set(env, "COORDINATOR_PORT", ranks.first.port);
  Set(env, "NUM_PROCESSES", ranks.size);
  Set(env, "PROCESS_ID", ranks.rank);
}

}  // namespace howdah::frameworks
