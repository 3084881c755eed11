// MXNet's parameter server (ps-lite) consists of a scheduler, which is the rendezvous, servers and workers. The name of
// a role (`scheduler`, `server` or `worker`) is the kind of its tasks. The variables are those that TonY sets.
#include "variables.h"

namespace howdah::frameworks {
namespace {

constexpr const char* kScheduler = "scheduler";
constexpr const char* kServer = "server";
constexpr const char* kMxnetWorker = "worker";

const std::vector<HostPort>* FindRole(const Process& process, const char* name) {
  for (size_t role = 0; role < process.spec.roles.size(); ++role) {
    if (process.spec.roles[role].name == name) return &process.cluster[role];
  }
  return nullptr;
}

}  // namespace

bool IsPartOfMxnet(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role) {
  if (spec.framework != jobspec::Framework::kMxnet) return false;
  return role.name == kScheduler || role.name == kServer || role.name == kMxnetWorker;
}

void AddMxnet(const Process& process, jobspec::EnvVars& env) {
  const std::vector<HostPort>* schedulers = FindRole(process, kScheduler);
  if (schedulers == nullptr || schedulers->empty()) return;
  const auto count = [&](const char* name) {
    const std::vector<HostPort>* tasks = FindRole(process, name);
    return tasks == nullptr ? 0 : static_cast<int64_t>(tasks->size());
  };
  Set(env, "DMLC_ROLE", process.role().name);
  Set(env, "DMLC_PS_ROOT_URI", schedulers->front().host);
  Set(env, "DMLC_PS_ROOT_PORT", schedulers->front().port);
  Set(env, "DMLC_LOCAL", 0);
  Set(env, "DMLC_NUM_SERVER", count(kServer));
  Set(env, "DMLC_NUM_WORKER", count(kMxnetWorker));
}

}  // namespace howdah::frameworks
