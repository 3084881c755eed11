// The variables every process sees, whatever the framework; and all that one of a plain job does.
#include <nlohmann/json.hpp>

#include "parts.h"

namespace howdah::frameworks {
namespace {

// TonY's count: the tasks that the job waits for.
int TrackedTasks(const Process& process) {
  size_t tasks = 0;
  for (const int role : RankedRoles(process.spec)) tasks += process.cluster[static_cast<size_t>(role)].size();
  return static_cast<int>(tasks);
}

}  // namespace

void Set(jobspec::EnvVars& env, std::string name, std::string value) {
  env.emplace_back(std::move(name), std::move(value));
}
void Set(jobspec::EnvVars& env, std::string name, int64_t value) { Set(env, std::move(name), std::to_string(value)); }

std::string Address(const HostPort& endpoint) {
  if (endpoint.port == 0) return "";
  const bool ipv6 = endpoint.host.find(':') != std::string::npos;
  return (ipv6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

std::string ClusterMap(const Process& process, const std::vector<bool>& roles) {
  nlohmann::ordered_json map = nlohmann::ordered_json::object();
  for (size_t i = 0; i < process.spec.roles.size(); ++i) {
    if (!roles[i]) continue;
    auto& list = map[process.spec.roles[i].name] = nlohmann::ordered_json::array();
    for (const HostPort& endpoint : process.cluster[i]) list.push_back(Address(endpoint));
  }
  return map.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void AddCommon(const Process& process, jobspec::EnvVars& env) {
  const ProcessPlace& place = process.place;
  Set(env, "HOWDAH_JOB_ID", place.job_id);
  Set(env, "HOWDAH_JOB_NAME", process.spec.name);
  Set(env, "HOWDAH_ROLE", process.role().name);
  Set(env, "HOWDAH_TASK_INDEX", place.task.index);
  Set(env, "HOWDAH_ROLE_SIZE", static_cast<int64_t>(process.peers().size()));
  Set(env, "HOWDAH_ATTEMPT", place.attempt);
  Set(env, "HOWDAH_GENERATION", place.generation);
  Set(env, "HOWDAH_LOCAL_RANK", place.local_rank);
  Set(env, "HOWDAH_CLUSTER", ClusterMap(process, std::vector<bool>(process.spec.roles.size(), true)));
  // One port is reserved for a task; a second process would find it taken.
  if (place.local_rank == 0 && process.endpoint().port != 0) Set(env, "HOWDAH_PORT", process.endpoint().port);
  if (!process.spec.checkpoint.dir.empty()) Set(env, "HOWDAH_CHECKPOINT_DIR", process.spec.checkpoint.dir);
  if (!process.spec.tensorboard_logdir.empty()) Set(env, "TB_LOG_DIR", process.spec.tensorboard_logdir);
  Set(env, "JOB_NAME", process.role().name);
  Set(env, "TASK_INDEX", place.task.index);
  Set(env, "TASK_NUM", TrackedTasks(process));
}

}  // namespace howdah::frameworks
