// Leases GPUs of a node among processes where YARN counts GPUs but does not isolate them.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// GPU indices that no other lease of this network namespace has. Open, close-on-exec descriptors hold the lease:
// children made by fork share it, and it ends when the last holder ends.
struct GpuLease {
  std::vector<int> gpus;
  std::vector<files::Fd> held;
};

// visible: the GPUs this process sees; count: how many GPUs the container was granted. If the numbers are equal the
// cluster isolates GPUs, and all visible ones are returned. If more are visible, `count` free ones are chosen;
// kUnavailable if there are fewer free ones, or fewer visible ones. Processes outside Howdah do not lease. scope:
// separates sets of leases from each other; "" except in tests.
Result<GpuLease> LeaseGpus(const std::vector<int>& visible, int count, const std::string& scope = "");

}  // namespace howdah::os::process
