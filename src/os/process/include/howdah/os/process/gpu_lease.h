// Leases the GPUs of a node to processes, for clusters where YARN counts GPUs but does not isolate them.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// GPUs that no other lease in this network namespace contains. The lease lasts as long as a process has the descriptors
// open. The descriptors are close-on-exec, and children made by fork share them.
struct GpuLease {
  std::vector<int> gpus;
  std::vector<files::Fd> held;
};

// `visible` lists the GPUs that this process sees. `count` is the number granted to the container. If both numbers are
// equal, the cluster isolates GPUs, and all visible GPUs are returned. If more are visible, `count` GPUs without a
// lease are chosen. Returns kUnavailable if fewer than `count` GPUs are visible or free. Processes outside Howdah take
// no lease, so their GPUs count as free. `scope` separates sets of leases; only tests set it.
Result<GpuLease> LeaseGpus(const std::vector<int>& visible, int count, const std::string& scope = "");

}  // namespace howdah::os::process
