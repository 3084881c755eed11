#include "howdah/cli/output/goodput_text.h"

#include <gtest/gtest.h>

namespace howdah::cli::output {
namespace {

using client::CountedJob;
using client::GoodputReport;
using client::GroupBy;
using journal::Bucket;

constexpr journal::ResourceTime kHour = 3'600'000'000;

CountedJob JobOf(const std::string& id, const std::string& user, int64_t gpu_hours) {
  CountedJob job{.id = id, .user = user, .name = "n", .framework = "plain", .backend = "local"};
  job.state = core::JobState::kSucceeded;
  job.known = job.knows_buckets = true;
  auto& buckets = job.days[journal::Day()];
  buckets[Bucket::kUseful].held = {.memory = 4 * kHour << 30, .vcores = 2 * kHour, .gpus = gpu_hours * kHour};
  buckets[Bucket::kTail].held = {.memory = 0, .vcores = 2 * kHour, .gpus = 0, .others = {{"fpga", kHour}}};
  buckets[Bucket::kWaiting].wall = std::chrono::minutes(132);
  return job;
}

TEST(GoodputText, TableShowsGpusIfAnyWereHeld) {
  GoodputReport report(GroupBy::kUser);
  report.Add(JobOf("j1", "ann", 1204));
  report.Add(JobOf("j2", "bob", 0));
  EXPECT_EQ(GoodputTable({report, jobspec::Prices{.currency = "EUR", .usual = {.gpu_hour = 1}}}),
            "USER  JOBS  FAILED  QUEUE  HELD GPU h  USEFUL  WAITING  START  LOST  RECOVERING  TAIL  GOODPUT  BUSY  "
            "MEMORY GiB h  VCORE h  COST EUR\n"
            "ann   1     0       2h12m  1,204       1,204   0        0      –     0           0     100%     –     "
            "4.0           4.0      1,204.00\n"
            "bob   1     0       2h12m  0           0       0        0      –     0           0     50%      –     "
            "4.0           4.0      0.00\n"
            "all   2     0       4h24m  1,204       1,204   0        0      –     0           0     100%     –     "
            "8.0           8.0      1,204.00\n");
}

TEST(GoodputText, TableShowsVcoresIfNoGpuWasHeld) {
  GoodputReport report(GroupBy::kJob);
  report.Add(JobOf("j1", "ann", 0));
  EXPECT_EQ(
      GoodputTable({report, std::nullopt}),
      "JOB  JOBS  FAILED  QUEUE  HELD VCORE h  USEFUL  WAITING  START  LOST  RECOVERING  TAIL  GOODPUT  BUSY  "
      "MEMORY GiB h\n"
      "j1   1     0       2h12m  4.0           2.0     0        0      –     0           2.0   50%      –     4.0\n"
      "all  1     0       2h12m  4.0           2.0     0        0      –     0           2.0   50%      –     "
      "4.0\n");
}

TEST(GoodputText, ReportAboutOneJobHasARowForEachBucket) {
  GoodputReport report(GroupBy::kJob);
  report.Add(JobOf("j1", "ann", 0));
  const std::string text = GoodputOfJob({report, std::nullopt});
  EXPECT_NE(text.find("held 4.0 vcore h, 4.0 GiB h, 1.0 fpga h\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\ngoodput 50%, GPUs busy –\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nlost          –      –      –        –      –\n"), std::string::npos) << text;
  CountedJob unknown = JobOf("j2", "ann", 0);
  unknown.known = false;
  GoodputReport of_unknown(GroupBy::kJob);
  of_unknown.Add(unknown);
  EXPECT_NE(GoodputOfJob({of_unknown, std::nullopt}).find("not known"), std::string::npos);
}

}  // namespace
}  // namespace howdah::cli::output
