// Figures of the recorder (`./dev bench portal`, metrics-b): sizes of files, memory, time of samples and encoding.
#include <benchmark/benchmark.h>

#include <random>

#include "howdah/metrics/recorder.h"

namespace howdah::metrics {
namespace {

constexpr Instant kBegun = Instant(std::chrono::days(20'000));

// Returns a sample of a task with one GPU. The values resemble those of a training job, with noise.
Sample Typical() {
  static const char* const kNames[] = {
      "cpu_cores",     "cpu_throttled", "cpu_pressure", "io_pressure", "memory_pressure", "memory_bytes",
      "shm_bytes",     "disk_read",     "disk_write",   "processes",   "threads",         "gpu_util",
      "gpu_memory",    "gpu_power",     "gpu0_util",    "gpu0_memory", "net_rx",          "net_tx",
      "step",          "steps_s",       "step_s",       "input_wait",  "stdout_bytes",    "stderr_bytes",
      "gpu_throttled", "metric.loss"};
  Sample sample;
  for (const char* name : kNames)
    sample.values.push_back({{name, "", Scope::kTask}, 0, 0, std::nullopt, std::nullopt, std::nullopt});
  return sample;
}

void Update(Sample& sample, std::minstd_rand& random, Duration since) {
  sample.at = kBegun + since;
  for (size_t i = 0; i < sample.values.size(); ++i) {
    const double noise = static_cast<double>(random() % 1000) / 1000;
    Sample::Value& value = sample.values[i];
    const bool counts = i == 18 || i == 22 || i == 23;
    const bool is_constant = i == 6 || i == 9 || i == 10 || i == 12 || i == 15 || i == 24;
    value.value = counts ? static_cast<double>(since.count() / 1000) : is_constant ? 100 : 100 * (1 + 0.05 * noise);
    if (i < 3 || i == 11) value.max = value.value * (1 + 0.02 * noise);
  }
  sample.values.back().step = since.count() / 250'000;
}

Recorder Recorded(int tasks, Duration length, Duration each) {
  Recorder recorder(kBegun, {});
  std::minstd_rand random(1);
  Sample sample = Typical();
  for (Duration t{0}; t < length; t += each) {
    for (int task = 0; task < tasks; ++task) {
      Update(sample, random, t + std::chrono::milliseconds(random() % 100));
      recorder.Add({"worker", task}, sample);
    }
  }
  return recorder;
}

void Encode(benchmark::State& state, int tasks, Duration length, Duration each) {
  const Recorder recorder = Recorded(tasks, length, each);
  size_t size = 0;
  for (auto _ : state) size = recorder.Encode().size();
  state.counters["file_bytes"] = static_cast<double>(size);
  state.counters["memory_bytes"] = static_cast<double>(recorder.memory());
}
BENCHMARK_CAPTURE(Encode, tasks_8_day, 8, std::chrono::hours(24), std::chrono::seconds(5))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Encode, tasks_1000_week, 1000, std::chrono::hours(24 * 7), std::chrono::minutes(5))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Encode, tasks_10000_hour, 10'000, std::chrono::hours(1), std::chrono::minutes(1))
    ->Unit(benchmark::kMillisecond);

void Add(benchmark::State& state) {
  Recorder recorder(kBegun, {});
  std::minstd_rand random(1);
  Sample sample = Typical();
  Duration t{0};
  for (auto _ : state) {
    Update(sample, random, t += std::chrono::seconds(5));
    recorder.Add({"worker", 0}, sample);
  }
}
BENCHMARK(Add);

}  // namespace
}  // namespace howdah::metrics
