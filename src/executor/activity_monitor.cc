#include "activity_monitor.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace howdah::executor {
namespace {

constexpr double kGpuBusy = 0.01;

}  // namespace

void ActivityMonitor::Begin(Instant now, std::vector<std::string> outputs) {
  times_ = {.started = now};
  outputs_ = std::move(outputs);
  output_size_ = OutputSize();
  updated_ = now;
  cpu_seconds_.reset();
}

void ActivityMonitor::Update(const Measurements& measured) {
  const int64_t size = OutputSize();
  if (std::exchange(output_size_, size) != size) times_.output = measured.now;
  const double before = std::exchange(cpu_seconds_, measured.cpu_seconds).value_or(measured.cpu_seconds);
  if (core::IsBusy(measured.cpu_seconds - before, measured.now - updated_)) times_.cpu = measured.now;
  const bool gpu_busy = std::any_of(measured.gpus.begin(), measured.gpus.end(),
                                    [](const os::process::GpuUsage& gpu) { return gpu.utilisation > kGpuBusy; });
  if (gpu_busy) times_.gpu = measured.now;
  times_.progress = measured.progress;
  updated_ = measured.now;
}

int64_t ActivityMonitor::OutputSize() const {
  int64_t size = 0;
  for (const std::string& path : outputs_) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) size += info.st_size;
  }
  return size;
}

}  // namespace howdah::executor
