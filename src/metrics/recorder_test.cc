// The recorder: buckets, limits and properties.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "test_jobs.h"

namespace howdah::metrics {
namespace {

using testing::ElementsAre;

// --- buckets ---

TEST(Recorder, SamplesOfOneBucketBecomeMeanAndMaximum) {
  Recorder recorder(kBegun, {});
  recorder.Add(kWorker0, At(seconds(1), kCpu, 1, 3));
  recorder.Add(kWorker0, At(seconds(2), kCpu, 2));
  recorder.Add(kWorker0, At(seconds(6), kCpu, 4));
  const Table table = recorder.Read({});
  EXPECT_EQ(table.start, kBegun);
  EXPECT_EQ(table.width, seconds(5));
  ASSERT_EQ(table.buckets, 2U);
  ASSERT_EQ(table.columns.size(), 1U);
  const Column& cpu = table.columns[0];
  EXPECT_EQ(cpu.series, kCpu);
  EXPECT_EQ(cpu.role, "worker");
  EXPECT_EQ(cpu.index, 0);
  EXPECT_FALSE(cpu.rank);
  // The first sample covers one interval of 5 s, the others the time since the previous sample.
  EXPECT_THAT(cpu.weight, ElementsAre(6, 4));
  EXPECT_FLOAT_EQ(cpu.mean[0], (1 * 5 + 2 * 1) / 6.0F);
  EXPECT_FLOAT_EQ(cpu.mean[1], 4);
  EXPECT_THAT(cpu.max, ElementsAre(3, 4));
  EXPECT_THAT(cpu.step, ElementsAre());
}

TEST(Recorder, GapHasWeightZeroAndDiffersFromMeasuredZero) {
  Recorder recorder(kBegun, {});
  recorder.Add(kWorker0, At(seconds(1), kCpu, 0));
  recorder.Add(kWorker0, At(seconds(12), kCpu, 0));
  const Table table = recorder.Read({});
  ASSERT_EQ(table.buckets, 3U);
  EXPECT_EQ(table.columns[0].mean[0], 0);
  EXPECT_EQ(table.columns[0].weight[1], 0);
  EXPECT_TRUE(std::isnan(table.columns[0].mean[1]));
  EXPECT_TRUE(std::isnan(table.columns[0].max[1]));
  EXPECT_EQ(table.columns[0].mean[2], 0);
}

TEST(Recorder, FullBucketsAreMergedInPairs) {
  Limits limits;
  limits.buckets = 4;
  Recorder recorder(kBegun, limits);
  for (int i = 0; i < 5; ++i) recorder.Add(kWorker0, At(seconds(5 * i + 1), kCpu, i, 10 + i));
  const Table table = recorder.Read({});
  EXPECT_EQ(table.width, seconds(10));
  EXPECT_THAT(table.columns[0].weight, ElementsAre(10, 10, 5));
  EXPECT_THAT(table.columns[0].mean, ElementsAre(0.5, 2.5, 4));
  EXPECT_THAT(table.columns[0].max, ElementsAre(11, 13, 14));
}

TEST(Recorder, DayFitsIntoBucketsOf160Seconds) {
  Recorder recorder(kBegun, {});
  for (Duration t = seconds(5); t < hours(24); t += seconds(5)) recorder.Add(kWorker0, At(t, kCpu, 1));
  const Table table = recorder.Read({});
  EXPECT_EQ(table.width, seconds(160));
  EXPECT_EQ(table.buckets, 540U);
}

TEST(Recorder, SampleWithAnyTimeIsAccepted) {
  Recorder recorder(kBegun, {});
  for (const Instant at : {Instant::min(), Instant::max(), Instant(), kBegun - hours(1), kBegun + hours(1), kBegun}) {
    Sample sample = At(seconds(0), kCpu, 1);
    sample.at = at;
    recorder.Add(kWorker0, sample);
  }
  const Table table = recorder.Read({});
  EXPECT_LE(table.buckets, 720U);
  EXPECT_FLOAT_EQ(static_cast<float>(*table.columns[0].Mean()), 1);
  EXPECT_TRUE(OpenBytes(recorder.Encode()).ok());
}

TEST(Recorder, SampleBeforeTheBeginningCountsInTheFirstBucket) {
  Recorder recorder(kBegun, {});
  recorder.Add(kWorker0, At(-hours(5), kCpu, 7));
  const Table table = recorder.Read({});
  ASSERT_EQ(table.buckets, 1U);
  EXPECT_EQ(table.columns[0].mean[0], 7);
}

TEST(Recorder, NanAndInfinityAreKeptOnlyForReportedMetrics) {
  Recorder recorder(kBegun, {});
  recorder.Add(kWorker0, At(seconds(1), kCpu, kNan));
  recorder.Add(kWorker0, At(seconds(1), kCpu, kInfinity));
  EXPECT_TRUE(recorder.Read({}).columns.empty());
  recorder.Add(kWorker0, LossAt(seconds(1), kNan, 1));
  recorder.Add(kWorker0, LossAt(seconds(6), kInfinity, 2));
  recorder.Add(kWorker0, LossAt(seconds(11), -kInfinity, 3));
  recorder.Add(kWorker0, LossAt(seconds(16), 0.5, 4));
  const auto file = OpenBytes(recorder.Encode());
  ASSERT_TRUE(file.ok());
  for (const Table& table : {recorder.Read({}), *file->Read({})}) {
    const Column* loss = table.Find(kWorker0, "metric.loss", 0);
    ASSERT_NE(loss, nullptr);
    EXPECT_THAT(loss->weight, ElementsAre(1, 1, 1, 1));
    EXPECT_TRUE(std::isnan(loss->mean[0]));
    EXPECT_EQ(loss->mean[1], std::numeric_limits<float>::infinity());
    EXPECT_EQ(loss->mean[2], -std::numeric_limits<float>::infinity());
    EXPECT_EQ(loss->mean[3], 0.5F);
    EXPECT_THAT(loss->step, ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(loss->last, 0.5);
    EXPECT_EQ(loss->last_step, 4);
  }
}

TEST(Recorder, MergedBucketHasTheStepOfItsNewestValue) {
  Limits limits;
  limits.buckets = 2;
  Recorder recorder(kBegun, limits);
  for (int i = 0; i < 3; ++i) recorder.Add(kWorker0, LossAt(seconds(5 * i), 4 - i, 100 * (i + 1)));
  const Table table = recorder.Read({});
  EXPECT_THAT(table.columns[0].step, ElementsAre(200, 300));
  EXPECT_THAT(table.columns[0].mean, ElementsAre(3.5, 2));
  EXPECT_THAT(table.columns[0].weight, ElementsAre(2, 1));
}

TEST(Recorder, AbsentSeriesHasItsReasonUntilItCanBeRead) {
  Recorder recorder(kBegun, {});
  Sample sample;
  sample.at = kBegun;
  sample.absent.push_back({kCpu, std::nullopt, "no cgroup\nand no /proc"});
  recorder.Add(kWorker0, sample);
  const auto file = OpenBytes(recorder.Encode());
  ASSERT_TRUE(file.ok());
  for (const Table& table : {recorder.Read({}), *file->Read({})}) {
    ASSERT_EQ(table.columns.size(), 1U);
    EXPECT_EQ(table.columns[0].absent, "no cgroup and no /proc");
    EXPECT_FALSE(table.columns[0].Mean());
    EXPECT_FALSE(table.columns[0].Max());
  }
  recorder.Add(kWorker0, At(seconds(1), kCpu, 1));
  EXPECT_EQ(recorder.Read({}).columns[0].absent, "");
}

TEST(Recorder, CapacityIsThatOfTheNewestSample) {
  Recorder recorder(kBegun, {});
  for (const double capacity : {1e9, 64e9}) {
    Sample sample = At(seconds(1), {"shm_bytes", "bytes", Scope::kTask}, 100);
    sample.values[0].capacity = capacity;
    recorder.Add(kWorker0, sample);
  }
  recorder.Add(kWorker1, At(seconds(1), kCpu, 1));
  const auto file = OpenBytes(recorder.Encode());
  ASSERT_TRUE(file.ok());
  for (const Table& table : {recorder.Read({}), *file->Read({})}) {
    EXPECT_EQ(table.Find(kWorker0, "shm_bytes")->capacity, 64e9);
    EXPECT_EQ(table.Find(kWorker1, "cpu_cores")->capacity, std::nullopt);
  }
}

TEST(Recorder, AtMost64NamesOfReportedMetricsAreKept) {
  Recorder recorder(kBegun, {});
  for (int i = 0; i < 100; ++i) {
    for (const TaskKey& task : {kWorker0, kWorker1}) {
      recorder.Add(task, At(seconds(1), {"metric.m" + std::to_string(i), "", Scope::kTask}, 1));
    }
  }
  recorder.Add(kWorker0, At(seconds(1), kCpu, 1));
  EXPECT_EQ(recorder.Read(TaskQuery(kWorker0)).columns.size(), 65U);
  EXPECT_EQ(recorder.Read(TaskQuery(kWorker1)).columns.size(), 64U);
}

TEST(Recorder, InvalidNamesAndRanksAreIgnored) {
  Recorder recorder(kBegun, {});
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a\nb"), std::string(1000, 'x'),
                                  std::string("caf\xc3\xa9"), std::string("a,b")}) {
    recorder.Add(kWorker0, At(seconds(1), {name, "", Scope::kTask}, 1));
  }
  for (const int rank : {-1, 1 << 20}) recorder.Add(kWorker0, LossAt(seconds(1), 1, 1, rank));
  EXPECT_TRUE(recorder.Read({}).columns.empty());
  recorder.Add({"", 0}, At(seconds(1), kCpu, 1));
  EXPECT_TRUE(recorder.Read({}).columns.empty());
}

// --- many tasks ---

TEST(Recorder, TenThousandTasksFitIntoMemoryAndFile) {
  const Limits limits;
  Recorder recorder(kBegun, limits);
  Feed(recorder, 10'000, seconds(0), hours(1), std::chrono::minutes(15));
  EXPECT_LE(recorder.memory(), limits.memory - limits.file);
  const std::string bytes = recorder.Encode();
  EXPECT_LE(static_cast<int64_t>(bytes.size()), limits.file);
  const auto file = OpenBytes(bytes);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->tasks().size(), 10'000U);
  const Table of_task = *file->Read(TaskQuery({"worker", 9'999}));
  EXPECT_EQ(of_task.columns.size(), TypicalSeries().size());
  const auto cpu = of_task.Find({"worker", 9'999}, "cpu_cores");
  ASSERT_NE(cpu, nullptr);
  EXPECT_NEAR(*cpu->Mean(), 1.05, 0.03);
  const Table of_role = *file->Read(RoleQuery());
  EXPECT_EQ(of_role.width, seconds(5));
  EXPECT_EQ(of_role.columns.size(), TypicalSeries().size() * 5);
  EXPECT_NEAR(of_role.columns[0].weight[0], 10'000, 20);  // the file rounds the weight
}

TEST(Recorder, RoleKeepsFullResolutionWhenTasksDoNot) {
  Recorder recorder(kBegun, {});
  Feed(recorder, 100, seconds(0), hours(1), seconds(30));
  const Table tasks = recorder.Read(TaskQuery({"worker", 0}));
  Query query = RoleQuery();
  query.series = {"cpu_cores"};
  const Table role = recorder.Read(query);
  EXPECT_LT(tasks.buckets, 400U);
  EXPECT_GT(role.buckets, 700U);
  for (size_t i = 0; i < role.buckets; i += 6) {
    EXPECT_EQ(role.columns[0].weight[i], 100) << i;
    for (int q = 1; q < 5; ++q) EXPECT_GE(role.columns[q].mean[i], role.columns[q - 1].mean[i]);
    EXPECT_NEAR(role.columns[2].mean[i], 1.05, 0.02);
  }
}

TEST(Recorder, SeriesBeyondTheMemoryAreAbsentWithTheReason) {
  Limits limits;
  limits.memory = limits.file + (int64_t{200} << 10);
  Recorder recorder(kBegun, limits);
  Feed(recorder, 400, seconds(0), seconds(20), seconds(5));
  EXPECT_LE(recorder.memory(), limits.memory - limits.file);
  const Table table = recorder.Read({});
  ASSERT_FALSE(table.columns.empty());
  EXPECT_EQ(table.columns.front().absent, "");
  EXPECT_TRUE(std::any_of(table.columns.begin(), table.columns.end(), [](const Column& column) {
    return column.absent == "the job has more series than can be kept";
  }));
}

TEST(Recorder, FileLimitIsKeptWhateverTheData) {
  for (const int64_t limit : {int64_t{20} << 10, int64_t{60} << 10, int64_t{300} << 10}) {
    Limits limits;
    limits.file = limit;
    Recorder recorder(kBegun, limits);
    Feed(recorder, 100, seconds(0), hours(1), seconds(60));
    const std::string bytes = recorder.Encode();
    EXPECT_LE(static_cast<int64_t>(bytes.size()), limit);
    const auto file = OpenBytes(bytes);
    ASSERT_TRUE(file.ok());
    const auto table = file->Read({});
    ASSERT_TRUE(table.ok());
    EXPECT_GT(table->columns.size(), 0U);
  }
}

// --- properties ---

double SumOf(const Table& table, double* weight) {
  double sum = 0;
  *weight = 0;
  for (const Column& column : table.columns) {
    for (size_t i = 0; i < column.weight.size(); ++i) {
      if (column.weight[i] == 0) continue;
      sum += static_cast<double>(column.weight[i]) * column.mean[i];
      *weight += column.weight[i];
    }
  }
  return sum;
}

TEST(RecorderProperty, MergingKeepsSumWeightAndMaximum) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::minstd_rand random(seed + 1);
    Limits many, few;
    many.buckets = 4096;
    few.buckets = static_cast<int>(random() % 9 + 1);
    Recorder fine(kBegun, many), coarse(kBegun, few);
    float highest = 0;
    for (int i = 0; i < 300; ++i) {
      const Duration at = std::chrono::milliseconds(random() % 10'000'000);
      const double value = static_cast<double>(random() % 1000);
      highest = std::max(highest, static_cast<float>(value) + 1);
      for (Recorder* recorder : {&fine, &coarse}) recorder->Add(kWorker0, At(at, kCpu, value, value + 1));
    }
    const Table all = fine.Read({});
    double weight = 0, merged_weight = 0;
    const double sum = SumOf(all, &weight);
    for (const Table& merged : {coarse.Read({}), Merged(all, static_cast<int>(random() % 20 + 1))}) {
      EXPECT_NEAR(SumOf(merged, &merged_weight), sum, sum * 1e-4) << seed;
      EXPECT_NEAR(merged_weight, weight, weight * 1e-4) << seed;
      EXPECT_EQ(merged.columns[0].Max(), highest);
    }
    EXPECT_LE(coarse.Read({}).buckets, static_cast<size_t>(few.buckets));
  }
}

TEST(RecorderProperty, OrderOfTasksDoesNotMatter) {
  Recorder forward(kBegun, {}), backward(kBegun, {});
  for (int i = 0; i < 50; ++i) {
    for (int task = 0; task < 4; ++task) {
      forward.Add({"worker", task}, At(seconds(i), kCpu, i * task));
      backward.Add({"worker", 3 - task}, At(seconds(i), kCpu, i * (3 - task)));
    }
  }
  const Table a = forward.Read({}), b = backward.Read({});
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (size_t c = 0; c < a.columns.size(); ++c) {
    EXPECT_EQ(a.columns[c].index, b.columns[c].index);
    EXPECT_EQ(a.columns[c].mean, b.columns[c].mean);
  }
}

void ExpectNear(const Table& file, const Table& recorder, double tolerance) {
  ASSERT_EQ(NamesOf(file), NamesOf(recorder));
  ASSERT_EQ(file.buckets, recorder.buckets);
  EXPECT_EQ(file.width, recorder.width);
  for (size_t c = 0; c < file.columns.size(); ++c) {
    for (size_t i = 0; i < file.buckets; ++i) {
      const Column &a = file.columns[c], &b = recorder.columns[c];
      ASSERT_EQ(a.weight[i] > 0, b.weight[i] > 0);
      if (a.weight[i] == 0) continue;
      EXPECT_NEAR(a.weight[i], b.weight[i], b.weight[i] * 0.005);
      EXPECT_NEAR(a.mean[i], b.mean[i], std::abs(b.mean[i]) * tolerance);
      if (!a.max.empty()) {
        EXPECT_NEAR(a.max[i], b.max[i], std::abs(b.max[i]) * tolerance);
      }
      if (!a.step.empty()) {
        EXPECT_EQ(a.step[i], b.step[i]);
      }
    }
  }
}

TEST(RecorderProperty, FileHasTheValuesOfTheRecorder) {
  for (const int tasks : {1, 3, 100}) {
    Recorder recorder(kBegun, {});
    Feed(recorder, tasks, seconds(0), hours(1), seconds(60));
    const auto file = OpenBytes(recorder.Encode());
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->begun(), kBegun);
    std::string problem;
    ExpectNear(*file->Read({}, &problem), recorder.Read({}), 0.0006);
    EXPECT_EQ(problem, "");
    ExpectNear(*file->Read(RoleQuery()), recorder.Read(RoleQuery()), 0.0006);
  }
}

TEST(RecorderProperty, CountersAndStepsAreExact) {
  Recorder recorder(kBegun, {});
  std::minstd_rand random(7);
  int64_t step = 0;
  for (int i = 0; i < 700; ++i) {
    step += static_cast<int64_t>(random() % 20'000);
    Sample sample = LossAt(seconds(5 * i), 1, step * 1'000'000'007);
    sample.values.push_back({kStep, 0, static_cast<double>(step), std::nullopt, std::nullopt, std::nullopt});
    recorder.Add(kWorker0, sample);
  }
  const auto file = OpenBytes(recorder.Encode());
  ASSERT_TRUE(file.ok());
  const Table read = *file->Read({}), written = recorder.Read({});
  EXPECT_EQ(read.Find(kWorker0, "metric.loss", 0)->step, written.Find(kWorker0, "metric.loss", 0)->step);
  EXPECT_EQ(read.Find(kWorker0, "step", 0)->mean, written.Find(kWorker0, "step", 0)->mean);
  EXPECT_EQ(read.Find(kWorker0, "step", 0)->max, written.Find(kWorker0, "step", 0)->max);
}

TEST(RecorderProperty, ContinuedFileEqualsAnUninterruptedRecorder) {
  for (const int tasks : {2, 100}) {
    Recorder whole(kBegun, {}), first(kBegun, {});
    for (Recorder* recorder : {&whole, &first}) Feed(*recorder, tasks, seconds(0), hours(1), seconds(60));
    const auto file = OpenBytes(first.Encode());
    ASSERT_TRUE(file.ok());
    std::string problem;
    Recorder second = Recorder::Continue(*file, {}, &problem);
    EXPECT_EQ(problem, "");
    EXPECT_EQ(second.begun(), kBegun);
    ExpectNear(second.Read({}), whole.Read({}), 0.0006);
    for (Recorder* recorder : {&whole, &second}) Feed(*recorder, tasks, hours(1), hours(2), seconds(60));
    const Table a = second.Read({}), b = whole.Read({});
    ASSERT_EQ(NamesOf(a), NamesOf(b));
    for (size_t c = 0; c < a.columns.size(); ++c) {
      EXPECT_NEAR(*a.columns[c].Mean(), *b.columns[c].Mean(), *b.columns[c].Mean() * 0.01);
      EXPECT_NEAR(*a.columns[c].Max(), *b.columns[c].Max(), *b.columns[c].Max() * 0.001);
    }
    Query query = RoleQuery();
    query.series = {"cpu_cores"};
    EXPECT_NEAR(static_cast<double>(second.Read(query).buckets), static_cast<double>(whole.Read(query).buckets), 1);
  }
}

TEST(Encoder, SamplesBetweenTheStepsDoNotDamageTheFile) {
  Recorder recorder(kBegun, {});
  Feed(recorder, 40, seconds(0), hours(1) - seconds(1), seconds(20));
  Encoder encoder(recorder);
  Duration t = hours(1);
  int steps = 0;
  for (; encoder.Step(); ++steps) {
    // The first of these samples makes the recorder merge all buckets.
    Feed(recorder, 41 + steps % 2, t, t + seconds(1), seconds(1));
    t += seconds(100);
  }
  EXPECT_GT(steps, 2);
  const auto file = OpenBytes(encoder.Take());
  ASSERT_TRUE(file.ok());
  std::string problem;
  const auto table = file->Read({}, &problem);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(problem, "");
  EXPECT_EQ(table->width, seconds(10));
  EXPECT_NEAR(*table->Find({"worker", 0}, "cpu_cores")->Mean(), 1.05, 0.02);
}

}  // namespace
}  // namespace howdah::metrics
