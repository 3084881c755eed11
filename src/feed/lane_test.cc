#include "lane.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace howdah::feed {
namespace {

Segment Rows10(PartitionId partition) { return {.partition = partition, .rows = {0, 10}, .bytes = 100}; }

TEST(WindowOrder, IsAPermutationThatDependsOnEachField) {
  const Window window{.seed = 1, .pass = 2, .lane = 3, .at = 40, .rows = 20};
  const std::vector<int32_t> order = WindowOrder(window);
  EXPECT_EQ(std::set<int32_t>(order.begin(), order.end()).size(), 20u);
  EXPECT_EQ(order, WindowOrder(window));
  for (const Window& other :
       {Window{9, 2, 3, 40, 20}, Window{1, 9, 3, 40, 20}, Window{1, 2, 9, 40, 20}, Window{1, 2, 3, 60, 20}}) {
    EXPECT_NE(order, WindowOrder(other));
  }
}

TEST(Lane, AdjacentRowsAreOneSegment) {
  Lane lane;
  EXPECT_EQ(lane.Append({.partition = 1, .rows = {0, 4}, .bytes = 40}), 0);
  EXPECT_EQ(lane.Append({.partition = 1, .rows = {4, 6}, .bytes = 20}), 4);
  EXPECT_EQ(lane.Append({.partition = 2, .rows = {0, 1}, .bytes = 5}), 6);
  std::vector<Rows> seen;
  lane.Each(0, 7, [&seen](const Segment& part) { seen.push_back(part.rows); });
  EXPECT_EQ(seen, (std::vector<Rows>{{0, 6}, {0, 1}}));
  EXPECT_EQ(lane.BytesFrom(0), 65);
  EXPECT_EQ(lane.BytesFrom(3), 35);
  EXPECT_EQ(lane.BytesFrom(7), 0);
}

TEST(Lane, RowsOnDiskDoNotReduceTheSizeOfRowsInMemory) {
  Lane lane;
  lane.Append({.partition = 1, .rows = {0, 10}, .bytes = 0});
  lane.Append({.partition = 1, .rows = {10, 12}, .bytes = 20});
  EXPECT_EQ(lane.BytesFrom(10), 20);
  EXPECT_EQ(lane.BytesFrom(11), 10);
}

TEST(Lane, TruncatedRowsAreReturned) {
  Lane lane;
  lane.Append(Rows10(1));
  lane.Append(Rows10(2));
  const std::vector<Segment> rest = lane.Truncate(7);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].rows, (Rows{7, 10}));
  EXPECT_EQ(rest[1].rows, (Rows{0, 10}));
  EXPECT_EQ(lane.end(), 7);
  EXPECT_EQ(lane.BytesFrom(0), 70);
  EXPECT_TRUE(lane.valid());
}

TEST(Lane, SettledRowsAreVisitedOnce) {
  Lane lane;
  lane.Append(Rows10(1));
  int64_t settled = 0;
  const auto count = [&settled](const Segment& part) { settled += part.rows.count(); };
  lane.Settle(4, count);
  lane.Settle(4, count);
  EXPECT_EQ(settled, 4);
  lane.EachHandedOut(7, nullptr, count);
  EXPECT_EQ(settled, 7);
  EXPECT_EQ(lane.BytesFrom(7), 30);
  EXPECT_TRUE(lane.valid());
}

// A commit in the middle of a window covers the rows that the reader has returned, not the first positions.
TEST(Lane, HandedOutRowsFollowTheOrderOfTheWindow) {
  Lane lane;
  lane.Append(Rows10(1));
  lane.Cut(4);
  lane.Cut(10);
  const Window feed{.seed = 5, .pass = 1, .lane = 0};
  std::vector<int64_t> rows;
  lane.EachHandedOut(6, &feed, [&rows](const Segment& part) {
    for (int64_t row = part.rows.from; row < part.rows.to; ++row) rows.push_back(row);
  });
  const std::vector<int32_t> order = WindowOrder({.seed = 5, .pass = 1, .lane = 0, .at = 4, .rows = 6});
  EXPECT_EQ(rows, (std::vector<int64_t>{0, 1, 2, 3, 4 + order[0], 4 + order[1]}));
  EXPECT_EQ(lane.SettleLimit(6, true), 4);
  EXPECT_EQ(lane.SettleLimit(6, false), 6);
}

}  // namespace
}  // namespace howdah::feed
