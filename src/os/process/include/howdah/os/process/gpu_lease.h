// Leases the GPUs of a node to processes, for clusters where YARN counts GPUs but does not isolate them.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// GPU indices that no other lease of this network namespace has. Open descriptors, which are close-on-exec, keep the
// lease. Children made by fork share it. It ends when the last process that has the descriptors open ends.
struct GpuLease {
  std::vector<int> gpus;
  std::vector<files::Fd> held;
};

// `visible` lists the GPUs that this process sees, and `count` is the number granted to the container. If the numbers
// are equal, the cluster isolates GPUs, and all visible ones are returned. If more are visible, `count` free ones are
// chosen. Returns kUnavailable if too few are free or visible. Processes outside Howdah take no lease, so their GPUs
// count as free. `scope` separates sets of leases from each other; it is "" except in tests.
Result<GpuLease> LeaseGpus(const std::vector<int>& visible, int count, const std::string& scope = "");

}  // namespace howdah::os::process
