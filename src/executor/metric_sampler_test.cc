// Samples of real processes, and of a stand-in for nvidia-smi.
#include <fcntl.h>
#include <gmock/gmock.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "gpu_sampler.h"
#include "task_fixture.h"

namespace howdah::executor {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::Key;

// A task that is sampled every second, and the values that its AM has received.
class SampledTask : public Task {
 public:
  SampledTask() { spec.metrics_interval = 1s; }

  void Run(const std::string& script) {
    role().command.shell = script;
    Launch();
    Start(0);
  }
  // Receives samples until one of them fulfils the condition. Returns false if the stream ends before that.
  bool Await(const std::function<bool()>& condition) {
    for (auto message = Receive(); message; message = Receive()) {
      if (!message->has_metric_samples()) continue;
      Take(message->metric_samples());
      if (condition()) return true;
    }
    return false;
  }
  void Take(const wire::MetricSamples& samples) {
    values.clear();
    for (const wire::MetricSeries& described : samples.new_series()) series_[described.id()] = described;
    for (const wire::MetricValue& value : samples.values()) {
      const auto described = series_.find(value.series());
      ASSERT_NE(described, series_.end()) << "a value without a description";
      values[described->second.name()] = value;
    }
  }
  bool Has(const std::string& name) const { return values.contains(name); }
  double Value(const std::string& name) const { return Has(name) ? values.at(name).value() : -1; }
  const wire::MetricSeries* Series(const std::string& name) const {
    for (const auto& [id, described] : series_) {
      if (described.name() == name) return &described;
    }
    return nullptr;
  }
  void End() {
    Stop(0, 0s);
    while (const auto message = Receive()) {
      if (message->has_ended()) break;
    }
  }

  std::map<std::string, wire::MetricValue> values;  // the values of the newest sample

