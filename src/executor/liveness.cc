#include "liveness.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace howdah::executor {
namespace {

constexpr double kGpuBusy = 0.01;

}  // namespace

void Liveness::Begin(Instant now, std::vector<std::string> outputs) {
  signs_ = {.started = now};
  outputs_ = std::move(outputs);
  output_size_ = OutputSize();
  looked_ = now;
  cpu_seconds_.reset();
}

void Liveness::Look(const Seen& seen) {
  const int64_t size = OutputSize();
  if (std::exchange(output_size_, size) != size) signs_.output = seen.now;
  const double before = std::exchange(cpu_seconds_, seen.cpu_seconds).value_or(seen.cpu_seconds);
  if (core::IsBusy(seen.cpu_seconds - before, seen.now - looked_)) signs_.cpu = seen.now;
  const bool gpu_busy = std::any_of(seen.gpus.begin(), seen.gpus.end(),
                                    [](const os::process::GpuUsage& gpu) { return gpu.utilisation > kGpuBusy; });
  if (gpu_busy) signs_.gpu = seen.now;
  signs_.progress = seen.progress;
  looked_ = seen.now;
}

int64_t Liveness::OutputSize() const {
  int64_t size = 0;
  for (const std::string& path : outputs_) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) size += info.st_size;
  }
  return size;
}

}  // namespace howdah::executor
