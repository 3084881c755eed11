#include "howdah/frameworks/mpi/mpi.h"

#include <set>

#include "howdah/core/ranks.h"

namespace howdah::frameworks::mpi {
namespace {

using common::Process;
using common::Set;

bool HasRankZero(const jobspec::JobSpec& spec, TaskId task) { return task == TaskId{core::FirstRankedRole(spec), 0}; }

// The number of tasks of the worker roles, and the number of machines on which they run.
struct Counts {
  size_t tasks = 0, machines = 0;
};
Counts CountMachines(const Process& process) {
  Counts counts;
  std::set<std::string> hosts;
  for (const int role : common::RankedRoles(process.spec)) {
    for (const HostPort& endpoint : process.cluster[static_cast<size_t>(role)]) {
      hosts.insert(endpoint.host);
      ++counts.tasks;
    }
  }
  counts.machines = hosts.size();
  return counts;
}

}  // namespace

std::optional<jobspec::Command> PlaceholderCommand(const jobspec::JobSpec& spec, TaskId task) {
  const jobspec::RoleSpec& role = spec.roles[static_cast<size_t>(task.role)];
  if (spec.framework != jobspec::Framework::kMpi || role.kind != jobspec::RoleKind::kWorker ||
      HasRankZero(spec, task)) {
    return std::nullopt;
  }
  return jobspec::Command{.shell = "", .argv = {"sleep", "infinity"}};
}

bool StartsRemoteProcesses(const jobspec::JobSpec& spec, TaskId task) {
  return spec.framework == jobspec::Framework::kMpi && HasRankZero(spec, task);
}

std::string Hostfile(const jobspec::JobSpec& spec, const core::PeerGroup& cluster) {
  std::string lines;
  for (const int r : common::RankedRoles(spec)) {
    const jobspec::RoleSpec& role = spec.roles[static_cast<size_t>(r)];
    for (size_t index = 0; index < cluster[static_cast<size_t>(r)].size(); ++index) {
      lines += role.name + "-" + std::to_string(index) + " slots=" + std::to_string(role.vcores) + "\n";
    }
  }
  return lines;
}

void AddVariables(const Process& process, jobspec::EnvVars& env) {
  if (process.role().kind != jobspec::RoleKind::kWorker) return;
  const common::RemoteStartFiles& files = process.info.remote_start;
  // Daemons on the same machine must use different directories for their sockets.
  Set(env, "TMPDIR", files.temporary);
  if (!HasRankZero(process.spec, process.info.task)) return;
  // mpirun starts ranks in its own working directory, and reads the path of that directory from PWD. The real path
  // differs in each task, but the path set here refers to the task's own working directory in every task.
  // "/proc/self/cwd" would not work: with -wdir a daemon changes its directory before each rank, and then
  // "/proc/self/cwd" would be the directory of the previous rank.
  Set(env, "PWD", "/proc/self/fd/" + std::to_string(kDirectoryFd));
  Set(env, "OMPI_MCA_orte_default_hostfile", files.hostfile);
  Set(env, "OMPI_MCA_plm_rsh_agent", files.agent);
  Set(env, "OMPI_MCA_plm_rsh_no_tree_spawn", 1);        // `howdah-agent rsh` works only in this task
  Set(env, "OMPI_MCA_orte_leave_session_attached", 1);  // otherwise daemons would detach and leave their task
  Set(env, "OMPI_ALLOW_RUN_AS_ROOT", 1);
  Set(env, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", 1);
  const Counts counts = CountMachines(process);
  if (counts.machines < counts.tasks) {
    // Several daemons on one machine are not aware of each other. They must not use shared memory for messages or
    // bind cores.
    Set(env, "OMPI_MCA_btl", "self,tcp");
    Set(env, "OMPI_MCA_rtc", "^hwloc");
  }
  if (counts.machines == 1 && !process.info.interface.empty()) {
    Set(env, "OMPI_MCA_oob_tcp_if_include", process.info.interface);
    Set(env, "OMPI_MCA_btl_tcp_if_include", process.info.interface);
  }
}

}  // namespace howdah::frameworks::mpi
