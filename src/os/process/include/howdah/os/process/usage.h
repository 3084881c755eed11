// What processes use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/os/process/spawn.h"

namespace howdah::os::process {

struct Usage {
  int64_t memory_bytes = 0;
  int64_t memory_peak_bytes = 0;  // the highest so far
  double cpu_seconds = 0;         // of all that ever ran
};

// Measures everything below this process, which is to be a subreaper that reaps all of it: CPU time of the ended is
// then counted by the kernel.
//
// Memory is the sum of what is each process's own (anonymous) plus the largest of their mapped files and of their
// shared memory: ranks of one machine map the same libraries and exchange data through the same segments, and a plain
// sum of RSS would count those once for each. (Exact shares, PSS, would stop a large process for tens of milliseconds
// each time.) The peak also knows the kernel's own high-water mark of every single process, so that a spike between two
// samples is not lost.
class UsageMeter {
 public:
  Usage Sample();

 private:
  Usage last_;
};

// How often the kernel's OOM killer has struck: anywhere on this machine, and in this process's own cgroup.
struct OomCounts {
  int64_t machine = 0;
  int64_t cgroup = 0;
  int64_t cgroup_full = 0;  // of cgroup: how often that was at its limit (cgroup v2; 0 elsewhere)
};
OomCounts ReadOomCounts();

struct GpuUsage {
  int index = 0;
  double utilisation = 0;  // 0..1
  int64_t memory_bytes = 0;
  int64_t memory_total_bytes = 0;  // 0: not known
  std::string pci_address = {};    // as nvidia-smi writes it, "00000000:3B:00.0"; empty: not known
};
// The question to ask of nvidia-smi, and its answer: "0, 37, 1024, 81920, 00000000:3B:00.0" a line. Lines that say
// something else are left out.
std::vector<std::string> GpuUsageQuery();
std::vector<GpuUsage> ParseGpuUsage(std::string_view text);

}  // namespace howdah::os::process
