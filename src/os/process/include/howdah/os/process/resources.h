// Measures the resources that a task uses, from the task's own cgroup where it has one, otherwise from /proc and /sys.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/os/process/usage.h"

namespace howdah::os::process {

// Most measures are counters that only grow; their difference between two readings is the use of the time between.
enum class Measure {
  kCpuSeconds,        // counter: CPU time of the task's processes
  kCgroupCpuSeconds,  // counter: CPU time of the task's own cgroup
  kPeriods,           // counter: periods of the CPU limit of the task's own cgroup; 0 without a limit
  kThrottledPeriods,  // counter: the number of those periods in which the limit was reached
  kCpuPressure,       // counter: seconds in which at least one process waited for the CPU (PSI)
  kIoPressure,        // as kCpuPressure, for storage
  kMemoryPressure,    // as kCpuPressure, for memory
  kMemory,            // bytes, as Usage::memory_bytes
  kMemoryPeak,        // bytes, as Usage::memory_peak_bytes
  kShm,               // bytes used in /dev/shm
  kShmSize,           // size of /dev/shm in bytes
  kDiskRead,          // counter, bytes
  kDiskWritten,
  kNetReceived,  // counter, bytes, without the loopback interface
  kNetSent,
  kNetSpeed,         // bytes per second that the counted interfaces can carry in each direction
  kDataNodesLocal,   // open connections of the task to the DataNode of this node; none before there was any connection
  kDataNodesRemote,  // the same, to DataNodes of other nodes
  kRdmaReceived,     // counter, bytes
  kRdmaSent,
  kProcesses,
  kThreads,
  kCount
};

struct Measured {
  std::optional<double> value;  // nullopt if the last reading of the value failed
  bool of_node = false;         // the value is that of the whole node, not only of the task
  std::string_view absent;      // the reason why the value can never be read, as a clause; empty if it can be read
};

class Measurements {
 public:
  Measured& operator[](Measure measure) { return all_[static_cast<size_t>(measure)]; }
  const Measured& operator[](Measure measure) const { return all_[static_cast<size_t>(measure)]; }
  double Or0(Measure measure) const { return (*this)[measure].value.value_or(0); }

 private:
  std::array<Measured, static_cast<size_t>(Measure::kCount)> all_;
};

// A cgroup is the task's own if it contains no other processes than those of the task. The meter decides this at the
// first reading, when it opens the files. Later readings cost a few system calls per file, and allocate no memory.
//
// The traffic is that of the task only if the task has a network namespace of its own. The disk use always comes from
// /proc. The reason: a cgroup counts the same bytes twice, for a logical and a physical device, and cgroup v1 counts
// only direct I/O.
//
// Connections to DataNodes are looked for at most 0.1 % of the time: less often where the kernel's table is long. Only
// that allocates memory, in proportion to the connections to DataNodes.
//
// Not thread-safe.
class ResourceMeter {
 public:
  // is_of_task: whether a process belongs to the task, or to the start of its container. root: the directory in which
  // proc, sys and dev are looked up, for tests.
  explicit ResourceMeter(std::function<bool(int pid)> is_of_task, std::string root = "");
  ~ResourceMeter();

  // Reads all measures. usage: the present usage of the task's processes.
  const Measurements& Read(const Usage& usage);

 private:
  class Sources;
  std::function<bool(int pid)> is_of_task_;
  std::string root_;
  std::unique_ptr<Sources> sources_;  // set at the first reading
  Measurements now_;
};

// Returns the measures that are known without reading any file: those of the processes that have ended.
Measurements MeasureEnded();

// Whether the process with this id belongs to the task: it is this process, a descendant, an ancestor in the same
// session (the ancestors have started this process), or has already ended. Processes of other pid namespaces, which
// have the id 0, do not belong to the task.
bool IsOfThisTask(int pid);

}  // namespace howdah::os::process
