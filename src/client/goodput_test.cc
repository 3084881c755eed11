#include "howdah/client/goodput.h"

#include <gtest/gtest.h>

namespace howdah::client {
namespace {

using journal::Bucket;

Instant At(int hour) { return std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + std::chrono::hours(hour); }

// Two workers of TonY: one that ran from 22:00 until 02:00, and one from 23:00 until the end of the job at 03:00.
journal::JobView TonyJob() {
  journal::JobView view;
  view.id = "application_1700000000000_0001";
  view.user = "ann";
  view.on = "yarn";
  view.state = core::JobState::kSucceeded;
  view.submitted = At(21);
  view.finished = At(27);
  view.tasks.resize(2);
  view.tasks[0].role = view.tasks[1].role = "worker";
  view.tasks[0].started = At(22);
  view.tasks[0].finished = At(26);
  view.tasks[1].started = At(23);
  return view;
}

TEST(CountTonyJob, TaskHoldsItsRequestFromStartToEnd) {
  const auto job = CountTonyJob(
      TonyJob(), {{"tony.worker.memory", "2g"}, {"tony.worker.vcores", "3"}, {"tony.worker.gpus", "1"}}, {});
  ASSERT_TRUE(job.has_value());
  EXPECT_TRUE(job->known);
  EXPECT_FALSE(job->knows_buckets);
  ASSERT_EQ(job->days.size(), 2u);
  const auto& [first, second] = std::pair(job->days.begin()->second, job->days.rbegin()->second);
  EXPECT_DOUBLE_EQ(journal::Seconds(first.Total().gpus), 3 * 3600);
  EXPECT_DOUBLE_EQ(journal::Seconds(second.Total().vcores), 3 * 5 * 3600);
  EXPECT_DOUBLE_EQ(journal::GibSeconds(second.Total().memory), 2 * 5 * 3600);
}

TEST(CountTonyJob, HardwareIsUnknownWithoutTheRequest) {
  const auto job = CountTonyJob(TonyJob(), {{"tony.worker.vcores", "3"}}, {});
  ASSERT_TRUE(job.has_value());
  EXPECT_FALSE(job->known);
}

TEST(CountTonyJob, OnlyTimeInTheWindowCounts) {
  GoodputOptions options;
  options.window = {.since = At(25), .until = At(26)};
  const std::vector<compat::tony::history::Setting> settings{{"tony.worker.memory", "1g"}, {"tony.worker.vcores", "1"}};
  const auto job = CountTonyJob(TonyJob(), settings, options);
  ASSERT_TRUE(job.has_value());
  EXPECT_DOUBLE_EQ(journal::Seconds(job->days.rbegin()->second.Total().vcores), 2 * 3600);
  options.window = {.since = At(28), .until = {}};
  EXPECT_FALSE(CountTonyJob(TonyJob(), settings, options).has_value());
}

}  // namespace
}  // namespace howdah::client
