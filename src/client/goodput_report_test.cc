#include "howdah/client/goodput_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::client {
namespace {

using core::JobState;
using journal::Bucket;
using journal::Day;
using testing::ElementsAre;

constexpr journal::ResourceTime kResourceHour = 3'600'000'000;

Day DayOf(unsigned day) { return std::chrono::local_days(std::chrono::year(2026) / std::chrono::month(11) / day); }

// A job that held `gpus` GPUs and one vcore for an hour on each of the days. Half of that time was useful.
CountedJob JobOf(const std::string& id, const std::string& user, int gpus, std::vector<unsigned> days,
                 JobState state = JobState::kSucceeded) {
  CountedJob job{.id = id, .user = user, .name = "n", .framework = "plain", .backend = "local", .state = state};
  job.known = job.knows_buckets = true;
  for (const unsigned day : days) {
    auto& buckets = job.days[DayOf(day)];
    for (const Bucket bucket : {Bucket::kUseful, Bucket::kTail}) {
      buckets[bucket].held.gpus = gpus * kResourceHour / 2;
      buckets[bucket].held.vcores = kResourceHour / 2;
    }
    buckets[Bucket::kWaiting].wall = std::chrono::seconds(5);
  }
  return job;
}

std::vector<std::string> NamesOf(const GoodputReport& report) {
  std::vector<std::string> names;
  for (const GoodputGroup& group : report.Groups()) names.push_back(group.name);
  return names;
}

TEST(GoodputReport, GroupsAddUpToTheTotalAndTheLargestIsFirst) {
  GoodputReport report(GroupBy::kUser);
  report.Add(JobOf("j1", "ann", 1, {1}));
  report.Add(JobOf("j2", "bob", 4, {1, 2}, JobState::kFailed));
  report.Add(JobOf("j3", "ann", 2, {2}, JobState::kKilled));
  report.Add(JobOf("j4", "", 0, {2}, JobState::kRunning));
  EXPECT_THAT(NamesOf(report), ElementsAre("bob", "ann", "–"));
  journal::Held sum;
  int64_t jobs = 0, ended = 0;
  for (const GoodputGroup& group : report.Groups()) {
    sum += group.held;
    jobs += group.jobs;
    ended += group.succeeded + group.failed + group.killed;
  }
  EXPECT_EQ(sum, report.total().held);
  EXPECT_EQ(report.total().held.gpus, 11 * kResourceHour);
  EXPECT_EQ(jobs, report.total().jobs);
  EXPECT_EQ(ended, 3);
  EXPECT_EQ(report.total().queue(), std::chrono::seconds(25));
  EXPECT_EQ(report.total().goodput(), 0.5);
}

TEST(GoodputReport, JobCountsOnEachOfItsDaysAndEndsOnTheLast) {
  GoodputReport report(GroupBy::kDay);
  report.Add(JobOf("j1", "ann", 1, {2, 3}, JobState::kFailed));
  report.Add(JobOf("j2", "ann", 1, {1, 2}));
  const auto groups = report.Groups();
  EXPECT_THAT(NamesOf(report), ElementsAre("2026-11-01", "2026-11-02", "2026-11-03"));
  EXPECT_EQ(groups[1].jobs, 2);
  EXPECT_EQ(groups[1].failed, 0);
  EXPECT_EQ(groups[1].succeeded, 1);
  EXPECT_EQ(groups[2].failed, 1);
  EXPECT_EQ(report.total().jobs, 2);
}

TEST(GoodputReport, JobCountsOnceInTheTotalWhateverItsTags) {
  GoodputReport report(GroupBy::kTag);
  CountedJob job = JobOf("j1", "ann", 1, {1});
  job.tags = {"b", "a", "b"};
  report.Add(job);
  EXPECT_THAT(NamesOf(report), ElementsAre("a", "b"));
  EXPECT_EQ(report.total().jobs, 1);
  EXPECT_EQ(report.total().held.gpus, kResourceHour);
}

TEST(GoodputReport, UnknownHardwareIsNotZero) {
  GoodputReport report(GroupBy::kUser);
  CountedJob unknown = JobOf("j1", "ann", 1, {1});
  unknown.known = unknown.knows_buckets = false;
  report.Add(unknown);
  EXPECT_FALSE(report.total().known);
  EXPECT_EQ(report.total().goodput(), std::nullopt);
  EXPECT_EQ(report.total().busy_share(), std::nullopt);
  EXPECT_EQ(report.total().Cost({.currency = "EUR", .usual = {.gpu_hour = 1}}), std::nullopt);
  EXPECT_EQ(report.total().queue(), std::chrono::seconds(5)) << "the time that it waited is known";
}

TEST(GoodputReport, HardwareWithoutBucketsDoesNotChangeTheGoodput) {
  GoodputReport report(GroupBy::kUser);
  CountedJob tony = JobOf("j1", "ann", 8, {1});
  tony.knows_buckets = false;
  report.Add(tony);
  report.Add(JobOf("j2", "ann", 1, {1}));
  EXPECT_EQ(report.total().held.gpus, 9 * kResourceHour);
  EXPECT_EQ(report.total().goodput(), 0.5);
  EXPECT_TRUE(report.total().knows_buckets);
}

TEST(GoodputReport, BusyShareCountsOnlyJobsWithKnownGpuUse) {
  GoodputReport report(GroupBy::kUser);
  CountedJob measured = JobOf("j1", "ann", 2, {1});
  measured.busy = 0.75;
  report.Add(measured);
  report.Add(JobOf("j2", "ann", 6, {1}));
  EXPECT_EQ(report.total().busy, kResourceHour * 3 / 4);
  EXPECT_EQ(report.total().busy_share(), 0.75);
}

TEST(GoodputReport, PricesOfALabelReplaceTheUsualPrices) {
  GoodputReport report(GroupBy::kUser);
  CountedJob job = JobOf("j1", "ann", 3, {1});
  job.days[DayOf(1)].labels["a100"].gpus = 2 * kResourceHour;
  report.Add(job);
  const jobspec::Prices prices{
      .currency = "EUR", .usual = {.vcore_hour = 0.5, .gpu_hour = 1}, .labels = {{"a100", {.gpu_hour = 10}}}};
  EXPECT_DOUBLE_EQ(report.total().Cost(prices).value(), 2 * 10 + 1 * 1 + 0.5);
  EXPECT_DOUBLE_EQ(report.total().Cost({.currency = "EUR", .usual = {.gpu_hour = 1}}).value(), 3);
}

}  // namespace
}  // namespace howdah::client
