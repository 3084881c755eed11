// Samples the use of the task's GPUs with nvidia-smi.
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <string>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/os/process/tree.h"
#include "howdah/os/process/usage.h"
#include "samples.h"
#include "tool_run.h"

namespace howdah::executor {

// Returns the interval between two runs of nvidia-smi, if one run costs `cpu_seconds` of CPU time. The interval is 5 s.
// It is doubled until the cost is less than 0.1 % of a core, but is at most 60 s.
Duration GpuInterval(double cpu_seconds);

// Each run of nvidia-smi costs a process and some tens of milliseconds of CPU time, so the cost of the last run decides
// when the next one may start. A run that takes longer than 10 s is killed. Everything is asynchronous, on the
// executor's loop. The executor reaps the process.
class GpuSampler {
 public:
  // gpus: the GPUs of the task; if empty, nothing is sampled. path: the PATH in which nvidia-smi is looked up.
  GpuSampler(boost::asio::io_context& loop, std::vector<int> gpus, const std::string& path);

  // Runs nvidia-smi, unless the last run is recent or has not ended.
  void Poll(Instant now);
  // Call it for every child that has ended.
  void OnReaped(const os::process::Reaped& child);

  // Whether nvidia-smi was found.
  bool found() const { return found_; }
  // The number of runs that have ended.
  int runs() const { return runs_; }
  // The last sample. Empty while a run takes longer than its limit, because a driver that hangs can make nvidia-smi
  // unkillable.
  const std::vector<os::process::GpuUsage>& last() const { return last_; }
  // The PCI addresses of all GPUs that any sample has contained, by GPU index.
  const std::map<int, std::string>& pci_addresses() const { return pci_addresses_; }
  // Averages and peaks over all samples so far.
  const GpuSamples& samples() const { return samples_; }

 private:
  void OnEnded(const std::string& text);

  std::vector<int> gpus_;
  std::string path_;
  bool found_ = false;
  ToolRun tool_;
  Instant started_, next_;
  pid_t pid_ = -1;  // the last run of nvidia-smi, until it is reaped
  int query_ = 0;   // the index of the most detailed query that this nvidia-smi supports
  int runs_ = 0;
  std::vector<os::process::GpuUsage> last_;
  // Kept from all samples, because a GPU that has failed is missing in later samples.
  std::map<int, std::string> pci_addresses_;
  GpuSamples samples_;
};

}  // namespace howdah::executor
