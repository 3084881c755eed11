#include "howdah/feed/row_ranges.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace howdah::feed {
namespace {

TEST(RowRanges, RangesThatTouchAreMerged) {
  RowRanges rows;
  rows.Add({4, 6});
  rows.Add({0, 2});
  EXPECT_EQ(rows.ranges(), (std::vector<Rows>{{0, 2}, {4, 6}}));
  rows.Add({2, 4});
  EXPECT_EQ(rows.ranges(), (std::vector<Rows>{{0, 6}}));
  rows.Add({3, 3});
  EXPECT_EQ(rows.count(), 6);
  EXPECT_EQ(rows.prefix(), 6);
}

// Compares every operation with a set of single rows.
TEST(RowRanges, OperationsEqualThoseOfASetOfRows) {
  uint64_t state = 7;
  const auto draw = [&state](int64_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(limit));
  };
  RowRanges ranges;
  std::set<int64_t> rows;
  for (int i = 0; i < 5000; ++i) {
    const int64_t from = draw(40);
    const Rows range{from, from + draw(8)};
    const bool adds = draw(2) == 0;
    adds ? ranges.Add(range) : ranges.Remove(range);
    for (int64_t row = range.from; row < range.to; ++row) {
      if (adds) {
        rows.insert(row);
      } else {
        rows.erase(row);
      }
    }
    ASSERT_TRUE(ranges.valid()) << i;
    ASSERT_EQ(ranges.count(), static_cast<int64_t>(rows.size())) << i;
    const int64_t start = draw(40);
    const Rows within{start, start + draw(20)};
    std::set<int64_t> common, missing;
    for (const Rows& part : ranges.Common(within)) {
      for (int64_t row = part.from; row < part.to; ++row) common.insert(row);
    }
    for (const Rows& part : ranges.Missing(within)) {
      for (int64_t row = part.from; row < part.to; ++row) missing.insert(row);
    }
    for (int64_t row = within.from; row < within.to; ++row) {
      ASSERT_EQ(common.contains(row), rows.contains(row)) << i;
      ASSERT_EQ(missing.contains(row), !rows.contains(row)) << i;
    }
    ASSERT_EQ(common.size() + missing.size(), static_cast<size_t>(within.count())) << i;
  }
}

}  // namespace
}  // namespace howdah::feed
