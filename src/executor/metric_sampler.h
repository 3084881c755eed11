// Samples the series of the task and sends them to the AM.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <vector>

#include "am_connection.h"
#include "howdah/core/progress.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/resources.h"
#include "log_files.h"
#include "metric_writer.h"
#include "rank_series.h"
#include "resource_series.h"
#include "task_usage.h"

namespace howdah::executor {

// Samples a running attempt at a fixed interval, and every second while a client watches. Opens no file and reads
// nothing of /proc before the first interval has passed, so that short attempts cost nothing. There are no samples
// while no AM is connected; the next rates then cover that time, too. Used on the executor's loop only.
class MetricSampler {
 public:
  MetricSampler(boost::asio::io_context& loop, const os::process::Clock& clock, AmConnection& am)
      : clock_(clock), am_(am), usage_(loop, clock), timer_(loop) {}

  // The meters that heartbeats and samples share.
  TaskUsage& usage() { return usage_; }

  struct Target {
    int attempt = 0;
    Duration interval{};         // 0: take no samples
    std::vector<LogFiles> logs;  // indexed by local rank
  };
  // Call it when an attempt starts.
  void Begin(Target target);
  // Call it when the attempt ends. Sends the values that the processes have reported since the last sample.
  void End();

  // Adds a line that a process has written to HOWDAH_PROGRESS.
  void OnLine(int local_rank, const core::ProgressLine& line);
  // Call it when a client begins or stops watching the metrics.
  void Watch(bool on);
  // Call it when the executor has registered with an AM.
  void OnNewStream();

 private:
  bool active() const { return target_.interval > Duration::zero(); }
  void Schedule();
  void Sample();
  void WriteLogs();
  void WriteGpus();
  void Send();

  const os::process::Clock& clock_;
  AmConnection& am_;
  TaskUsage usage_;
  Target target_;
  bool watched_ = false;
  boost::asio::steady_timer timer_;
  Instant last_;                                       // when the last sample was due
  std::unique_ptr<os::process::ResourceMeter> meter_;  // created with the first sample
  MetricWriter writer_;
  ResourceSeries resources_;
  GpuSeries gpus_;
  int gpu_runs_ = 0;  // the number of runs of nvidia-smi whose values have been written
  RankSeries ranks_;
  // The series of the log files: stdout and stderr of each process.
  std::vector<MetricSeries> logs_;
  bool limit_reported_ = false;
};

}  // namespace howdah::executor
