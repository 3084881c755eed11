// The series of a task: rates from counters, values of GPUs, and values that processes report.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "rank_series.h"
#include "resource_series.h"

namespace howdah::executor {
namespace {

using namespace std::chrono_literals;
using os::process::Measure;
using os::process::Measurements;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr Instant kStart = Instant(std::chrono::sys_days(std::chrono::year(2026) / 11 / 21));

// Receives samples as an AM does.
class Receiver {
 public:
  // Reads the sample that `writer` has written. Returns its values by "name" or "name@rank".
  std::map<std::string, double> Take(const MetricWriter& writer) {
    const wire::MetricSamples& samples = writer.message().metric_samples();
    values_.clear();
    for (const wire::MetricSeries& series : samples.new_series()) {
      EXPECT_TRUE(series_.emplace(series.id(), series).second) << "number used twice";
    }
    std::map<std::string, double> values;
    for (const wire::MetricValue& value : samples.values()) {
      const auto series = series_.find(value.series());
      EXPECT_NE(series, series_.end());
      EXPECT_EQ(series->second.absent(), "");
      const std::string name = NameOf(series->second);
      EXPECT_TRUE(values.emplace(name, value.value()).second) << name;
      values_[name] = value;
    }
    return values;
  }
  // A value of the last sample.
  const wire::MetricValue& Value(const std::string& name) { return values_[name]; }
  // Returns the series that have no values, each with the reason.
  std::map<std::string, std::string> Absent() const {
    std::map<std::string, std::string> absent;
    for (const auto& [id, series] : series_) {
      if (!series.absent().empty()) absent[NameOf(series)] = series.absent();
    }
    return absent;
  }
  const wire::MetricSeries& Series(const std::string& name) const {
    for (const auto& [id, series] : series_) {
      if (NameOf(series) == name) return series;
    }
    ADD_FAILURE() << name;
    return wire::MetricSeries::default_instance();
  }

 private:
  static std::string NameOf(const wire::MetricSeries& series) {
    return series.name() + (series.has_local_rank() ? "@" + std::to_string(series.local_rank()) : "");
  }
  std::map<uint32_t, wire::MetricSeries> series_;
  std::map<std::string, wire::MetricValue> values_;
};

// Parses a progress line. The result refers to `text`.
core::ProgressLine Line(std::string_view text) {
  const auto line = core::ParseProgressLine(text);
  EXPECT_TRUE(line) << text;
  return *line;
}

TEST(MetricWriter, SeriesIsDescribedOncePerStream) {
  MetricWriter writer;
  MetricSeries a{"a", "bytes"}, b{"b", "", true, 3, 64.0};
  writer.Begin(kStart, 2);
  EXPECT_TRUE(writer.empty());
  writer.Add(a, 1);
  writer.Add(b, 2).set_max(5);
  const wire::MetricSamples first = writer.message().metric_samples();
  EXPECT_EQ(first.attempt(), 2);
  EXPECT_EQ(Instant(std::chrono::microseconds(first.at_micros())), kStart);
  ASSERT_EQ(first.new_series_size(), 2);
  EXPECT_EQ(first.new_series(0).unit(), "bytes");
  EXPECT_EQ(first.new_series(0).scope(), wire::MetricSeries::TASK);
  EXPECT_FALSE(first.new_series(0).has_local_rank());
  EXPECT_EQ(first.new_series(1).scope(), wire::MetricSeries::NODE);
  EXPECT_EQ(first.new_series(1).local_rank(), 3);
  EXPECT_EQ(first.new_series(1).capacity(), 64);
  EXPECT_EQ(first.values(1).max(), 5);
  EXPECT_NE(first.values(0).series(), first.values(1).series());

  writer.Begin(kStart + 5s, 2);
  writer.Add(a, 3);
  EXPECT_EQ(writer.message().metric_samples().new_series_size(), 0);
  EXPECT_EQ(writer.message().metric_samples().values(0).series(), first.values(0).series());

  writer.NewStream();
  writer.Begin(kStart + 10s, 2);
  writer.Add(a, 4);
  ASSERT_EQ(writer.message().metric_samples().new_series_size(), 1);
  EXPECT_EQ(writer.message().metric_samples().new_series(0).id(), first.values(0).series());
}

TEST(MetricWriter, SeriesThatBecomesPresentIsDescribedAgain) {
  MetricWriter writer;
  MetricSeries series{"gpu_util"};
  writer.Begin(kStart, 0);
  writer.AddAbsent(series, "no answer");
  ASSERT_EQ(writer.message().metric_samples().new_series_size(), 1);
  const auto absent = writer.message().metric_samples().new_series(0);
  EXPECT_EQ(absent.absent(), "no answer");
  writer.Begin(kStart, 0);
  writer.AddAbsent(series, "no answer");
  EXPECT_TRUE(writer.empty());
  writer.Begin(kStart, 0);
  writer.Add(series, 1);
  ASSERT_EQ(writer.message().metric_samples().new_series_size(), 1);
  EXPECT_EQ(writer.message().metric_samples().new_series(0).absent(), "");
  EXPECT_NE(writer.message().metric_samples().new_series(0).id(), absent.id());
}

// Samples of a ResourceSeries, every 5 s.
class Sampled {
 public:
  explicit Sampled(const Measurements& begun = {}) { series_.Begin(begun, at_); }
  std::map<std::string, double> Next() {
    at_ += 5s;
    writer_.Begin(at_, 0);
    series_.Write(now, at_, writer_);
    return receiver.Take(writer_);
  }
  void Set(Measure measure, double value) { now[measure].value = value; }

