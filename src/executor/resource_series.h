// The series of a task's resources, from measurements.
#pragma once

#include <cstddef>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/os/process/resources.h"
#include "metric_writer.h"

namespace howdah::executor {

// Turns counters into rates. Pure.
class ResourceSeries {
 public:
  ResourceSeries();

  // Begins an attempt. begun: the measures whose values at its beginning are known. The other measures have no rate
  // before the second sample.
  void Begin(const os::process::Measurements& begun, Instant at);
  void Write(const os::process::Measurements& now, Instant at, MetricWriter& writer);

 private:
  void WriteCpu(const os::process::Measurements& now, double seconds, MetricWriter& writer);
  void WriteThrottled(const os::process::Measurements& now, MetricWriter& writer);
  void WriteMemory(const os::process::Measurements& now, MetricWriter& writer);
  // Returns the growth of a counter since the last measurement, or nullopt if it is not known.
  std::optional<double> GrowthOf(const os::process::Measurements& now, os::process::Measure measure) const;

  std::vector<MetricSeries> simple_;  // parallel to kRows in resource_series.cc
  MetricSeries cpu_{"cpu_cores", "cores"}, throttled_{"cpu_throttled", "share"}, memory_{"memory_bytes", "bytes"};
  os::process::Measurements last_;
  Instant last_at_;
};

// The series of a task's GPUs, from one answer of nvidia-smi. Pure.
class GpuSeries {
 public:
  void Write(const std::vector<os::process::GpuUsage>& gpus, MetricWriter& writer);
  void WriteAbsent(std::string_view why, MetricWriter& writer);

 private:
  struct OfGpu {
    int index = 0;
    MetricSeries utilisation, memory;
  };
  OfGpu& SeriesOf(int index);

  MetricSeries utilisation_{"gpu_util", "share"}, memory_{"gpu_memory", "share"}, power_{"gpu_power", "W"};
  MetricSeries throttled_{"gpu_throttled", "share"};
  std::vector<OfGpu> gpus_;
};

}  // namespace howdah::executor
