#include "start_order.h"

#include <algorithm>
#include <cstdint>

namespace howdah::executor {
namespace {

std::optional<core::PeerGroup> ReadCluster(const wire::Cluster& cluster, size_t roles) {
  if (static_cast<size_t>(cluster.sizes_size()) != roles) return std::nullopt;
  core::PeerGroup out;
  int next = 0;
  const int count = std::min(cluster.host_size(), cluster.port_size());
  for (const int size : cluster.sizes()) {
    if (size < 0 || size > count - next) return std::nullopt;
    auto& role = out.emplace_back();
    role.reserve(static_cast<size_t>(size));
    for (int i = 0; i < size; ++i, ++next) {
      const uint32_t host = cluster.host(next), port = cluster.port(next);
      if (host >= static_cast<uint32_t>(cluster.hosts_size()) || port > UINT16_MAX) return std::nullopt;
      role.push_back({cluster.hosts(static_cast<int>(host)), static_cast<uint16_t>(port)});
    }
  }
  return out;
}

jobspec::EnvVars ReadExports(const wire::Cluster& cluster, const jobspec::JobSpec& spec, int role) {
  core::Exports exports(spec.roles.size());
  for (const wire::Exported& exported : cluster.exports()) {
    if (exported.role() >= exports.size()) continue;
    for (const wire::Variable& variable : exported.variables()) {
      exports[exported.role()].emplace_back(variable.name(), variable.value());
    }
  }
  return core::ExportsFor(spec, exports, role);
}

}  // namespace

std::optional<StartOrder> ReadStartOrder(const wire::Start& start, const wire::Cluster& cluster,
                                         const jobspec::JobSpec& spec, TaskId task) {
  auto endpoints = ReadCluster(cluster, spec.roles.size());
  if (!endpoints) return std::nullopt;
  const size_t tasks = (*endpoints)[static_cast<size_t>(task.role)].size();
  if (start.place() < 0 || static_cast<size_t>(start.place()) >= tasks) return std::nullopt;
  const auto port = static_cast<uint16_t>(std::min<uint32_t>(start.rendezvous().port(), UINT16_MAX));
  return StartOrder{{start.attempt(), start.generation(), 0, start.place()},
                    {std::move(*endpoints), {start.rendezvous().host(), port}, ReadExports(cluster, spec, task.role)}};
}

}  // namespace howdah::executor
