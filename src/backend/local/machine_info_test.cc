#include "machine_info.h"

#include <gtest/gtest.h>

namespace howdah::backend::local {
namespace {

constexpr int64_t kUnit = int64_t{1} << 30;

Instant SubmittedAt(int seconds) { return Instant(std::chrono::seconds(1'000'000 + seconds)); }

TEST(MachineInfo, IdleMachineUsesNothing) {
  const ClusterInfo info = MachineInfo("laptop", {16 * kUnit, 4, {0, 1}}, {});
  ASSERT_EQ(info.nodes.size(), 1u);
  EXPECT_EQ(info.nodes[0].host, "laptop");
  EXPECT_TRUE(info.nodes[0].usable);
  EXPECT_EQ(info.nodes[0].total, (Amounts{16 * kUnit, 4, 2}));
  EXPECT_EQ(info.nodes[0].used, (Amounts{0, 0, 0}));
  EXPECT_EQ(info.nodes[0].containers, 0);
  EXPECT_TRUE(info.applications.empty());
  EXPECT_EQ(info.pending, (PendingInfo{0, {0, 0, 0}}));
}

TEST(MachineInfo, AddsLeasesAndRequestsOfAllJobs) {
  const std::vector<JobLeases> jobs = {
      {{.job = "a", .submitted = SubmittedAt(0)}, {{"c1", 2 * kUnit, 3, {0}}, {"c2", kUnit, 2, {}}}, {}},
      {{.job = "b", .submitted = SubmittedAt(1)}, {{"c1", kUnit, 1, {}}}, {{"c2", 4 * kUnit, 1, 1}}},
      {{.job = "c", .submitted = SubmittedAt(2)}, {}, {{"c1", 8 * kUnit, 2, 2}}},
  };
  const ClusterInfo info = MachineInfo("laptop", {16 * kUnit, 4, {0, 1}}, jobs);
  EXPECT_EQ(info.nodes[0].used, (Amounts{4 * kUnit, 6, 1}));
  EXPECT_EQ(info.nodes[0].containers, 3);
  EXPECT_EQ(info.pending, (PendingInfo{2, {12 * kUnit, 3, 3}}));
  ASSERT_EQ(info.applications.size(), 3u);
  EXPECT_EQ(info.applications[0].used, (Amounts{3 * kUnit, 5, 1}));
  EXPECT_EQ(info.applications[0].containers, 2);
  EXPECT_EQ(info.applications[0].submitted, SubmittedAt(0));
  EXPECT_TRUE(info.applications[1].running) << "a job that waits for more runs already";
  EXPECT_FALSE(info.applications[2].running);
  EXPECT_EQ(info.applications[2].used, (Amounts{0, 0, 0}));
}

}  // namespace
}  // namespace howdah::backend::local
