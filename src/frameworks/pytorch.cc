// PyTorch: what torchrun sets for a worker, names and spelling its own, and TonY's two variables.
#include <algorithm>

#include "parts.h"

namespace howdah::frameworks {
namespace {

// The highest TORCHELASTIC_RESTART_COUNT the job can reach: task budgets start anew with each restart of the whole job.
int64_t MaxRestarts(const Process& process) {
  int64_t of_tasks = 0;
  for (const int r : RankedRoles(process.spec)) {
    const auto role = static_cast<size_t>(r);
    of_tasks += static_cast<int64_t>(process.cluster[role].size()) * process.spec.roles[role].restart.max;
  }
  return process.spec.restart_max + (1 + int64_t{process.spec.restart_max}) * of_tasks;
}

}  // namespace

void AddPytorch(const Process& process, jobspec::EnvVars& env) {
  const jobspec::RoleSpec& role = process.role();
  if (role.kind != jobspec::RoleKind::kWorker) return;
  const World world = WorldOf(process);
  Set(env, "MASTER_ADDR", world.first.host);
  Set(env, "MASTER_PORT", world.first.port);
  Set(env, "RANK", world.rank);
  Set(env, "WORLD_SIZE", world.size);
  Set(env, "LOCAL_RANK", process.place.local_rank);
  Set(env, "LOCAL_WORLD_SIZE", role.processes);
  Set(env, "GROUP_RANK", world.group_rank);
  Set(env, "GROUP_WORLD_SIZE", world.group_size);
  Set(env, "ROLE_NAME", role.name);
  Set(env, "ROLE_RANK", world.role_rank);
  Set(env, "ROLE_WORLD_SIZE", world.role_size);
  Set(env, "TORCHELASTIC_RESTART_COUNT", process.place.generation);
  Set(env, "TORCHELASTIC_MAX_RESTARTS", MaxRestarts(process));
  Set(env, "TORCHELASTIC_RUN_ID", process.place.job_id);
  Set(env, "TORCHELASTIC_USE_AGENT_STORE", "False");  // rank 0 serves the store itself
  if (!process.place.error_file.empty()) Set(env, "TORCHELASTIC_ERROR_FILE", process.place.error_file);
  Set(env, "TORCH_NCCL_ASYNC_ERROR_HANDLING", 1);
  // Several ranks on one machine would each take all of its cores. What the submitter passes on by env_from stays.
  const auto& passed = process.spec.env_from;
  if (role.processes > 1 && std::find(passed.begin(), passed.end(), "OMP_NUM_THREADS") == passed.end()) {
    Set(env, "OMP_NUM_THREADS", 1);
  }
  Set(env, "INIT_METHOD", "tcp://" + Address(world.first));
  Set(env, "WORLD", world.size);
}

}  // namespace howdah::frameworks