 private:
  std::map<uint32_t, wire::MetricSeries> series_;
};

TEST(MetricSampler, BusyProcessUsesItsCoreAndMemory) {
  SampledTask task;
  task.Run("exec python3 -c 'b = bytearray(64 << 20)\nwhile True: pass'");
  // On a busy machine, the process may get only a small part of a core.
  ASSERT_TRUE(task.Await(
      [&] { return task.Value("cpu_cores") > 0.05 && task.Value("memory_bytes") > 64 << 20 && task.Has("net_rx"); }));
  EXPECT_EQ(task.Value("processes"), 1);
  EXPECT_GE(task.Value("threads"), 1);
  for (const char* name : {"shm_bytes", "stdout_bytes", "stderr_bytes", "disk_read", "disk_write", "net_tx"}) {
    EXPECT_GE(task.Value(name), 0) << name;
  }
  EXPECT_GT(task.Series("shm_bytes")->capacity(), 0);
  EXPECT_EQ(task.Series("stdout_bytes")->has_local_rank(), false);
  EXPECT_EQ(task.Series("gpu_util"), nullptr) << "the task has no GPUs";
  task.End();
}

TEST(MetricSampler, CpuUseAddsUpToTheCpuTime) {
  SampledTask task;
  task.Run("mkfifo wait; for i in 1 2 3; do python3 -c 'for i in range(3000000): pass'; done; read < wait");
  double cpu_seconds = 0, at = 0;
  wire::Usage usage;
  os::files::Fd done;
  for (auto message = task.Receive(); message && !message->has_ended(); message = task.Receive()) {
    if (message->has_started()) at = static_cast<double>(message->started().at_micros()) / 1e6;
    if (message->has_rank_exited()) usage = message->rank_exited().usage();
    if (!message->has_metric_samples()) continue;
    task.Take(message->metric_samples());
    const double now = static_cast<double>(message->metric_samples().at_micros()) / 1e6;
    if (task.Has("cpu_cores")) cpu_seconds += task.Value("cpu_cores") * (now - std::exchange(at, now));
    // open() blocks until the shell opens the pipe for reading.
    if (cpu_seconds > 0.1 && !done.valid()) {
      done = os::files::Fd(::open((task.options.work_dir + "/wait").c_str(), O_WRONLY | O_CLOEXEC));
      ASSERT_TRUE(os::files::WriteAll(done.get(), "\n", "the pipe").ok());
    }
  }
  EXPECT_GT(cpu_seconds, 0.1);
  EXPECT_LT(cpu_seconds, usage.cpu_seconds() + 0.1);
}

TEST(MetricSampler, GrowingLogHasItsSize) {
  SampledTask task;
  task.Run("echo 12345; until [ -e go ]; do sleep 0.05; done; echo 123; exec sleep 86400");
  ASSERT_TRUE(task.Await([&] { return task.Value("stdout_bytes") == 6; }));
  EXPECT_EQ(task.Value("stderr_bytes"), 0);
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/go", "").ok());
  ASSERT_TRUE(task.Await([&] { return task.Value("stdout_bytes") == 10; }));
  task.End();
}

TEST(MetricSampler, WrittenBytesAreCounted) {
  SampledTask task;
  task.Run(
      "touch ready; until [ -e go ]; do sleep 0.05; done; "
      "dd if=/dev/zero of=data bs=1M count=8 conv=fsync; exec sleep 86400");
  ASSERT_TRUE(task.Await([&] { return true; }));
  if (!task.Has("disk_write")) GTEST_SKIP() << "the kernel does not show the disk use of processes";
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/go", "").ok());
  ASSERT_TRUE(task.Await([&] { return task.Value("disk_write") > 1 << 20; }));
  task.End();
}

TEST(MetricSampler, ReportedValuesOfEachProcessHaveTheirSteps) {
  SampledTask task;
  task.role().processes = 2;
  task.Run(R"(echo step $((10 * HOWDAH_LOCAL_RANK)) >> $HOWDAH_PROGRESS
    echo metric val/loss 0.$HOWDAH_LOCAL_RANK >> $HOWDAH_PROGRESS; echo input 0.1 >> $HOWDAH_PROGRESS
    exec sleep 86400)");
  std::map<int, std::pair<double, int64_t>> losses;
  std::set<std::pair<std::string, int>> of_ranks;
  while (losses.size() < 2 || of_ranks.size() < 8) {
    const auto message = task.Receive();
    ASSERT_TRUE(message);
    if (!message->has_metric_samples()) continue;
    for (const auto& series : message->metric_samples().new_series()) {
      if (!series.has_local_rank()) continue;
      of_ranks.emplace(series.name(), series.local_rank());
      if (series.name() != "metric.val/loss") continue;
      for (const auto& value : message->metric_samples().values()) {
        if (value.series() == series.id()) losses[series.local_rank()] = {value.value(), value.step()};
      }
    }
  }
  EXPECT_THAT(losses,
              testing::ElementsAre(testing::Pair(0, testing::Pair(0.0, 0)), testing::Pair(1, testing::Pair(0.1, 10))));
  for (const char* name : {"step", "input_wait", "metric.val/loss", "stdout_bytes", "stderr_bytes"}) {
    for (const int rank : {0, 1}) EXPECT_THAT(of_ranks, Contains(std::pair(std::string(name), rank)));
  }
  task.End();
}

TEST(MetricSampler, AttemptThatEndsEarlySendsOnlyReportedValues) {
  for (const bool reports : {false, true}) {
    SampledTask task;
    task.spec.metrics_interval = 60s;
    task.Run(reports ? "echo step 3 >> $HOWDAH_PROGRESS; echo metric loss 0.5 >> $HOWDAH_PROGRESS" : "true");
    int samples = 0;
    for (auto message = task.Receive(); message && !message->has_ended(); message = task.Receive()) {
      if (!message->has_metric_samples()) continue;
      ++samples;
      task.Take(message->metric_samples());
    }
    EXPECT_EQ(samples, reports ? 1 : 0);
    if (!reports) continue;
    EXPECT_THAT(task.values, testing::UnorderedElementsAre(Key("step"), Key("metric.loss")));
    EXPECT_EQ(task.values.at("metric.loss").step(), 3);
  }
}

TEST(MetricSampler, WatchedTaskIsSampledEverySecond) {
  SampledTask task;
  task.spec.metrics_interval = 60s;
  task.Run("exec sleep 86400");
  task.ReceiveStarted();
  wire::ToExecutor watch;
  watch.mutable_watch_metrics()->set_watched(true);
  task.Send(watch);
  // Without the order to watch, the first sample would be taken after a minute.
  ASSERT_TRUE(task.Await([] { return true; }));
  ASSERT_TRUE(task.Await([] { return true; }));
  task.End();
}

TEST(MetricSampler, NextAmReceivesAllDescriptions) {
  SampledTask task;
  task.Run("exec sleep 86400");
  task.Welcome();
  ASSERT_TRUE(task.Await([&] { return task.Has("cpu_cores"); }));
  task.LoseAm();
  task.TakeOver(0);
  task.Welcome();
  bool described = false;
  while (!described) {
    const auto message = task.Receive();
    ASSERT_TRUE(message);
    for (const auto& series : message->metric_samples().new_series()) described |= series.name() == "cpu_cores";
  }
  task.End();
  task.Leave();
}

TEST(MetricSampler, IntervalOf0SendsNothing) {
  SampledTask task;
  task.spec.metrics_interval = 0s;
  task.Run("echo metric loss 0.5 >> $HOWDAH_PROGRESS");
  for (auto message = task.Receive(); message && !message->has_ended(); message = task.Receive()) {
    EXPECT_FALSE(message->has_metric_samples());
  }
}

TEST(GpuSampler, CostDecidesTheInterval) {
  const std::pair<double, Duration> rows[] = {{0, 5s},     {0.0049, 5s}, {0.005, 10s}, {0.0099, 10s}, {0.015, 20s},
                                              {0.03, 40s}, {0.04, 60s},  {0.059, 60s}, {2.5, 60s}};
  for (const auto& [cost, interval] : rows) EXPECT_EQ(GpuInterval(cost), interval) << cost;
}

// A sampler of the GPUs 0 and 1 on a loop of its own, with a stand-in for nvidia-smi in `scratch`.
struct SampledGpus {
  explicit SampledGpus(const std::string& script) {
    EXPECT_TRUE(
        os::files::WriteFileAtomically(scratch / "nvidia-smi", "#!/bin/sh\ncd " + scratch.path() + "\n" + script, 0755)
            .ok());
    sampler.emplace(loop, std::vector<int>{0, 1}, scratch.path() + ":/usr/bin:/bin");
  }
  // Runs the loop until `runs` runs have ended and no child is left.
  bool AwaitRuns(int runs) {
    return os::process::Eventually([&] {
      loop.poll();
      while (const auto child = os::process::ReapAny()) sampler->OnReaped(*child);
      return sampler->runs() == runs && !os::process::HasChildren();
    });
  }
  os::files::Scratch scratch;
  boost::asio::io_context loop;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{loop.get_executor()};
  std::optional<GpuSampler> sampler;
};

TEST(GpuSampler, RunEndsThoughAChildKeepsItsOutputOpen) {
  SampledGpus gpus("echo '0, 50, 1, 2'\nsleep 86399 &\necho $! >> children\n");
  const Instant now;
  gpus.sampler->Poll(now);
  EXPECT_TRUE(gpus.AwaitRuns(1));
  ASSERT_EQ(gpus.sampler->last().size(), 1u);
  EXPECT_EQ(gpus.sampler->last()[0].utilisation, 0.5);
  gpus.sampler->Poll(now + 1h);
  EXPECT_TRUE(gpus.AwaitRuns(2));
  std::istringstream children(os::files::Content(gpus.scratch / "children"));
  for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
}

TEST(GpuSampler, SampleExpiresWhileTheNextRunHangs) {
  SampledGpus gpus("[ -e hang ] && exec sleep 86399\necho '0, 100, 1, 2'\n");
  const Instant now, next = now + 1min;
  gpus.sampler->Poll(now);
  ASSERT_TRUE(gpus.AwaitRuns(1));
  ASSERT_TRUE(os::files::WriteFileAtomically(gpus.scratch / "hang", "").ok());
  gpus.sampler->Poll(next);
  EXPECT_EQ(gpus.sampler->last().size(), 1u);
  gpus.sampler->Poll(next + 10s);
  EXPECT_TRUE(gpus.sampler->last().empty());
  EXPECT_EQ(gpus.sampler->runs(), 1);
}

// A node whose nvidia-smi replays recorded answers: the content of the file `answer`.
struct GpuTask : SampledTask {
  explicit GpuTask(const std::string& program = "cat answer") {
    Install("cd " + scratch.path() + "; " + program);
    options.gpus = {0, 1};
    options.inherited["PATH"] = scratch.path() + ":/usr/bin:/bin";
  }
  void Install(const std::string& script) {
    ASSERT_TRUE(os::files::WriteFileAtomically(scratch / "nvidia-smi", "#!/bin/sh\n" + script + "\n", 0755).ok());
  }
  void Answer(const std::string& lines) { ASSERT_TRUE(os::files::WriteFileAtomically(scratch / "answer", lines).ok()); }
};

constexpr const char* kIdle =
    "0, 0, 4, 81559, 00000000:3B:00.0, 69.41, 0x0000000000000001\n"
    "1, 0, 4, 81559, 00000000:5E:00.0, 70.12, 0x0000000000000001\n";
constexpr const char* kHalfIdle =
    "0, 100, 40000, 80000, 00000000:3B:00.0, 640.50, 0x0000000000000004\n"
    "1, 0, 4000, 80000, 00000000:5E:00.0, 70.50, 0x0000000000000001\n"
    "2, 77, 99, 99, 00000000:86:00.0, 1.00, 0x0000000000000080\n";
constexpr const char* kThrottled =
    "0, 100, 40000, 80000, 00000000:3B:00.0, 310.00, 0x0000000000000020\n"
    "1, 100, 40000, 80000, 00000000:5E:00.0, 640.00, 0x0000000000000004\n";

TEST(GpuMetrics, IdleGpusReportZeroUtilisation) {
  GpuTask task;
  task.Answer(kIdle);
  task.Run("exec sleep 86400");
  ASSERT_TRUE(task.Await([&] { return task.Has("gpu_util"); }));
  EXPECT_EQ(task.Value("gpu_util"), 0);
  EXPECT_FALSE(task.values.at("gpu_util").has_max());
  EXPECT_NEAR(task.Value("gpu_power"), 69.765, 1e-9);
  EXPECT_EQ(task.Value("gpu_throttled"), 0);
  EXPECT_LT(task.Value("gpu_memory"), 0.001);
  task.End();
}

TEST(GpuMetrics, HalfIdleGpusHaveMeanAndMaximum) {
  GpuTask task;
  task.Answer(kHalfIdle);
  task.Run("exec sleep 86400");
  ASSERT_TRUE(task.Await([&] { return task.Has("gpu_util"); }));
  EXPECT_EQ(task.Value("gpu_util"), 0.5);
  EXPECT_EQ(task.values.at("gpu_util").max(), 1);
  EXPECT_EQ(task.Value("gpu0_util"), 1);
  EXPECT_EQ(task.Value("gpu1_util"), 0);
  EXPECT_EQ(task.Value("gpu0_memory"), 0.5);
  EXPECT_EQ(task.Value("gpu1_memory"), 0.05);
  EXPECT_EQ(task.values.at("gpu_power").max(), 640.5);
  EXPECT_EQ(task.Value("gpu_throttled"), 0) << "a normal power limit is not a slowdown";
  EXPECT_FALSE(task.Has("gpu2_util")) << "a GPU of another task";
  task.End();
}

TEST(GpuMetrics, LaterSampleReportsChangedGpuUse) {
  GpuTask task;
  task.Answer(kHalfIdle);
  task.Run("exec sleep 86400");
  ASSERT_TRUE(task.Await([&] { return task.Value("gpu_util") == 0.5; }));
  task.Answer(kIdle);
  ASSERT_TRUE(task.Await([&] { return task.Value("gpu_util") == 0; }));
  task.End();
}

TEST(GpuMetrics, SlowdownIsAShareOfTheGpus) {
  GpuTask task;
  task.Answer(kThrottled);
  task.Run("exec sleep 86400");
  ASSERT_TRUE(task.Await([&] { return task.Has("gpu_throttled"); }));
  EXPECT_EQ(task.Value("gpu_throttled"), 0.5);
  EXPECT_EQ(task.Value("gpu_util"), 1);
  task.End();
}

TEST(GpuMetrics, OldNvidiaSmiGetsASimplerQuery) {
  GpuTask task(R"(case "$*" in *reasons*) echo 'Field "clocks_throttle_reasons.active" is not a valid field to query.'
    exit 2;; esac; echo '0, 40, 10, 20, 00000000:3B:00.0')");
  task.Run("exec sleep 86400");
  ASSERT_TRUE(task.Await([&] { return task.Has("gpu_util"); }));
  EXPECT_EQ(task.Value("gpu_util"), 0.4);
  ASSERT_NE(task.Series("gpu_power"), nullptr);
  EXPECT_NE(task.Series("gpu_power")->absent(), "");
  task.End();
}

TEST(GpuMetrics, MissingOrFailingNvidiaSmiIsReportedAsReason) {
  GpuTask without;
  ASSERT_TRUE(os::files::RemoveTree(without.scratch / "nvidia-smi").ok());
  without.Run("exec sleep 86400");
  ASSERT_TRUE(without.Await([&] { return without.Series("gpu_util") != nullptr; }));
  EXPECT_EQ(without.Series("gpu_util")->absent(), "nvidia-smi is not in the PATH");
  without.End();

  GpuTask useless("echo 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.'; exit 9");
  useless.Run("exec sleep 86400");
  ASSERT_TRUE(useless.Await([&] { return useless.Series("gpu_util") != nullptr; }));
  EXPECT_EQ(useless.Series("gpu_util")->absent(), "nvidia-smi reports none of the task's GPUs");
  useless.End();
}

}  // namespace
}  // namespace howdah::executor
