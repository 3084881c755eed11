// Open MPI: the task with rank 0 runs the command, an unmodified mpirun, and the others hold their containers for the
// daemons that it starts there. They are started by our own remote-start agent in place of ssh, so that the names in
// the hostfile are the tasks' ("worker-1") and never looked up. (Open MPI 4.1.)
#include <set>

#include "howdah/core/ranks.h"
#include "parts.h"

namespace howdah::frameworks {
namespace {

bool IsFirst(const jobspec::JobSpec& spec, TaskId task) { return task == TaskId{core::FirstRankedRole(spec), 0}; }

// How many machines the daemons are on.
size_t Machines(const Process& process, size_t* tasks) {
  std::set<std::string> hosts;
  *tasks = 0;
  for (const int role : RankedRoles(process.spec)) {
    for (const HostPort& endpoint : process.cluster[static_cast<size_t>(role)]) {
      hosts.insert(endpoint.host);
      ++*tasks;
    }
  }
  return hosts.size();
}

}  // namespace

std::optional<jobspec::Command> HoldsPlace(const jobspec::JobSpec& spec, TaskId task) {
  const jobspec::RoleSpec& role = spec.roles[static_cast<size_t>(task.role)];
  if (spec.framework != jobspec::Framework::kMpi || role.kind != jobspec::RoleKind::kWorker || IsFirst(spec, task)) {
    return std::nullopt;
  }
  return jobspec::Command{.shell = "", .argv = {"sleep", "infinity"}};
}

bool StartsInOthers(const jobspec::JobSpec& spec, TaskId task) {
  return spec.framework == jobspec::Framework::kMpi && IsFirst(spec, task);
}

std::string Hostfile(const jobspec::JobSpec& spec, const core::PeerGroup& cluster) {
  std::string lines;
  for (const int r : RankedRoles(spec)) {
    const jobspec::RoleSpec& role = spec.roles[static_cast<size_t>(r)];
    for (size_t index = 0; index < cluster[static_cast<size_t>(r)].size(); ++index) {
      lines += role.name + "-" + std::to_string(index) + " slots=" + std::to_string(role.vcores) + "\n";
    }
  }
  return lines;
}

void AddMpi(const Process& process, jobspec::EnvVars& env) {
  if (process.role().kind != jobspec::RoleKind::kWorker) return;
  const StartSupport& support = process.place.start_support;
  // Daemons on one machine would get into each other's way where they keep their sockets.
  Set(env, "TMPDIR", support.temporary);
  if (!IsFirst(process.spec, process.place.task)) return;
  // mpirun has ranks begin where it was started itself, which is another path in each task. This one is the right one
  // in all of them: mpirun takes the name of its working directory from here.
  Set(env, "PWD", "/proc/self/cwd");
  Set(env, "OMPI_MCA_orte_default_hostfile", support.hostfile);
  Set(env, "OMPI_MCA_plm_rsh_agent", support.agent);
  Set(env, "OMPI_MCA_plm_rsh_no_tree_spawn", 1);        // the agent works in this task alone
  Set(env, "OMPI_MCA_orte_leave_session_attached", 1);  // else daemons leave what the executor watches
  Set(env, "OMPI_ALLOW_RUN_AS_ROOT", 1);
  Set(env, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", 1);
  size_t tasks = 0;
  const size_t machines = Machines(process, &tasks);
  if (machines < tasks) {
    // What daemons on one machine share without knowing of each other: memory for messages, and the map of its cores.
    Set(env, "OMPI_MCA_btl", "self,tcp");
    Set(env, "OMPI_MCA_rtc", "^hwloc");
  }
  if (machines == 1 && !process.place.interface.empty()) {
    Set(env, "OMPI_MCA_oob_tcp_if_include", process.place.interface);
    Set(env, "OMPI_MCA_btl_tcp_if_include", process.place.interface);
  }
}

}  // namespace howdah::frameworks
