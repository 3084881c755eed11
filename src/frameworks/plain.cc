// The variables of every process. A plain job sets no others.
#include <algorithm>

#include "howdah/core/child_tag.h"
#include "variables.h"

namespace howdah::frameworks {
namespace {

// Returns the number of tasks that the job waits for, as TonY counts them.
int TrackedTasks(const Process& process) {
  size_t tasks = 0;
  for (const int role : common::RankedRoles(process.spec)) tasks += process.cluster[static_cast<size_t>(role)].size();
  return static_cast<int>(tasks);
}

// Returns for example "HOWDAH_HOSTS_PARAMETER_SERVER" for the role parameter-server.
std::string HostsVariable(const std::string& role) {
  std::string name = "HOWDAH_HOSTS_";
  for (const char c : role) {
    const bool lower = c >= 'a' && c <= 'z';
    const bool kept = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += lower ? static_cast<char>(c - 'a' + 'A') : kept ? c : '_';
  }
  return name;
}

std::string AddressList(const std::vector<HostPort>& endpoints) {
  std::string list;
  for (const HostPort& endpoint : endpoints) list += (&endpoint == &endpoints.front() ? "" : ",") + Address(endpoint);
  return list;
}

// Sets a variable unless the job passes on the submitter's value.
template <typename T>
void SetDefault(const Process& process, jobspec::EnvVars& env, const std::string& name, const T& value) {
  const auto& passed = process.spec.env_from;
  if (std::find(passed.begin(), passed.end(), name) == passed.end()) Set(env, name, value);
}

}  // namespace

void AddCommon(const Process& process, jobspec::EnvVars& env) {
  const common::ProcessInfo& info = process.info;
  Set(env, "HOWDAH_JOB_ID", info.job_id);
  Set(env, "HOWDAH_JOB_NAME", process.spec.name);
  Set(env, "HOWDAH_ROLE", process.role().name);
  Set(env, "HOWDAH_TASK_INDEX", info.task.index);
  Set(env, "HOWDAH_ROLE_SIZE", static_cast<int64_t>(process.peers().size()));
  Set(env, "HOWDAH_ATTEMPT", info.attempt);
  Set(env, "HOWDAH_GENERATION", info.generation);
  Set(env, "HOWDAH_LOCAL_RANK", info.local_rank);
  Set(env, "HOWDAH_LOCAL_WORLD_SIZE", std::max(1, process.role().processes));
  if (process.role().kind == jobspec::RoleKind::kWorker) {
    const RankInfo ranks = RankInfoOf(process);
    Set(env, "HOWDAH_RANK", ranks.rank);
    Set(env, "HOWDAH_WORLD_SIZE", ranks.size);
  }
  Set(env, "HOWDAH_CLUSTER", ClusterMap(process));
  for (size_t role = 0; role < process.cluster.size(); ++role) {
    Set(env, HostsVariable(process.spec.roles[role].name), AddressList(process.cluster[role]));
  }
  Set(env, "HOWDAH_CHILD_TAG", core::ChildTag(info.job_id));
  // Each task has one reserved port, for its first process.
  if (info.local_rank == 0 && process.endpoint().port != 0) Set(env, "HOWDAH_PORT", process.endpoint().port);
  Set(env, "HOWDAH_STOP_SIGNAL", process.spec.checkpoint.signal);
  if (!process.spec.checkpoint.dir.empty()) Set(env, "HOWDAH_CHECKPOINT_DIR", process.spec.checkpoint.dir);
  if (!process.spec.tensorboard_logdir.empty()) Set(env, "TB_LOG_DIR", process.spec.tensorboard_logdir);
  // Otherwise Python buffers output to a file, and the output reaches the log only much later.
  SetDefault(process, env, "PYTHONUNBUFFERED", 1);
  // Without a limit each process would start one thread per core of the node, whatever the task requested.
  SetDefault(process, env, "OMP_NUM_THREADS",
             std::max(1, process.role().vcores / std::max(1, process.role().processes)));
  Set(env, "JOB_NAME", process.role().name);
  Set(env, "TASK_INDEX", info.task.index);
  Set(env, "TASK_NUM", TrackedTasks(process));
}

}  // namespace howdah::frameworks
