#include "resource_series.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "samples.h"

namespace howdah::executor {
namespace {

using os::process::GpuUsage;
using os::process::Measure;
using os::process::Measured;
using os::process::Measurements;

enum class Kind {
  kNow,    // the value of the measure
  kRate,   // the growth of a counter per second
  kShare,  // the growth of a counter of seconds per second, at most 1
};
struct Row {
  std::string_view name, unit;
  Measure measure;
  Kind kind;
};
// The series that are each computed from a single measure.
constexpr std::array<Row, 14> kRows = {{{"cpu_pressure", "share", Measure::kCpuPressure, Kind::kShare},
                                        {"io_pressure", "share", Measure::kIoPressure, Kind::kShare},
                                        {"memory_pressure", "share", Measure::kMemoryPressure, Kind::kShare},
                                        {"shm_bytes", "bytes", Measure::kShm, Kind::kNow},
                                        {"disk_read", "bytes/s", Measure::kDiskRead, Kind::kRate},
                                        {"disk_write", "bytes/s", Measure::kDiskWritten, Kind::kRate},
                                        {"net_rx", "bytes/s", Measure::kNetReceived, Kind::kRate},
                                        {"net_tx", "bytes/s", Measure::kNetSent, Kind::kRate},
                                        {"rdma_rx", "bytes/s", Measure::kRdmaReceived, Kind::kRate},
                                        {"rdma_tx", "bytes/s", Measure::kRdmaSent, Kind::kRate},
                                        {"datanodes_local", "", Measure::kDataNodesLocal, Kind::kNow},
                                        {"datanodes_remote", "", Measure::kDataNodesRemote, Kind::kNow},
                                        {"processes", "", Measure::kProcesses, Kind::kNow},
                                        {"threads", "", Measure::kThreads, Kind::kNow}}};

}  // namespace

ResourceSeries::ResourceSeries() {
  for (const Row& row : kRows) simple_.push_back({std::string(row.name), row.unit});
}

void ResourceSeries::Begin(const Measurements& begun, Instant at) {
  last_ = begun;
  last_at_ = at;
}

std::optional<double> ResourceSeries::GrowthOf(const Measurements& now, Measure measure) const {
  const std::optional<double>& before = last_[measure].value;
  const std::optional<double>& after = now[measure].value;
  if (!before || !after) return std::nullopt;
  return std::max(0.0, *after - *before);
}

void ResourceSeries::Write(const Measurements& now, Instant at, MetricWriter& writer) {
  const double seconds = std::chrono::duration<double>(at - last_at_).count();
  if (seconds <= 0) return;
  WriteCpu(now, seconds, writer);
  WriteThrottled(now, writer);
  WriteMemory(now, writer);
  for (size_t i = 0; i < kRows.size(); ++i) {
    const Measured& measured = now[kRows[i].measure];
    MetricSeries& series = simple_[i];
    series.of_node = measured.of_node;
    if (kRows[i].measure == Measure::kShm) series.capacity = now[Measure::kShmSize].value;
    if (kRows[i].measure == Measure::kNetReceived || kRows[i].measure == Measure::kNetSent)
      series.capacity = now[Measure::kNetSpeed].value;
    if (!measured.absent.empty()) {
      writer.AddAbsent(series, measured.absent);
      continue;
    }
    if (kRows[i].kind == Kind::kNow) {
      if (measured.value) writer.Add(series, *measured.value);
      continue;
    }
    const auto growth = GrowthOf(now, kRows[i].measure);
    if (!growth) continue;
    const double rate = *growth / seconds;
    writer.Add(series, kRows[i].kind == Kind::kShare ? std::min(rate, 1.0) : rate);
  }
  last_ = now;
  last_at_ = at;
}

void ResourceSeries::WriteCpu(const Measurements& now, double seconds, MetricWriter& writer) {
  auto growth = GrowthOf(now, Measure::kCgroupCpuSeconds);
  if (!growth) growth = GrowthOf(now, Measure::kCpuSeconds);
  if (growth) writer.Add(cpu_, *growth / seconds);
}

void ResourceSeries::WriteThrottled(const Measurements& now, MetricWriter& writer) {
  if (!now[Measure::kPeriods].absent.empty()) return writer.AddAbsent(throttled_, now[Measure::kPeriods].absent);
  const auto periods = GrowthOf(now, Measure::kPeriods), throttled = GrowthOf(now, Measure::kThrottledPeriods);
  if (!periods || !throttled) return;
  writer.Add(throttled_, *periods > 0 ? std::min(*throttled / *periods, 1.0) : 0);
}

// The peak comes from the kernel's high-water marks, so it includes memory that a process has used only between two
// samples.
void ResourceSeries::WriteMemory(const Measurements& now, MetricWriter& writer) {
  if (!now[Measure::kMemory].value) return;
  wire::MetricValue& memory = writer.Add(memory_, *now[Measure::kMemory].value);
  const double peak = now.Or0(Measure::kMemoryPeak);
  if (peak > memory.value() && peak > last_.Or0(Measure::kMemoryPeak)) memory.set_max(peak);
}

GpuSeries::OfGpu& GpuSeries::SeriesOf(int index) {
  const auto found = std::find_if(gpus_.begin(), gpus_.end(), [&](const OfGpu& gpu) { return gpu.index == index; });
  if (found != gpus_.end()) return *found;
  const std::string name = "gpu" + std::to_string(index);
  return gpus_.emplace_back(OfGpu{index, {name + "_util", "share"}, {name + "_memory", "share"}});
}

void GpuSeries::Write(const std::vector<GpuUsage>& gpus, MetricWriter& writer) {
  Samples utilisation, memory, power, slowed;
  for (const GpuUsage& gpu : gpus) {
    utilisation.Add(gpu.utilisation);
    OfGpu& series = SeriesOf(gpu.index);
    writer.Add(series.utilisation, gpu.utilisation);
    if (gpu.memory_total_bytes > 0) {
      const double used = static_cast<double>(gpu.memory_bytes) / static_cast<double>(gpu.memory_total_bytes);
      memory.Add(used);
      writer.Add(series.memory, used);
    }
    if (gpu.power_watts) power.Add(std::max(0.0, *gpu.power_watts));
    if (gpu.slowed_down) slowed.Add(*gpu.slowed_down ? 1 : 0);
  }
  const auto add = [&](MetricSeries& series, const Samples& samples) {
    if (samples.empty()) return writer.AddAbsent(series, "nvidia-smi does not report it for the task's GPUs");
    wire::MetricValue& value = writer.Add(series, samples.average());
    if (samples.peak() > samples.average()) value.set_max(samples.peak());
  };
  add(utilisation_, utilisation);
  add(memory_, memory);
  add(power_, power);
  add(throttled_, slowed);
}

void GpuSeries::WriteAbsent(std::string_view why, MetricWriter& writer) {
  for (MetricSeries* series : {&utilisation_, &memory_, &power_, &throttled_}) writer.AddAbsent(*series, why);
}

}  // namespace howdah::executor
