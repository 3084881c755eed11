#include "howdah/frameworks/horovod/horovod.h"

#include <algorithm>
#include <map>

#include "howdah/frameworks/horovod/driver.h"
#include "ranks.h"

namespace howdah::frameworks::horovod {
namespace {

using common::Process;
using common::Set;

// How long gloo waits for another process while it connects or within a collective. For elastic jobs the timeout is
// short: some processes detect the death of another only by this timeout, because the processes that have detected it
// earlier keep their connections open until the next generation. A false alarm costs little. Other jobs have TonY's
// timeout, because all their processes must start within it.
constexpr int kElasticTimeoutSeconds = 10, kTimeoutSeconds = 2000;

// Returns the name of the machine to which a task belongs for Horovod. Scripts choose their GPU by the local rank, and
// a task sees only its own GPUs, numbered from 0. So each task with GPUs counts as a separate machine. Each task of
// elastic Horovod counts as a separate machine, too, so that local ranks never change.
std::string MachineOf(const Process& process, TaskId task) {
  const auto role = static_cast<size_t>(task.role);
  const std::string& host = process.cluster[role][static_cast<size_t>(task.index)].host;
  const std::string& name = process.spec.roles[role].name;
  if (IsElastic(process.spec)) return name + "-" + std::to_string(task.index);
  if (process.spec.roles[role].gpus == 0) return host;
  return host + "-" + name + "-" + std::to_string(task.index);
}

// Calls visit(task, its machine, its number of processes) for each task with ranks, in the order of the ranks.
template <typename Visit>
void ForEachRankedTask(const Process& process, Visit visit) {
  for (const int role : common::RankedRoles(process.spec)) {
    const int tasks = static_cast<int>(process.cluster[static_cast<size_t>(role)].size());
    const int processes = process.spec.roles[static_cast<size_t>(role)].processes;
    for (int index = 0; index < tasks; ++index) {
      const TaskId task{role, index};
      visit(task, MachineOf(process, task), processes);
    }
  }
}

}  // namespace

bool IsElastic(const jobspec::JobSpec& spec) {
  return spec.framework == jobspec::Framework::kHorovod &&
         std::any_of(spec.roles.begin(), spec.roles.end(), [](const jobspec::RoleSpec& role) {
           return role.kind == jobspec::RoleKind::kWorker && role.instances.elastic();
         });
}

// Computes ranks as get_host_assignments() of horovodrun does. A local rank is a position within a machine. A cross
// rank is a position among the machines that have a process with the same local rank.
RankAssignment RankAssignmentOf(const jobspec::JobSpec& spec, const core::PeerGroup& cluster,
                                const common::ProcessInfo& info) {
  const Process process{spec, cluster, info};
  const common::RankInfo ranks = common::RankInfoOf(process);
  const std::string machine = MachineOf(process, info.task);
  RankAssignment own{.host = machine, .rank = ranks.rank, .size = ranks.size};
  if (IsElastic(spec)) own.host += "." + std::to_string(info.generation);
  std::map<std::string, int> sizes;   // number of processes per machine name
  std::vector<std::string> in_order;  // machines, in the order of their first rank
  ForEachRankedTask(process, [&](const TaskId& task, const std::string& other, int processes) {
    int& size = sizes[other];
    if (size == 0) in_order.push_back(other);
    if (task == info.task) own.local_rank = size + info.local_rank;
    size += processes;
  });
  own.local_size = sizes[machine];
  for (const std::string& other : in_order) {
    if (other == machine) own.cross_rank = own.cross_size;
    if (sizes[other] > own.local_rank) ++own.cross_size;
  }
  return own;
}

std::vector<std::pair<std::string, int>> HostsInRankOrder(const Process& process) {
  std::vector<std::pair<std::string, int>> hosts;
  ForEachRankedTask(process, [&](const TaskId&, const std::string& machine, int processes) {
    auto known = std::find_if(hosts.begin(), hosts.end(), [&](const auto& host) { return host.first == machine; });
    if (known == hosts.end()) known = hosts.insert(hosts.end(), {machine, 0});
    known->second += processes;
  });
  return hosts;
}

void SetRanks(const RankAssignment& own, jobspec::EnvVars& env) {
  Set(env, "HOROVOD_RANK", own.rank);
  Set(env, "HOROVOD_SIZE", own.size);
  Set(env, "HOROVOD_LOCAL_RANK", own.local_rank);
  Set(env, "HOROVOD_LOCAL_SIZE", own.local_size);
  Set(env, "HOROVOD_CROSS_RANK", own.cross_rank);
  Set(env, "HOROVOD_CROSS_SIZE", own.cross_size);
  Set(env, "HOROVOD_HOSTNAME", own.host);
}

void AddVariables(const Process& process, jobspec::EnvVars& env) {
  Set(env, "CLUSTER_SPEC", common::ClusterMap(process));
  const std::optional<int> driver = DriverOf(process.spec);
  if (driver == process.info.task.role) {
    Set(env, "CLUSTER_WORKER_LIST", WorkerList(process));
    Set(env, kDriverOutputVariable, process.info.driver_output);
  }
  if (process.role().kind != jobspec::RoleKind::kWorker) return;
  const bool elastic = IsElastic(process.spec);
  Set(env, "HOROVOD_CONTROLLER", "gloo");
  Set(env, "HOROVOD_CPU_OPERATIONS", "gloo");
  Set(env, "HOROVOD_GLOO_TIMEOUT_SECONDS", elastic ? kElasticTimeoutSeconds : kTimeoutSeconds);
  if (driver) {
    // The port and the ranks are in the plan, which the driver writes once it runs.
    const std::vector<HostPort>& drivers = process.cluster[static_cast<size_t>(*driver)];
    Set(env, "HOROVOD_GLOO_RENDEZVOUS_ADDR", drivers.empty() ? "" : drivers.front().host);
  } else {
    Set(env, "HOROVOD_GLOO_RENDEZVOUS_ADDR", process.info.rendezvous.host);
    Set(env, "HOROVOD_GLOO_RENDEZVOUS_PORT", process.info.rendezvous.port);
  }
  // Without this variable gloo listens on the address of the machine's host name, which other machines may not reach.
  if (!process.info.interface.empty()) Set(env, "HOROVOD_GLOO_IFACE", process.info.interface);
  if (!driver) SetRanks(RankAssignmentOf(process.spec, process.cluster, process.info), env);
  if (elastic) Set(env, "HOROVOD_ELASTIC", 1);
}

}  // namespace howdah::frameworks::horovod
