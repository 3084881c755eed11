// Measures the memory, CPU time and GPU use of the task's processes.
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu_sampler.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/usage.h"
#include "howdah/wire/executor.pb.h"
#include "samples.h"

namespace howdah::executor {

class TaskUsage {
 public:
  // clock must live longer than this object.
  TaskUsage(boost::asio::io_context& loop, const os::process::Clock& clock) : loop_(loop), clock_(clock) {}

  // gpus: the GPUs of the task. path: the PATH in which nvidia-smi is looked up.
  void MeasureGpus(std::vector<int> gpus, const std::string& path);
  // Starts a measurement of the GPUs, unless the last measurement is recent.
  void PollGpus();
  // Call it for every child that has ended.
  void OnReaped(const os::process::Reaped& child);
  // Measures the usage now, with the disk use.
  os::process::Usage Measure();
  // Measures the usage now, and fills in the averages and peaks over all attempts.
  void Fill(wire::Usage& usage);
  // The caller adds samples only while an attempt runs, so the averages ignore idle time.
  void AddMemorySample(int64_t bytes) { memory_.Add(static_cast<double>(bytes)); }

  // The highest memory use over all attempts so far.
  int64_t memory_peak_bytes() const { return meter_.last().memory_peak_bytes; }
  const std::vector<os::process::GpuUsage>& gpus() const;
  // Null if the task has no GPUs.
  const GpuSampler* gpu_sampler() const { return gpus_.get(); }
  std::map<int, std::string> pci_addresses() const;

 private:
  boost::asio::io_context& loop_;
  const os::process::Clock& clock_;
  os::process::UsageMeter meter_;
  Samples memory_;
  std::unique_ptr<GpuSampler> gpus_;
};

}  // namespace howdah::executor
