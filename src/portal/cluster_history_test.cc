#include "cluster_history.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "howdah/os/files/testing.h"

namespace howdah::portal {
namespace {

Instant MinuteAt(int64_t minute) { return Instant(std::chrono::minutes(minute)); }

constexpr int64_t kFirst = 29'000'000;

ClusterPoint PointAt(int64_t minute, int64_t nodes) {
  ClusterPoint point{.minute = minute};
  point.values[0] = nodes;
  return point;
}

class ClusterHistoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/history.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    path_ = name + "/cluster-local";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string directory_, path_;
};

TEST(ClusterPoint, EncodedPointIsDecodedWithUnknownValues) {
  ClusterPoint point{.minute = kFirst};
  for (size_t i = 0; i < point.values.size(); i += 2) point.values[i] = static_cast<int64_t>(i) * 7 - 7;
  const std::string slot = EncodePoint(point);
  EXPECT_EQ(slot.size(), kClusterSlotBytes);
  EXPECT_EQ(DecodePoint(slot), point);
}

TEST(ClusterPoint, EmptyDamagedAndShortSlotsHaveNoPoint) {
  std::string slot = EncodePoint(PointAt(kFirst, 3));
  EXPECT_EQ(DecodePoint(std::string(kClusterSlotBytes, '\0')), std::nullopt);
  EXPECT_EQ(DecodePoint(slot.substr(1)), std::nullopt);
  for (const size_t at : {size_t{0}, size_t{9}, slot.size() - 1}) {
    std::string damaged = slot;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_EQ(DecodePoint(damaged), std::nullopt) << at;
  }
  EXPECT_EQ(DecodePoint(EncodePoint(PointAt(0, 3))), std::nullopt);
}

TEST(ClusterTotals, SumsCountUsableNodesAndAreUnknownIfAPartIs) {
  backend::NodeInfo big{.host = "a", .usable = true, .total = {100, 8, 4}, .used = {50, 2, 1}};
  backend::NodeInfo small{.host = "b", .usable = true, .total = {10, 2, 0}, .used = {5, std::nullopt, 0}};
  backend::NodeInfo sick{.host = "c", .usable = false, .total = {1000, 9, 9}, .used = {}};
  const ClusterTotals totals = TotalsOf({.nodes = {big, small, sick}});
  EXPECT_EQ(totals.nodes, 3);
  EXPECT_EQ(totals.usable_nodes, 2);
  EXPECT_EQ(totals.total, (backend::Amounts{110, 10, 4}));
  EXPECT_EQ(totals.used, (backend::Amounts{55, std::nullopt, 1}));
  const ClusterPoint point =
      PointOf({.nodes = {big, small, sick}, .pending = {7, {70, 3, std::nullopt}}}, MinuteAt(kFirst));
  const ClusterPoint expected{kFirst, {3, 2, 55, 110, std::nullopt, 10, 1, 4, 7, 70}};
  EXPECT_EQ(point, expected);
}

TEST_F(ClusterHistoryTest, PointsOfOneDaySurviveARestart) {
  {
    ClusterHistory history(path_, MinuteAt(kFirst));
    EXPECT_EQ(history.problem(), "");
    EXPECT_TRUE(history.Lacks(MinuteAt(kFirst)));
    for (int64_t minute = kFirst; minute < kFirst + 2 * ClusterHistory::kMinutes; ++minute)
      history.Add(PointAt(minute, minute));
    EXPECT_EQ(history.points().size(), static_cast<size_t>(ClusterHistory::kMinutes));
  }
  const int64_t newest = kFirst + 2 * ClusterHistory::kMinutes - 1;
  EXPECT_EQ(std::filesystem::file_size(path_), kClusterSlotBytes * ClusterHistory::kMinutes);
  const ClusterHistory again(path_, MinuteAt(newest + 60));
  EXPECT_EQ(again.points().size(), static_cast<size_t>(ClusterHistory::kMinutes) - 60);
  EXPECT_EQ(again.points().rbegin()->second, PointAt(newest, newest));
  EXPECT_FALSE(again.Lacks(MinuteAt(newest)));
}

TEST_F(ClusterHistoryTest, DamageCostsOnlyThePointsThatItHits) {
  ClusterHistory(path_, MinuteAt(kFirst)).Add(PointAt(kFirst, 1));
  ClusterHistory(path_, MinuteAt(kFirst)).Add(PointAt(kFirst + 1, 2));
  const size_t slot = static_cast<size_t>(kFirst % ClusterHistory::kMinutes) * kClusterSlotBytes;
  std::string bytes = os::files::Content(path_);
  bytes[slot + 9] = static_cast<char>(bytes[slot + 9] ^ 1);
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  ClusterHistory history(path_, MinuteAt(kFirst + 1));
  EXPECT_EQ(history.points().size(), 1u);
  EXPECT_EQ(history.points().begin()->second, PointAt(kFirst + 1, 2));
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << "x";
  EXPECT_TRUE(ClusterHistory(path_, MinuteAt(kFirst + 1)).points().empty());
}

TEST_F(ClusterHistoryTest, FileThatCannotBeOpenedCostsOnlyTheFile) {
  ClusterHistory history(directory_ + "/none/file", MinuteAt(kFirst));
  EXPECT_NE(history.problem(), "");
  history.Add(PointAt(kFirst, 1));
  EXPECT_EQ(history.points().size(), 1u);
}

TEST_F(ClusterHistoryTest, PipeInPlaceOfTheFileDoesNotBlock) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  ClusterHistory history(path_, MinuteAt(kFirst));
  EXPECT_NE(history.problem(), "");
}

}  // namespace
}  // namespace howdah::portal
