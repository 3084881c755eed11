// Whether an attempt still shows that it is alive, looked at with every heartbeat.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/core/progress.h"
#include "howdah/os/process/usage.h"

namespace howdah::executor {

class Liveness {
 public:
  // outputs: the log files of an attempt that starts.
  void Begin(Instant now, std::vector<std::string> outputs);

  struct Seen {
    Instant now;
    double cpu_seconds = 0;  // of all that ever ran
    const std::vector<os::process::GpuUsage>& gpus;
    std::optional<Instant> progress;
  };
  void Look(const Seen& seen);

  core::Activity last() const { return core::NewestActivity(signs_); }

 private:
  int64_t OutputSize() const;

  core::ActivityTimes signs_;
  std::vector<std::string> outputs_;
  int64_t output_size_ = 0;
  Instant looked_;
  std::optional<double> cpu_seconds_;  // when it was looked last
};

}  // namespace howdah::executor
