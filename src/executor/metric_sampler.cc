#include "metric_sampler.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "log.h"

namespace howdah::executor {
namespace {

constexpr Duration kWatchedInterval = std::chrono::seconds(1);

}  // namespace

void MetricSampler::Begin(Target target) {
  target_ = std::move(target);
  if (!active()) return;
  const Instant now = clock_.Now();
  os::process::Measurements begun = os::process::MeasureEnded();
  begun[os::process::Measure::kMemoryPeak].value = static_cast<double>(usage_.memory_peak_bytes());
  resources_.Begin(begun, now);
  ranks_.Begin(static_cast<int>(target_.logs.size()), now);
  last_ = now;
  Schedule();
}

void MetricSampler::End() {
  timer_.cancel();
  if (!active()) return;
  if (am_.connected()) {
    const Instant now = clock_.Now();
    writer_.Begin(now, target_.attempt);
    ranks_.Write(now, writer_);
    if (meter_) WriteLogs();
    Send();
  }
  target_ = {};
}

void MetricSampler::OnLine(int local_rank, const core::ProgressLine& line) {
  if (!active() || ranks_.Take(local_rank, line, clock_.Now()) || std::exchange(limit_reported_, true)) return;
  Log("metric '" + std::string(line.name) + "' in HOWDAH_PROGRESS is ignored: a task has at most " +
      std::to_string(RankSeries::kMostNames) + " different names of metrics, and its processes together at most " +
      std::to_string(RankSeries::kMostMetrics) + " metrics");
}

void MetricSampler::Watch(bool on) {
  if (std::exchange(watched_, on) != on && active()) Schedule();
}

void MetricSampler::OnNewStream() {
  writer_.NewStream();
  Watch(false);
}

void MetricSampler::Schedule() {
  const Duration interval = watched_ ? std::min(target_.interval, kWatchedInterval) : target_.interval;
  const Instant due = last_ + interval;
  timer_.expires_after(due - clock_.Now());
  timer_.async_wait([this, due](const boost::system::error_code& error) {
    if (error || !active()) return;
    // A late sample does not delay the samples after it. After a long pause, the missed samples are skipped, so that
    // they do not all follow immediately.
    last_ = std::max(due, clock_.Now() - kWatchedInterval);
    if (am_.connected()) Sample();
    Schedule();
  });
}

void MetricSampler::Sample() {
  if (!meter_) meter_ = std::make_unique<os::process::ResourceMeter>(os::process::IsOfThisTask);
  usage_.PollGpus();
  const os::process::Usage usage = usage_.Measure();
  const Instant now = clock_.Now();
  writer_.Begin(now, target_.attempt);
  resources_.Write(meter_->Read(usage), now, writer_);
  WriteLogs();
  WriteGpus();
  ranks_.Write(now, writer_);
  Send();
}

// Each log file has its own series, because positions in different files cannot be combined.
void MetricSampler::WriteLogs() {
  const size_t processes = target_.logs.size();
  for (int rank = static_cast<int>(logs_.size() / 2); rank < static_cast<int>(processes); ++rank) {
    const std::optional<int> local_rank = processes > 1 ? std::optional(rank) : std::nullopt;
    logs_.push_back({"stdout_bytes", "bytes", false, local_rank});
    logs_.push_back({"stderr_bytes", "bytes", false, local_rank});
  }
  const auto write = [&](const std::string& path, MetricSeries& series) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      writer_.Add(series, static_cast<double>(info.st_size));
    }
  };
  for (size_t rank = 0; rank < processes; ++rank) {
    write(target_.logs[rank].out, logs_[2 * rank]);
    write(target_.logs[rank].err, logs_[2 * rank + 1]);
  }
}

void MetricSampler::WriteGpus() {
  const GpuSampler* const sampler = usage_.gpu_sampler();
  if (sampler == nullptr) return;
  if (!sampler->found()) return gpus_.WriteAbsent("nvidia-smi is not in the PATH", writer_);
  if (std::exchange(gpu_runs_, sampler->runs()) == sampler->runs()) return;
  if (sampler->last().empty()) return gpus_.WriteAbsent("nvidia-smi reports none of the task's GPUs", writer_);
  gpus_.Write(sampler->last(), writer_);
}

void MetricSampler::Send() {
  if (!writer_.empty()) am_.Send(writer_.message());
}

}  // namespace howdah::executor
