#include "howdah/frameworks/common/process.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace howdah::frameworks::common {

std::vector<int> RankedRoles(const jobspec::JobSpec& spec) {
  std::vector<int> chiefs, others;
  for (size_t i = 0; i < spec.roles.size(); ++i) {
    if (spec.roles[i].kind != jobspec::RoleKind::kWorker) continue;
    (spec.roles[i].chief ? chiefs : others).push_back(static_cast<int>(i));
  }
  chiefs.insert(chiefs.end(), others.begin(), others.end());
  return chiefs;
}

int WorldSize(const jobspec::JobSpec& spec, const core::PeerGroup& cluster) {
  int size = 0;
  for (const int r : RankedRoles(spec)) {
    const auto role = static_cast<size_t>(r);
    size += static_cast<int>(cluster[role].size()) * spec.roles[role].processes;
  }
  return size;
}

RankInfo RankInfoOf(const Process& process) {
  const TaskId task = process.info.task;
  RankInfo info;
  for (const int r : RankedRoles(process.spec)) {
    const auto role = static_cast<size_t>(r);
    const int processes = process.spec.roles[role].processes;
    const int size = static_cast<int>(process.cluster[role].size());
    if (info.size == 0 && size > 0) info.first = process.cluster[role].front();
    if (r == task.role) {
      info.role_rank = task.index * processes + process.info.local_rank;
      info.role_size = size * processes;
      info.rank = info.size + info.role_rank;
      info.group_rank = info.group_size + task.index;
    }
    info.size += size * processes;
    info.group_size += size;
  }
  return info;
}

std::string Address(const HostPort& endpoint) {
  if (endpoint.port == 0) return "";
  return endpoint.Text();
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

std::string ClusterMap(const Process& process) {
  return ClusterMap(process, std::vector<bool>(process.spec.roles.size(), true));
}

void Set(jobspec::EnvVars& env, std::string name, std::string value) {
  env.emplace_back(std::move(name), std::move(value));
}
void Set(jobspec::EnvVars& env, std::string name, int64_t value) { Set(env, std::move(name), std::to_string(value)); }

}  // namespace howdah::frameworks::common
