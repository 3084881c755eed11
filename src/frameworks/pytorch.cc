// PyTorch: the variables that torchrun sets for a worker, in torchrun's spelling, and two of TonY's.

#include "variables.h"

namespace howdah::frameworks {
namespace {

// Returns the highest TORCHELASTIC_RESTART_COUNT that the job can reach. A restart of the whole job resets the restart
// budgets of its tasks.
int64_t MaxRestarts(const Process& process) {
  int64_t of_tasks = 0;
  for (const int r : common::RankedRoles(process.spec)) {
    const auto role = static_cast<size_t>(r);
    of_tasks += static_cast<int64_t>(process.cluster[role].size()) * process.spec.roles[role].restart.max;
  }
  return process.spec.restart_max + (1 + int64_t{process.spec.restart_max}) * of_tasks;
}

}  // namespace

void AddPytorch(const Process& process, jobspec::EnvVars& env) {
  const jobspec::RoleSpec& role = process.role();
  if (role.kind != jobspec::RoleKind::kWorker) return;
  const RankInfo ranks = RankInfoOf(process);
  Set(env, "MASTER_ADDR", ranks.first.host);
  Set(env, "MASTER_PORT", ranks.first.port);
  Set(env, "RANK", ranks.rank);
  Set(env, "WORLD_SIZE", ranks.size);
  Set(env, "LOCAL_RANK", process.info.local_rank);
  Set(env, "LOCAL_WORLD_SIZE", role.processes);
  Set(env, "GROUP_RANK", ranks.group_rank);
  Set(env, "GROUP_WORLD_SIZE", ranks.group_size);
  Set(env, "ROLE_NAME", role.name);
  Set(env, "ROLE_RANK", ranks.role_rank);
  Set(env, "ROLE_WORLD_SIZE", ranks.role_size);
  Set(env, "TORCHELASTIC_RESTART_COUNT", process.info.generation);
  Set(env, "TORCHELASTIC_MAX_RESTARTS", MaxRestarts(process));
  Set(env, "TORCHELASTIC_RUN_ID", process.info.job_id);
  Set(env, "TORCHELASTIC_USE_AGENT_STORE", "False");  // rank 0 serves the store itself
  if (!process.info.error_file.empty()) Set(env, "TORCHELASTIC_ERROR_FILE", process.info.error_file);
  Set(env, "TORCH_NCCL_ASYNC_ERROR_HANDLING", 1);
  Set(env, "INIT_METHOD", "tcp://" + Address(ranks.first));
  Set(env, "WORLD", ranks.size);
}

}  // namespace howdah::frameworks
