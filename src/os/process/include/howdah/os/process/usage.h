// Resource usage of processes and GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/os/process/spawn.h"

namespace howdah::os::process {

// Bytes that processes have read from and written to storage. Data in the page cache was not read from storage.
struct DiskUse {
  int64_t read_bytes = 0, written_bytes = 0;
};

struct Usage {
  int64_t memory_bytes = 0;
  int64_t memory_peak_bytes = 0;  // the highest value of memory_bytes so far
  double cpu_seconds = 0;         // CPU time of all running and ended processes
  int processes = 0;              // number of running processes
  int threads = 0;                // number of threads of the running processes
  std::optional<DiskUse> disk;    // as cpu_seconds; nullopt if the kernel does not show the disk use
};

// Measures all processes below this one. This process must be a subreaper and must reap all of them, because the kernel
// adds the CPU time of an ended process only when the process is reaped.
//
// Memory is the sum of the anonymous memory of all processes, plus the largest mapped-file value and the largest
// shared-memory value of any process. The reason: ranks on one machine map the same libraries and exchange data through
// the same segments. A sum of RSS would count these once per rank. (Exact shares, PSS, would stop a large process for
// tens of milliseconds per sample.) The peak includes the kernel's high-water mark of each process, so that a spike
// between two samples is not lost.
class UsageMeter {
 public:
  // Reading the disk use costs one more file per process. With kSkip, Usage::disk has the value of the last sample with
  // kRead.
  enum class Disk { kSkip, kRead };
  Usage Sample(Disk disk = Disk::kSkip);
  // The CPU time and disk use of all processes that have ended and were reaped. This costs one system call.
  static Usage Ended();
  const Usage& last() const { return last_; }

 private:
  Usage last_;
  std::string text_;  // a buffer for files of /proc
};

// Counters of the kernel since the boot of the machine, or since the creation of a cgroup.
struct OomCounts {
  int64_t machine = 0;  // OOM kills on this machine
  int64_t cgroup = 0;   // those in the cgroup of this process
  // How often this cgroup or one above it has reached its own limit. In cgroup v1 this includes the times when freeing
  // page cache was enough, so it shows the cause of an OOM kill only if `cgroup` has grown, too.
  int64_t cgroup_full = 0;
};
OomCounts ReadOomCounts();

struct GpuUsage {
  int index = 0;
  double utilisation = 0;  // a share, 0..1
  int64_t memory_bytes = 0;
  int64_t memory_total_bytes = 0;          // 0 if unknown
  std::string pci_address = {};            // as nvidia-smi writes it, "00000000:3B:00.0"; empty if unknown
  std::optional<double> power_watts = {};  // nullopt if unknown
  // Whether the GPU is slowed down, because it is too hot or its hardware requires that; nullopt if unknown.
  std::optional<bool> slowed_down = {};
};
// GpuUsageQuery returns the nvidia-smi commands in the order of decreasing detail. An nvidia-smi that does not support
// a field refuses the whole command. The output has one line per GPU, such as "0, 37, 1024, 81920, 00000000:3B:00.0,
// 350.12, 0x0000000000000004". Other lines are ignored.
inline constexpr int kGpuUsageQueries = 3;
std::vector<std::string> GpuUsageQuery(int variant);
bool RefusesGpuUsageQuery(std::string_view text);
std::vector<GpuUsage> ParseGpuUsage(std::string_view text);

}  // namespace howdah::os::process
