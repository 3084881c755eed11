// Which GPUs of a node a process may use, where a cluster only counts them.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// Some GPUs, by index, that no other lease of this network namespace has. Held by open descriptors: children made by
// fork hold it too, and it is free when the last holder is gone, however that ended. They are close-on-exec.
struct GpuLease {
  std::vector<int> gpus;
  std::vector<files::Fd> held;
};

// visible: the GPUs that this process sees. As many as it is to have: the cluster isolates them, and all are its own.
// More: `count` are chosen of those that nobody has leased; kUnavailable if there are not so many, and who is not to
// blame: a process outside of Howdah does not lease. Fewer: kUnavailable.
// scope: sets of leases that do not see each other have different ones; "" but in tests.
Result<GpuLease> LeaseGpus(const std::vector<int>& visible, int count, const std::string& scope = "");

}  // namespace howdah::os::process
