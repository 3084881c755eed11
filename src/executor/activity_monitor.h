// Records when an attempt last showed activity: output, CPU time, GPU use, or progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/core/progress.h"
#include "howdah/os/process/usage.h"

namespace howdah::executor {

// The caller calls Update with every heartbeat.
class ActivityMonitor {
 public:
  // Call it when an attempt starts. outputs: the attempt's log files.
  void Begin(Instant now, std::vector<std::string> outputs);

  struct Measurements {
    Instant now;
    double cpu_seconds = 0;  // the CPU time that all processes of the task have used so far
    const std::vector<os::process::GpuUsage>& gpus;
    std::optional<Instant> progress;
  };
  void Update(const Measurements& measured);

  core::Activity last() const { return core::NewestActivity(times_); }

 private:
  int64_t OutputSize() const;

  core::ActivityTimes times_;
  std::vector<std::string> outputs_;
  int64_t output_size_ = 0;
  Instant updated_;
  std::optional<double> cpu_seconds_;  // the value in the last Update
};

}  // namespace howdah::executor
