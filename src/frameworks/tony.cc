// Variables that only scripts written for TonY need.
#include <algorithm>

#include "variables.h"

namespace howdah::frameworks {
namespace {

constexpr std::string_view kChief = "chief", kWorker = "worker", kTensorboard = "tensorboard";

bool HasRole(const jobspec::JobSpec& spec, std::string_view name) {
  return std::any_of(spec.roles.begin(), spec.roles.end(), [&](const auto& role) { return role.name == name; });
}

// Whether TonY treats the task as a chief: every task of the role `chief`, or worker:0 if there is no such role.
bool IsTonysChief(const jobspec::JobSpec& spec, TaskId task) {
  const std::string& role = spec.roles[static_cast<size_t>(task.role)].name;
  if (HasRole(spec, kChief)) return role == kChief;
  return role == kWorker && task.index == 0;
}

}  // namespace

bool NeedsTensorboardPort(const jobspec::JobSpec& spec, TaskId task) {
  if (!spec.tony_env) return false;
  if (HasRole(spec, kTensorboard)) return spec.roles[static_cast<size_t>(task.role)].name == kTensorboard;
  if (!spec.tensorboard_logdir.empty()) return false;
  const bool alone = spec.roles.size() == 1 && spec.roles.front().instances.max == 1;
  return alone || IsTonysChief(spec, task);
}

void AddTony(const Process& process, jobspec::EnvVars& env) {
  const common::ProcessInfo& info = process.info;
  Set(env, "appid", info.job_id);
  Set(env, "JOB_ID", info.job_id);
  Set(env, "DISTRIBUTED_MODE", process.spec.start == jobspec::StartMode::kGang ? "GANG" : "FCFS");
  Set(env, "SESSION_ID", info.generation);
  Set(env, "ATTEMPT_NUMBER", 0);  // attempt of the YARN application, for which TonY always sets 0
  if (info.generation > 0) Set(env, "NUM_AM_RETRIES", info.generation);
  if (IsTonysChief(process.spec, info.task)) Set(env, "IS_CHIEF", "true");
  if (info.local_rank == 0 && info.tensorboard_port != 0) Set(env, "TB_PORT", info.tensorboard_port);
  if (process.spec.framework == jobspec::Framework::kTensorflow) {
    Set(env, "CLUSTER_SPEC", ClusterMap(process));
  }
}

}  // namespace howdah::frameworks
