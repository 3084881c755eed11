#include "marks.h"

#include <gtest/gtest.h>

#include "howdah/feed/ledger.h"

namespace howdah::feed {
namespace {

TEST(Marks, NewestMarkUpToTheStepCounts) {
  Marks marks;
  marks.Add(10, {0, 100});
  marks.Add(20, {1, 50});
  EXPECT_FALSE(marks.At(9));
  EXPECT_EQ(marks.At(10), (Position{0, 100}));
  EXPECT_EQ(marks.At(19), (Position{0, 100}));
  EXPECT_EQ(marks.At(25), (Position{1, 50}));
  EXPECT_EQ(marks.Oldest(1), 50);
  EXPECT_FALSE(marks.Oldest(2));
}

TEST(Marks, LowerPositionCountsIfReportsContradictEachOther) {
  Marks marks;
  marks.Add(10, {0, 100});
  marks.Add(10, {0, 80});
  EXPECT_EQ(marks.At(10), (Position{0, 80}));
  marks.Add(20, {0, 60});
  EXPECT_EQ(marks.At(10), (Position{0, 60})) << "an earlier step has no later position";
  marks.Add(15, {0, 90});
  EXPECT_EQ(marks.At(15), (Position{0, 60}));
  EXPECT_TRUE(marks.valid());
}

TEST(Marks, NumberIsLimited) {
  Marks marks;
  const auto last = static_cast<int64_t>(5 * kMostMarks);
  for (int64_t step = 0; step <= last; ++step) marks.Add(step, {0, step});
  EXPECT_EQ(marks.At(last), (Position{0, last})) << "the newest mark is kept";
  int64_t kept = 0;
  for (int64_t step = 0; step <= last; ++step) kept += marks.At(step) == Position{0, step};
  EXPECT_LE(kept, static_cast<int64_t>(kMostMarks));
  EXPECT_GT(kept, static_cast<int64_t>(kMostMarks / 4));
}

}  // namespace
}  // namespace howdah::feed
