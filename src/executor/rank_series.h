// The series of a task's processes, from the lines that they write to HOWDAH_PROGRESS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/core/progress.h"
#include "metric_writer.h"

namespace howdah::executor {

// A step or a number of seconds, and the time at which it was reported. Not a member of RankSeries, because clang 16
// cannot compile it there with sanitizers.
template <typename T>
struct Report {
  T value{};
  Instant at;
};

// Pure. The memory is bounded, whatever the processes write: a task has at most kMostNames different names of metrics,
// and at most kMostMetrics metrics in all its processes together.
class RankSeries {
 public:
  static constexpr size_t kMostNames = 64, kMostMetrics = 4096;

  // Begins an attempt.
  void Begin(int processes, Instant at);
  // Adds a line. Returns false if the line is a metric that exceeds a limit; the line is then ignored.
  bool Take(int local_rank, const core::ProgressLine& line, Instant at);
  void Write(Instant at, MetricWriter& writer);

 private:
  struct Metric {
    MetricSeries series;
    double newest = 0, highest = 0;
    std::optional<int64_t> step = {};
    bool reported = false;  // whether the process has reported a value since the last sample
  };
  struct Rank {
    explicit Rank(int local_rank);
    MetricSeries step, steps_s, step_s, input_wait;
    std::vector<Metric> metrics;
    std::optional<Report<int64_t>> newest_step;
    // The steps from which the next values of steps_s and step_s are counted.
    std::optional<Report<int64_t>> rate_from, time_from;
    std::optional<Report<double>> input;  // the newest `input` line; set only if it is newer than the last sample
    Report<double> input_from;
  };
  bool TakeMetric(Rank& rank, const core::ProgressLine& line);
  static void WriteSteps(Rank& rank, Instant at, MetricWriter& writer);
  static void WriteInput(Rank& rank, MetricWriter& writer);
  static void WriteMetrics(Rank& rank, MetricWriter& writer);

  std::vector<Rank> ranks_;
  std::vector<std::string> names_;
  size_t metrics_ = 0;  // the number of metrics of all ranks together
};

}  // namespace howdah::executor
