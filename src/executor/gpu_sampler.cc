#include "gpu_sampler.h"

#include <algorithm>

#include "howdah/os/process/spawn.h"

namespace howdah::executor {
namespace {

using namespace std::chrono_literals;

constexpr Duration kShortestInterval = 5s, kLongestInterval = 60s;
constexpr double kCost = 0.001;  // the maximum CPU use of the runs, as a share of one core
constexpr auto kLimit = 10s;

}  // namespace

Duration GpuInterval(double cpu_seconds) {
  Duration interval = kShortestInterval;
  while (interval < kLongestInterval && cpu_seconds >= kCost * std::chrono::duration<double>(interval).count())
    interval *= 2;
  return std::min(interval, kLongestInterval);
}

GpuSampler::GpuSampler(boost::asio::io_context& loop, std::vector<int> gpus, const std::string& path)
    : gpus_(std::move(gpus)), path_(path), tool_(loop) {
  found_ = !gpus_.empty() && os::process::LookUpCommand("nvidia-smi", path, "/").error == 0;
}

void GpuSampler::Poll(Instant now) {
  const bool running = tool_.pid() > 0;
  if (running && now >= started_ + kLimit) last_.clear();
  if (!found_ || running || now < next_) return;
  started_ = now;
  next_ = now + kShortestInterval;
  tool_.Start(path_, os::process::GpuUsageQuery(query_), kLimit,
              [this](const ToolRun::Output& output) { OnEnded(output.killed ? "" : output.out); });
  pid_ = tool_.pid();
}

void GpuSampler::OnReaped(const os::process::Reaped& child) {
  if (child.pid != pid_) return;
  pid_ = -1;
  next_ = started_ + GpuInterval(child.cpu_seconds);
}

void GpuSampler::OnEnded(const std::string& text) {
  if (os::process::RefusesGpuUsageQuery(text) && query_ + 1 < os::process::kGpuUsageQueries) {
    ++query_;
    started_ = next_ = {};  // the next Poll may immediately start a run with the simpler query
    return;
  }
  ++runs_;
  last_ = os::process::ParseGpuUsage(text);
  std::erase_if(last_, [&](const os::process::GpuUsage& gpu) {
    return std::find(gpus_.begin(), gpus_.end(), gpu.index) == gpus_.end();
  });
  for (const os::process::GpuUsage& gpu : last_) {
    if (!gpu.pci_address.empty()) pci_addresses_[gpu.index] = gpu.pci_address;
  }
  samples_.Add(last_);
}

}  // namespace howdah::executor
