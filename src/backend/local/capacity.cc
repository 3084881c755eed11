#include "capacity.h"

#include <algorithm>

#include "howdah/base/bytes.h"
#include "howdah/os/process/machine.h"

namespace howdah::backend::local {
namespace {

constexpr std::chrono::milliseconds kNvidiaSmiLimit{10'000};

}  // namespace

Capacity MachineCapacity(std::string_view path, bool with_gpus) {
  Capacity capacity{os::process::TotalMemoryBytes() / 10 * 9, os::process::Cores(), {}};
  if (!with_gpus) return capacity;
  for (const os::process::Gpu& gpu : os::process::ListGpus(path, kNvidiaSmiLimit)) capacity.gpus.push_back(gpu.index);
  return capacity;
}

bool RequestsGpus(const jobspec::JobSpec& spec) {
  return std::any_of(spec.roles.begin(), spec.roles.end(), [](const jobspec::RoleSpec& role) { return role.gpus > 0; });
}

std::string ImpossibleRequest(const Capacity& capacity, const std::vector<ContainerRequest>& requests) {
  int64_t memory = 0, gpus = 0;
  const std::string tasks =
      requests.size() == 1 ? "one task requests" : std::to_string(requests.size()) + " tasks together request";
  for (const ContainerRequest& want : requests) {
    // Saturating addition, because the sum of many large requests may exceed 63 bits.
    memory = want.memory_bytes > INT64_MAX - memory ? INT64_MAX : memory + want.memory_bytes;
    gpus += want.gpus;
  }
  if (memory > capacity.memory_bytes) {
    return tasks + " " + FormatBytes(memory) + " of memory, but this machine offers " +
           FormatBytes(capacity.memory_bytes) + " to jobs (90 % of its memory)";
  }
  if (gpus > static_cast<int64_t>(capacity.gpus.size())) {
    return tasks + " " + std::to_string(gpus) + " GPUs, but this machine has " + std::to_string(capacity.gpus.size());
  }
  return "";
}

}  // namespace howdah::backend::local
