// Determines the GPUs of a task on YARN: those that its container may open, where the cluster isolates GPUs; otherwise
// it chooses free ones.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/os/process/gpu_lease.h"

namespace howdah::executor {

struct TaskGpus {
  os::process::GpuLease lease;
  // The UUIDs of the GPUs, if nvidia-smi lists GPUs that the container may not open. CUDA does not count these, so
  // nvidia-smi's indices would name other GPUs. Otherwise empty.
  std::string visible_devices;
};

// The machine, for tests.
struct GpuDevices {
  std::string driver = "/proc/driver/nvidia/gpus";  // has a directory for each GPU, named by its bus id
  // Returns whether this process may open a device file. A device cgroup of the container may forbid it (EPERM).
  std::function<bool(const std::string& path)> may_open;
  std::string scope;  // see os::process::LeaseGpus
  static GpuDevices OfThisMachine();
};

// Leases as many GPUs as the job file requests for each task of the role. Returns nullopt if the role has no `gpus`.
// Also returns nullopt if nvidia-smi (looked up in path) lists no GPU, because Howdah cannot assign GPUs of other
// kinds. The caller must keep the lease while the task runs.
Result<std::optional<TaskGpus>> LeaseTaskGpus(const std::string& job_file, const std::string& role,
                                              const std::string& path,
                                              const GpuDevices& devices = GpuDevices::OfThisMachine());

}  // namespace howdah::executor
