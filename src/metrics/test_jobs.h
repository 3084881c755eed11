// Samples and jobs for the tests of this library.
#pragma once

#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "howdah/metrics/file.h"
#include "howdah/metrics/recorder.h"

namespace howdah::metrics {

using std::chrono::hours;
using std::chrono::seconds;

inline constexpr Instant kBegun = Instant(std::chrono::days(20'000));
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline const TaskKey kWorker0 = {"worker", 0}, kWorker1 = {"worker", 1};
inline const Series kCpu = {"cpu_cores", "cores", Scope::kTask}, kNet = {"net_rx", "bytes/s", Scope::kNode};
inline const Series kLoss = {"metric.loss", "", Scope::kTask}, kStep = {"step", "", Scope::kTask};

inline Sample At(Duration since, const Series& series, double value, std::optional<double> max = std::nullopt) {
  Sample sample;
  sample.at = kBegun + since;
  sample.values.push_back({series, std::nullopt, value, max, std::nullopt, std::nullopt});
  return sample;
}

inline Sample LossAt(Duration since, double value, int64_t step, int rank = 0) {
  Sample sample;
  sample.at = kBegun + since;
  sample.values.push_back({kLoss, rank, value, std::nullopt, step, std::nullopt});
  return sample;
}

inline Result<File> OpenBytes(std::string bytes) { return Open(BytesOf(std::move(bytes))); }

inline Query TaskQuery(const TaskKey& task) {
  Query query;
  query.role = task.role;
  query.index = task.index;
  return query;
}

inline Query RoleQuery() {
  Query query;
  query.of = Query::Of::kRole;
  return query;
}

inline Recorder SomeJob() {
  Recorder recorder(kBegun, {});
  for (int i = 0; i < 20; ++i) {
    for (int task = 0; task < 3; ++task) {
      const TaskKey key{task == 2 ? "ps" : "worker", task % 2};
      recorder.Add(key, At(seconds(5 * i + 1), kCpu, task + i));
      recorder.Add(key, At(seconds(5 * i + 1), kNet, 100 * task));
    }
    for (int rank = 0; rank < 2; ++rank) recorder.Add(kWorker1, LossAt(seconds(5 * i + 1), 1.0 / (i + 1), i, rank));
  }
  return recorder;
}

inline std::vector<std::string> NamesOf(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) {
    std::string name = column.role;
    if (column.index) name += ":" + std::to_string(*column.index);
    name += " " + column.series.name;
    if (column.rank) name += " rank " + std::to_string(*column.rank);
    if (column.quantile) name += " " + std::to_string(*column.quantile) + "%";
    names.push_back(name);
  }
  return names;
}

inline std::vector<Series> TypicalSeries() {
  std::vector<Series> series;
  for (const char* name :
       {"cpu_cores",    "cpu_throttled", "cpu_pressure",  "io_pressure", "memory_pressure", "memory_bytes",
        "shm_bytes",    "disk_read",     "disk_write",    "processes",   "threads",         "gpu_util",
        "gpu_memory",   "gpu_power",     "gpu_throttled", "gpu0_util",   "gpu0_memory",     "net_rx",
        "net_tx",       "step",          "steps_s",       "step_s",      "input_wait",      "stdout_bytes",
        "stderr_bytes", "metric.loss"}) {
    series.push_back({name, "", Scope::kTask});
  }
  return series;
}

// Feeds a job with noisy values. each: the interval of the samples.
inline void Feed(Recorder& recorder, int tasks, Duration from, Duration to, Duration each) {
  static const std::vector<Series> kSeries = TypicalSeries();
  std::minstd_rand random(1);
  std::vector<TaskKey> keys;
  for (int i = 0; i < tasks; ++i) keys.push_back({"worker", i});
  Sample sample;
  for (const Series& series : kSeries)
    sample.values.push_back({series, std::nullopt, 0, std::nullopt, std::nullopt, std::nullopt});
  for (Duration t = from; t < to; t += each) {
    for (const TaskKey& key : keys) {
      sample.at = kBegun + t + std::chrono::milliseconds(random() % 1000);
      for (size_t i = 0; i < sample.values.size(); ++i) {
        const double noise = static_cast<double>(random() % 1000) / 1000;
        sample.values[i].value = static_cast<double>(i + 1) * (1 + 0.1 * noise);
        sample.values[i].max = sample.values[i].value * (1 + 0.05 * noise);
      }
      sample.values.back().step = t / seconds(1);
      recorder.Add(key, sample);
    }
  }
}

}  // namespace howdah::metrics
