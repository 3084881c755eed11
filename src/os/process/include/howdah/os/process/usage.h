// Resource usage of processes and GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/os/process/spawn.h"

namespace howdah::os::process {

struct Usage {
  int64_t memory_bytes = 0;
  int64_t memory_peak_bytes = 0;  // the highest value of memory_bytes so far
  double cpu_seconds = 0;         // of all running and ended processes
};

// Measures all processes below this one. This process must be a subreaper and must reap all of them, because the kernel
// counts the CPU time of an ended process only then.
//
// Memory is the sum of the anonymous memory of all processes, plus the largest mapped-file value and the largest
// shared-memory value of any process. The reason: ranks on one machine map the same libraries and exchange data through
// the same segments. A sum of RSS would count these once per rank. (Exact shares, PSS, would stop a large process for
// tens of milliseconds per sample.) The peak includes the kernel's high-water mark of each process, so that a spike
// between two samples is not lost.
class UsageMeter {
 public:
  Usage Sample();

 private:
  Usage last_;
};

// The number of OOM kills on this machine, and the number of those in the cgroup of this process.
struct OomCounts {
  int64_t machine = 0;
  int64_t cgroup = 0;
  int64_t cgroup_full = 0;  // number of times that `cgroup` reached its limit (cgroup v2; otherwise 0)
};
OomCounts ReadOomCounts();

struct GpuUsage {
  int index = 0;
  double utilisation = 0;  // 0..1
  int64_t memory_bytes = 0;
  int64_t memory_total_bytes = 0;  // 0 if unknown
  std::string pci_address = {};    // as nvidia-smi writes it, "00000000:3B:00.0"; empty if unknown
};
// The nvidia-smi command, and the parser of its output. The output has one line per GPU, such as "0, 37, 1024, 81920,
// 00000000:3B:00.0". Other lines are ignored.
std::vector<std::string> GpuUsageQuery();
std::vector<GpuUsage> ParseGpuUsage(std::string_view text);

}  // namespace howdah::os::process