  Measurements now;
  Receiver receiver;

 private:
  Instant at_ = kStart;
  ResourceSeries series_;
  MetricWriter writer_;
};

TEST(ResourceSeries, CountersBecomeRates) {
  Sampled sampled;
  sampled.Set(Measure::kCpuPressure, 1);
  sampled.Set(Measure::kDiskRead, 1000);
  sampled.Set(Measure::kNetReceived, 50);
  sampled.now[Measure::kNetReceived].of_node = true;
  sampled.Set(Measure::kProcesses, 3);
  EXPECT_THAT(sampled.Next(), ElementsAre(Pair("processes", 3))) << "one reading of a counter has no rate";
  sampled.Set(Measure::kCpuPressure, 2);
  sampled.Set(Measure::kDiskRead, 6000);
  sampled.Set(Measure::kNetReceived, 49);  // the sum of the interfaces decreases, because an interface has disappeared
  EXPECT_THAT(sampled.Next(), UnorderedElementsAre(Pair("cpu_pressure", 0.2), Pair("disk_read", 1000),
                                                   Pair("net_rx", 0), Pair("processes", 3)));
  EXPECT_EQ(sampled.receiver.Series("net_rx").scope(), wire::MetricSeries::NODE);
  EXPECT_EQ(sampled.receiver.Series("disk_read").scope(), wire::MetricSeries::TASK);
  EXPECT_EQ(sampled.receiver.Series("disk_read").unit(), "bytes/s");
  sampled.Set(Measure::kCpuPressure, 8);
  EXPECT_EQ(sampled.Next().at("cpu_pressure"), 1)
      << "the time of the reading differs from that of the kernel's counter";
}

TEST(ResourceSeries, CpuUseIsKnownInTheFirstInterval) {
  Measurements begun;
  begun[Measure::kCpuSeconds].value = 100;  // includes the CPU time of an earlier attempt
  Sampled sampled(begun);
  sampled.Set(Measure::kCpuSeconds, 110);
  sampled.Set(Measure::kCgroupCpuSeconds, 111);
  EXPECT_THAT(sampled.Next(), ElementsAre(Pair("cpu_cores", 2)));
  sampled.Set(Measure::kCpuSeconds, 115);
  sampled.Set(Measure::kCgroupCpuSeconds, 126);
  EXPECT_THAT(sampled.Next(), ElementsAre(Pair("cpu_cores", 3)))
      << "the cgroup also counts processes that nobody reaps";
}

TEST(ResourceSeries, ThrottlingIsAShareOfPeriods) {
  Sampled sampled;
  sampled.Set(Measure::kPeriods, 100);
  sampled.Set(Measure::kThrottledPeriods, 10);
  EXPECT_THAT(sampled.Next(), IsEmpty());
  sampled.Set(Measure::kPeriods, 150);
  sampled.Set(Measure::kThrottledPeriods, 20);
  EXPECT_EQ(sampled.Next().at("cpu_throttled"), 0.2);
  EXPECT_EQ(sampled.Next().at("cpu_throttled"), 0) << "an idle task, or one without a limit";
}

TEST(ResourceSeries, MemoryHasThePeakSinceTheLastSample) {
  Measurements begun;
  begun[Measure::kMemoryPeak].value = 900;  // the peak of an earlier attempt
  Sampled sampled(begun);
  sampled.Set(Measure::kMemory, 100);
  sampled.Set(Measure::kMemoryPeak, 900);
  sampled.Next();
  EXPECT_FALSE(sampled.receiver.Value("memory_bytes").has_max());
  sampled.Set(Measure::kMemoryPeak, 1000);
  EXPECT_EQ(sampled.Next().at("memory_bytes"), 100);
  EXPECT_EQ(sampled.receiver.Value("memory_bytes").max(), 1000);
  sampled.Next();
  EXPECT_FALSE(sampled.receiver.Value("memory_bytes").has_max());
}

TEST(ResourceSeries, AbsentSeriesHaveReasonsAndSharedMemoryHasItsSize) {
  Sampled sampled;
  sampled.now[Measure::kRdmaSent].absent = "no device";
  sampled.now[Measure::kPeriods].absent = "no cgroup";
  sampled.Set(Measure::kShm, 10);
  sampled.Set(Measure::kShmSize, 64);
  EXPECT_THAT(sampled.Next(), ElementsAre(Pair("shm_bytes", 10)));
  EXPECT_THAT(sampled.receiver.Absent(),
              UnorderedElementsAre(Pair("rdma_tx", "no device"), Pair("cpu_throttled", "no cgroup")));
  EXPECT_EQ(sampled.receiver.Series("shm_bytes").capacity(), 64);
}

TEST(GpuSeries, MeanAndHighestValueOfTheGpusAreWritten) {
  GpuSeries series;
  MetricWriter writer;
  Receiver receiver;
  writer.Begin(kStart, 0);
  series.Write({{1, 0.25, 10, 40, "", 300.0, false}, {3, 0.75, 30, 40, "", 500.0, true}}, writer);
  EXPECT_THAT(receiver.Take(writer),
              UnorderedElementsAre(Pair("gpu_util", 0.5), Pair("gpu1_util", 0.25), Pair("gpu3_util", 0.75),
                                   Pair("gpu_memory", 0.5), Pair("gpu1_memory", 0.25), Pair("gpu3_memory", 0.75),
                                   Pair("gpu_power", 400), Pair("gpu_throttled", 0.5)));
  EXPECT_EQ(receiver.Value("gpu_util").max(), 0.75);
  EXPECT_EQ(receiver.Value("gpu_power").max(), 500);
  EXPECT_THAT(receiver.Absent(), IsEmpty());
  writer.Begin(kStart, 0);
  series.Write({{1, 0.25, 10, 0}}, writer);
  EXPECT_THAT(receiver.Take(writer), UnorderedElementsAre(Pair("gpu_util", 0.25), Pair("gpu1_util", 0.25)));
  EXPECT_EQ(receiver.Absent().size(), 3u) << "memory, power and slowdown are unknown";
}

// Returns a function that takes a sample at the given time, and returns the values of the sample.
auto SamplesOf(RankSeries& series) {
  return [&series, writer = MetricWriter(), receiver = Receiver()](Instant at) mutable {
    writer.Begin(at, 0);
    series.Write(at, writer);
    return receiver.Take(writer);
  };
}

TEST(RankSeries, StepsGiveStepRateAndStepTime) {
  RankSeries series;
  auto sample = SamplesOf(series);
  series.Begin(2, kStart);
  EXPECT_THAT(sample(kStart + 5s), IsEmpty());
  series.Take(1, Line("step 1000"), kStart + 6s);  // the program has continued from a checkpoint
  EXPECT_THAT(sample(kStart + 10s), ElementsAre(Pair("step@1", 1000)));
  series.Take(1, Line("step 1001"), kStart + 12s);
  series.Take(1, Line("step 1002"), kStart + 14s);
  EXPECT_THAT(sample(kStart + 15s),
              UnorderedElementsAre(Pair("step@1", 1002), Pair("steps_s@1", 0.4), Pair("step_s@1", 4)));
  EXPECT_THAT(sample(kStart + 20s), UnorderedElementsAre(Pair("step@1", 1002), Pair("steps_s@1", 0)));
  series.Take(1, Line("step 1003"), kStart + 24s);
  EXPECT_EQ(sample(kStart + 25s).at("step_s@1"), 10) << "a step may be longer than an interval";
  series.Take(1, Line("step 3"), kStart + 26s);  // the program has gone back to an earlier step
  EXPECT_THAT(sample(kStart + 30s), ElementsAre(Pair("step@1", 3)));
  series.Take(1, Line("step 8"), kStart + 31s);
  EXPECT_THAT(sample(kStart + 35s), UnorderedElementsAre(Pair("step@1", 8), Pair("steps_s@1", 1), Pair("step_s@1", 1)));
  series.Begin(2, kStart + 40s);
  EXPECT_THAT(sample(kStart + 45s), IsEmpty()) << "another attempt";
}

TEST(RankSeries, InputIsAShareOfTheTimeBetweenLines) {
  RankSeries series;
  auto sample = SamplesOf(series);
  series.Begin(1, kStart);
  series.Take(0, Line("input 1"), kStart + 4s);
  EXPECT_THAT(sample(kStart + 5s), ElementsAre(Pair("input_wait@0", 0.25)));
  EXPECT_THAT(sample(kStart + 10s), IsEmpty());
  series.Take(0, Line("input 5"), kStart + 14s);
  EXPECT_THAT(sample(kStart + 15s), ElementsAre(Pair("input_wait@0", 0.4)));
  series.Take(0, Line("input 15"), kStart + 19s);
  EXPECT_THAT(sample(kStart + 20s), ElementsAre(Pair("input_wait@0", 1))) << "more than the time that has passed";
  series.Take(0, Line("input 0.5"), kStart + 24s);  // the process has started again
  EXPECT_THAT(sample(kStart + 25s), IsEmpty());
  series.Take(0, Line("input 1.5"), kStart + 29s);
  EXPECT_THAT(sample(kStart + 30s), ElementsAre(Pair("input_wait@0", 0.2)));
}

TEST(RankSeries, SampleOfAMetricHasItsNewestValueThatStepAndTheMaximum) {
  RankSeries series;
  MetricWriter writer;
  Receiver receiver;
  const auto sample = [&] {
    writer.Begin(kStart, 0);
    series.Write(kStart + 1s, writer);
    return receiver.Take(writer);
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  series.Begin(2, kStart);
  series.Take(0, Line("metric loss 4"), kStart);
  EXPECT_THAT(sample(), ElementsAre(Pair("metric.loss@0", 4)));
  EXPECT_FALSE(receiver.Value("metric.loss@0").has_step());
  EXPECT_FALSE(receiver.Value("metric.loss@0").has_max());
  EXPECT_THAT(sample(), IsEmpty());
  for (const char* line : {"step 7", "metric loss 3", "metric loss nan", "step 8", "metric loss 2"}) {
    series.Take(0, Line(line), kStart);
  }
  series.Take(1, Line("metric loss inf"), kStart);
  auto values = sample();
  EXPECT_EQ(values.at("metric.loss@0"), 2);
  EXPECT_EQ(values.at("metric.loss@1"), kInfinity);
  EXPECT_EQ(receiver.Value("metric.loss@0").step(), 8);
  EXPECT_EQ(receiver.Value("metric.loss@0").max(), 3);
  EXPECT_FALSE(receiver.Value("metric.loss@1").has_step()) << "of another process";
  series.Take(0, Line("metric loss 5"), kStart);
  series.Take(0, Line("metric loss nan"), kStart);
  EXPECT_TRUE(std::isnan(sample().at("metric.loss@0")));
  EXPECT_EQ(receiver.Value("metric.loss@0").max(), 5);
  series.Take(0, {.kind = core::ProgressLine::Kind::kMetric, .value = kNan, .name = "loss"}, kStart);
  EXPECT_TRUE(std::isnan(sample().at("metric.loss@0")));
  EXPECT_FALSE(receiver.Value("metric.loss@0").has_max());
}

TEST(RankSeries, NumberOfMetricsIsLimited) {
  RankSeries series;
  series.Begin(100, kStart);
  const auto take = [&](int rank, size_t i) {
    const std::string text = "metric m" + std::to_string(i) + " 1";
    return series.Take(rank, Line(text), kStart);
  };
  for (size_t i = 0; i < RankSeries::kMostNames; ++i) EXPECT_TRUE(take(0, i));
  EXPECT_FALSE(take(0, RankSeries::kMostNames));
  EXPECT_FALSE(take(1, RankSeries::kMostNames));
  size_t accepted = RankSeries::kMostNames;
  for (int rank = 1; rank < 100; ++rank) {
    for (size_t i = 0; i < RankSeries::kMostNames; ++i) accepted += take(rank, i);
  }
  EXPECT_EQ(accepted, RankSeries::kMostMetrics);
  EXPECT_TRUE(take(0, 0)) << "known metrics are still accepted";
}

}  // namespace
}  // namespace howdah::executor
