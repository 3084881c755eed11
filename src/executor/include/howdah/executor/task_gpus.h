// Chooses the GPUs of a task, on a node where the cluster counts GPUs but does not isolate them.
#pragma once

#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/os/process/gpu_lease.h"

namespace howdah::executor {

// Leases as many GPUs as the job file requests for each task of the role. Returns nullopt if the role has no `gpus`.
// Also returns nullopt if nvidia-smi (looked up in path) lists no GPU, because Howdah cannot assign GPUs of other
// kinds. The caller must keep the lease while the task runs. scope: see os::process::LeaseGpus.
Result<std::optional<os::process::GpuLease>> LeaseTaskGpus(const std::string& job_file, const std::string& role,
                                                           const std::string& path, const std::string& scope = "");

}  // namespace howdah::executor
