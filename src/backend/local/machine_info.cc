#include "machine_info.h"

#include <cstdint>

namespace howdah::backend::local {
namespace {

struct Total {
  int64_t containers = 0, memory_bytes = 0, vcores = 0, gpus = 0;

  void Add(int64_t more_memory, int more_vcores, size_t more_gpus) {
    ++containers;
    memory_bytes += more_memory;
    vcores += more_vcores;
    gpus += static_cast<int64_t>(more_gpus);
  }
  Amounts ToAmounts() const { return {memory_bytes, vcores, gpus}; }
};

}  // namespace

ClusterInfo MachineInfo(const std::string& host, const Capacity& capacity, const std::vector<JobLeases>& jobs) {
  ClusterInfo info;
  Total used, pending;
  for (const JobLeases& job : jobs) {
    Total of_job;
    for (const Lease& lease : job.held) {
      of_job.Add(lease.memory_bytes, lease.vcores, lease.gpus.size());
      used.Add(lease.memory_bytes, lease.vcores, lease.gpus.size());
    }
    for (const ContainerRequest& request : job.requested)
      pending.Add(request.memory_bytes, request.vcores, static_cast<size_t>(request.gpus));
    ApplicationInfo& application = info.applications.emplace_back();
    application.id = job.job;
    application.type = "HOWDAH";
    application.running = !job.held.empty();
    application.submitted = job.submitted;
    application.containers = of_job.containers;
    application.used = of_job.ToAmounts();
  }
  NodeInfo& machine = info.nodes.emplace_back();
  machine.host = host;
  machine.state = "RUNNING";
  machine.usable = true;
  machine.containers = used.containers;
  machine.total = {capacity.memory_bytes, capacity.vcores, static_cast<int64_t>(capacity.gpus.size())};
  machine.used = used.ToAmounts();
  info.pending = {pending.containers, pending.ToAmounts()};
  return info;
}

}  // namespace howdah::backend::local
