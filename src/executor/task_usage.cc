#include "task_usage.h"

#include <utility>

namespace howdah::executor {

void TaskUsage::MeasureGpus(std::vector<int> gpus, const std::string& path) {
  if (!gpus.empty()) gpus_ = std::make_unique<GpuSampler>(loop_, std::move(gpus), path);
}

void TaskUsage::PollGpus() {
  if (gpus_) gpus_->Poll(clock_.Now());
}

void TaskUsage::OnReaped(const os::process::Reaped& child) {
  if (gpus_) gpus_->OnReaped(child);
}

os::process::Usage TaskUsage::Measure() { return meter_.Sample(os::process::UsageMeter::Disk::kRead); }

void TaskUsage::Fill(wire::Usage& usage) {
  const os::process::Usage now = meter_.Sample();
  usage.set_memory_bytes(now.memory_bytes);
  usage.set_memory_peak_bytes(now.memory_peak_bytes);
  usage.set_cpu_seconds(now.cpu_seconds);
  usage.set_memory_average_bytes(static_cast<int64_t>(memory_.average()));
  if (!gpus_) return;
  const GpuSamples& samples = gpus_->samples();
  if (!samples.utilisation.empty()) {
    wire::GpuUse& use = *usage.mutable_gpu_use();
    use.set_utilisation_average(samples.utilisation.average());
    use.set_utilisation_peak(samples.utilisation.peak());
    use.set_memory_average(samples.memory.average());
    use.set_memory_peak(samples.memory.peak());
  }
  for (const os::process::GpuUsage& gpu : gpus_->last()) {
    wire::Gpu& out = *usage.add_gpus();
    out.set_index(gpu.index);
    out.set_utilisation(gpu.utilisation);
    out.set_memory_bytes(gpu.memory_bytes);
  }
}

const std::vector<os::process::GpuUsage>& TaskUsage::gpus() const {
  static const std::vector<os::process::GpuUsage> kNone;
  return gpus_ ? gpus_->last() : kNone;
}

std::map<int, std::string> TaskUsage::pci_addresses() const {
  return gpus_ ? gpus_->pci_addresses() : std::map<int, std::string>();
}

}  // namespace howdah::executor
