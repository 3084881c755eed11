// The GPUs of a task on a node where the cluster counts GPUs without isolating them.
#pragma once

#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/os/process/gpu_lease.h"

namespace howdah::executor {

// Leases as many GPUs as the job file asks for each task of the role. nullopt: the role has no `gpus`, or nvidia-smi
// (looked up in path) lists none, so that the GPUs are of a kind that Howdah cannot assign. The caller keeps the lease
// for as long as the task runs. scope: see os::process::LeaseGpus.
Result<std::optional<os::process::GpuLease>> LeaseTaskGpus(const std::string& job_file, const std::string& role,
                                                           const std::string& path, const std::string& scope = "");

}  // namespace howdah::executor
