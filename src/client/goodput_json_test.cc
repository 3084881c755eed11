#include "howdah/client/goodput_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace howdah::client {
namespace {

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

TEST(GoodputJson, JsonHasEveryField) {
  GoodputReport report(GroupBy::kUser);
  report.Add(JobOf("j1", "ann", 2));
  const auto json = nlohmann::json::parse(GoodputJson({report, std::nullopt}));
  const auto& group = json["groups"][0];
  EXPECT_EQ(group["group"], "ann");
  EXPECT_EQ(group["held"], (nlohmann::json{{"gpu_seconds", 7200.0},
                                           {"memory_gib_seconds", 14400.0},
                                           {"vcore_seconds", 14400.0},
                                           {"other", {{"fpga", 3600.0}}}}));
  for (const char* name : {"lost", "busy_gpu_seconds", "busy", "cost", "currency"}) {
    EXPECT_TRUE(group.contains(name) && group[name].is_null()) << name;
  }
  EXPECT_EQ(group["goodput"], 1.0);
  EXPECT_EQ(group["queue_seconds"], 7920.0);
  EXPECT_EQ(json["total"]["group"], "all");
}

// A group without known hardware has the same columns as the others.
TEST(GoodputJson, CsvHasTheSameColumnsInEachLine) {
  GoodputReport report(GroupBy::kUser);
  report.Add(JobOf("j1", "a,\"b\"", 2));
  CountedJob unknown = JobOf("j2", "bob", 2);
  unknown.known = unknown.knows_buckets = false;
  report.Add(unknown);
  const std::string csv = GoodputCsv({report, std::nullopt});
  const size_t first = csv.find('\n'), second = csv.find('\n', first + 1), third = csv.find('\n', second + 1);
  const std::string titles = csv.substr(0, first);
  EXPECT_EQ(titles.substr(0, 49), "group,jobs,succeeded,failed,killed,queue_seconds,");
  EXPECT_NE(titles.find(",held_other,useful_gpu_seconds,"), std::string::npos) << titles;
  const std::string quoted = csv.substr(first + 1, second - first - 1),
                    bob = csv.substr(second + 1, third - second - 1);
  EXPECT_EQ(quoted.substr(0, 11), "\"a,\"\"b\"\"\",1") << quoted;
  EXPECT_NE(quoted.find(",fpga=3600.0,"), std::string::npos) << quoted;
  EXPECT_EQ(std::count(bob.begin(), bob.end(), ','), std::count(titles.begin(), titles.end(), ',')) << bob;
  EXPECT_EQ(bob.substr(0, 23), "bob,1,1,0,0,7920.0,,,,,") << bob;
}

}  // namespace
}  // namespace howdah::client
