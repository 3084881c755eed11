// Tests of queries, and of valid and damaged files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "test_jobs.h"

namespace howdah::metrics {
namespace {

using testing::ElementsAre;

// --- queries ---

TEST(Query, SelectsColumnsInOrder) {
  const Recorder recorder = SomeJob();
  const auto file = OpenBytes(recorder.Encode());
  ASSERT_TRUE(file.ok());
  Query of_worker, of_ps, of_rank = TaskQuery(kWorker1), of_series, of_role = RoleQuery(), of_none;
  of_worker.role = "worker";
  of_ps.role = "ps";
  of_rank.of = Query::Of::kRank;
  of_series.series = {"net_rx", "metric.loss"};
  of_role.series = {"cpu_cores"};
  of_role.role = "worker";
  of_none.role = "chief";
  for (const bool from_file : {false, true}) {
    const auto read = [&](const Query& query) { return from_file ? *file->Read(query) : recorder.Read(query); };
    EXPECT_THAT(NamesOf(read(of_worker)),
                ElementsAre("worker:0 cpu_cores", "worker:0 net_rx", "worker:1 cpu_cores",
                            "worker:1 metric.loss rank 0", "worker:1 metric.loss rank 1", "worker:1 net_rx"));
    EXPECT_THAT(NamesOf(read(of_ps)), ElementsAre("ps:0 cpu_cores", "ps:0 net_rx"));
    EXPECT_THAT(NamesOf(read(of_rank)), ElementsAre("worker:1 metric.loss rank 0", "worker:1 metric.loss rank 1"));
    EXPECT_THAT(NamesOf(read(of_series)), ElementsAre("worker:0 net_rx", "worker:1 metric.loss rank 0",
                                                      "worker:1 metric.loss rank 1", "worker:1 net_rx", "ps:0 net_rx"));
    EXPECT_THAT(NamesOf(read(of_role)),
                ElementsAre("worker cpu_cores 0%", "worker cpu_cores 25%", "worker cpu_cores 50%",
                            "worker cpu_cores 75%", "worker cpu_cores 100%"));
    EXPECT_THAT(NamesOf(read(of_none)), ElementsAre());
    const Table quantiles = read(of_role);
    EXPECT_EQ(quantiles.columns[0].mean[3], 3);
    EXPECT_EQ(quantiles.columns[2].mean[3], 3.5);
    EXPECT_EQ(quantiles.columns[4].mean[3], 4);
    EXPECT_EQ(quantiles.columns[4].weight[3], 2);
  }
}

TEST(Query, TimeRangeSelectsOverlappingBuckets) {
  const Recorder recorder = SomeJob();
  const struct {
    std::optional<Duration> from, to;
    Duration start;
    size_t buckets;
  } kCases[] = {{std::nullopt, std::nullopt, seconds(0), 20}, {seconds(5), std::nullopt, seconds(5), 19},
                {seconds(7), seconds(9), seconds(5), 1},      {seconds(7), seconds(10), seconds(5), 1},
                {seconds(7), seconds(11), seconds(5), 2},     {seconds(-100), seconds(0), seconds(0), 0},
                {seconds(98), seconds(500), seconds(95), 1},  {hours(5), hours(6), seconds(100), 0},
                {seconds(50), seconds(20), seconds(20), 0}};
  for (const auto& c : kCases) {
    Query query = TaskQuery(kWorker0);
    query.series = {"cpu_cores"};
    if (c.from) query.from = kBegun + *c.from;
    if (c.to) query.to = kBegun + *c.to;
    const Table table = recorder.Read(query);
    EXPECT_EQ(table.start, kBegun + c.start);
    ASSERT_EQ(table.buckets, c.buckets);
    ASSERT_EQ(table.columns.size(), 1U);
    EXPECT_EQ(table.columns[0].mean.size(), c.buckets);
    for (size_t i = 0; i < c.buckets; ++i) {
      EXPECT_EQ(table.columns[0].mean[i], static_cast<float>(c.start / seconds(5)) + static_cast<float>(i));
    }
  }
}

TEST(Query, PointsLimitTheBuckets) {
  const Recorder recorder = SomeJob();
  Query query = TaskQuery(kWorker0);
  query.series = {"cpu_cores"};
  query.points = 6;
  const Table table = recorder.Read(query);
  EXPECT_EQ(table.width, seconds(20));
  EXPECT_THAT(table.columns[0].mean, ElementsAre(1.5, 5.5, 9.5, 13.5, 17.5));
  EXPECT_THAT(table.columns[0].max, ElementsAre(3, 7, 11, 15, 19));
  EXPECT_THAT(table.columns[0].weight, ElementsAre(20, 20, 20, 20, 20));
}

// --- damaged files ---

TEST(File, EmptyRecorderGivesAValidFile) {
  const Recorder recorder(kBegun, {});
  const auto file = OpenBytes(recorder.Encode());
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->tasks().empty());
  EXPECT_TRUE(file->Read({})->columns.empty());
  EXPECT_TRUE(file->Read(RoleQuery())->columns.empty());
}

TEST(File, ErrorSaysWhatIsWrong) {
  const std::string valid = SomeJob().Encode();
  const auto message = [](std::string bytes) {
    const auto file = OpenBytes(std::move(bytes));
    return file.ok() ? "" : file.error().message;
  };
  EXPECT_EQ(message(valid), "");
  EXPECT_EQ(message(""), "it is not a metrics file of Howdah");
  EXPECT_EQ(message("{\"this\": \"is JSON, and long enough for a header\"}"), "it is not a metrics file of Howdah");
  EXPECT_EQ(message(valid.substr(0, 20)), "it ends within its header");
  EXPECT_EQ(message(valid.substr(0, valid.size() - 1)), "its index: it ends too early");
  std::string newer = valid, damaged = valid, index = valid;
  newer[8] = 2;
  EXPECT_EQ(message(newer), "it has version 2 of the format, and this program reads version 1");
  damaged[14] ^= 1;
  EXPECT_EQ(message(damaged), "its header is damaged");
  index[valid.size() - 3] ^= 1;
  EXPECT_EQ(message(index), "its index: its checksum is wrong");
}

TEST(File, DamagedBlockCostsOnlyItsTask) {
  const Recorder recorder = SomeJob();
  std::string bytes = recorder.Encode();
  bytes[40] ^= 1;  // in the first block, which belongs to the task that reported first
  const auto file = OpenBytes(bytes);
  ASSERT_TRUE(file.ok());
  std::string problem;
  const auto table = file->Read({}, &problem);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(problem, "worker:0: its checksum is wrong");
  EXPECT_EQ(table->Find(kWorker0, "cpu_cores"), nullptr);
  EXPECT_NE(table->Find(kWorker1, "cpu_cores"), nullptr);
  EXPECT_FALSE(file->Read(TaskQuery(kWorker0)).ok());
  Recorder continued = Recorder::Continue(*file, {}, &problem);
  EXPECT_EQ(problem, "worker:0: its checksum is wrong");
  EXPECT_NE(continued.Read({}).Find(kWorker1, "cpu_cores"), nullptr);
}

TEST(File, ErrorOfTheStorageIsPassedOn) {
  const auto file = Open([](int64_t, int64_t) -> Result<std::string> { return Failed("reading x: I/O error"); });
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().message, "reading x: I/O error");
}

TEST(File, ThousandMutationsGiveAFileOrAnError) {
  const std::string valid = SomeJob().Encode();
  std::minstd_rand random(42);
  int opened = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = valid;
    for (int n = static_cast<int>(random() % 4); n >= 0 && !bytes.empty(); --n) {
      switch (random() % 4) {
        case 0:
          bytes[random() % bytes.size()] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(random() % bytes.size(), random() % 16);
          break;
        case 2:
          bytes.insert(random() % bytes.size(), random() % 16, static_cast<char>(random()));
          break;
        default:
          bytes.resize(random() % bytes.size() + 1);
      }
    }
    const auto file = OpenBytes(bytes);
    if (!file.ok()) {
      EXPECT_NE(file.error().message, "");
      continue;
    }
    ++opened;
    const auto table = file->Read({});
    if (table.ok()) {
      EXPECT_LE(table->buckets, 20U);
    }
    std::string problem;
    const Recorder continued = Recorder::Continue(*file, {}, &problem);
    EXPECT_TRUE(OpenBytes(continued.Encode()).ok());
  }
  EXPECT_GT(opened, 10);
}

}  // namespace
}  // namespace howdah::metrics
