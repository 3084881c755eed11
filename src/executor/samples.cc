#include "samples.h"

#include <algorithm>

namespace howdah::executor {

void Samples::Add(double value) {
  ++count_;
  sum_ += value;
  peak_ = std::max(peak_, value);
}

void GpuSamples::Add(const std::vector<os::process::GpuUsage>& answer) {
  for (const os::process::GpuUsage& gpu : answer) {
    utilisation.Add(gpu.utilisation);
    if (gpu.memory_total_bytes <= 0) continue;
    memory.Add(static_cast<double>(gpu.memory_bytes) / static_cast<double>(gpu.memory_total_bytes));
  }
}

}  // namespace howdah::executor
