#include "howdah/journal/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_entries.h"

namespace howdah::journal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Stretch Of(Spent what, int from, int to) { return {what, At(from), At(to)}; }

Timeline QueueStartRunning() {
  Timeline timeline;
  timeline.Append(Of(Spent::kQueue, 0, 10));
  timeline.Append(Of(Spent::kStart, 10, 12));
  timeline.Append(Of(Spent::kRunning, 12, 20));
  timeline.Append(Of(Spent::kRunning, 20, 30));
  return timeline;
}

TEST(Timeline, AdjacentStretchesOfABucketAreJoined) {
  EXPECT_THAT(QueueStartRunning().stretches(),
              ElementsAre(Of(Spent::kQueue, 0, 10), Of(Spent::kStart, 10, 12), Of(Spent::kRunning, 12, 30)));
}

TEST(Timeline, MoveSplitsAndJoinsStretches) {
  Timeline timeline = QueueStartRunning();
  timeline.Move({Of(Spent::kRunning, 15, 18), Of(Spent::kRunning, 25, 30)}, Spent::kLost);
  EXPECT_THAT(timeline.stretches(),
              ElementsAre(Of(Spent::kQueue, 0, 10), Of(Spent::kStart, 10, 12), Of(Spent::kRunning, 12, 15),
                          Of(Spent::kLost, 15, 18), Of(Spent::kRunning, 18, 25), Of(Spent::kLost, 25, 30)));
  EXPECT_EQ(timeline.total(Spent::kLost), std::chrono::seconds(8));
  timeline.Move({Of(Spent::kLost, 15, 18), Of(Spent::kLost, 25, 30)}, Spent::kRunning);
  EXPECT_EQ(timeline.stretches(), QueueStartRunning().stretches());
  EXPECT_EQ(timeline.total(Spent::kLost), Duration());
}

TEST(Timeline, MoveOfAnEmptyStretchChangesNothing) {
  Timeline timeline = QueueStartRunning();
  timeline.Move({Of(Spent::kRunning, 15, 15)}, Spent::kLost);
  EXPECT_EQ(timeline.stretches(), QueueStartRunning().stretches());
}

TEST(Timeline, NewestReturnsEachStretchOfAnInterruptedBucket) {
  Timeline timeline = QueueStartRunning();
  timeline.Append(Of(Spent::kStart, 30, 33));
  EXPECT_THAT(timeline.Newest(Spent::kStart, std::chrono::seconds(4)),
              ElementsAre(Of(Spent::kStart, 11, 12), Of(Spent::kStart, 30, 33)));
  EXPECT_THAT(timeline.Newest(Spent::kStart, std::chrono::seconds(99)),
              ElementsAre(Of(Spent::kStart, 10, 12), Of(Spent::kStart, 30, 33)));
  EXPECT_THAT(timeline.Newest(Spent::kStart, std::chrono::seconds(-1)), IsEmpty());
}

TEST(Timeline, TotalsKeepTheTimeOfDroppedStretches) {
  Timeline timeline = QueueStartRunning();
  timeline.DropBefore(At(11));
  EXPECT_THAT(timeline.stretches(), ElementsAre(Of(Spent::kStart, 11, 12), Of(Spent::kRunning, 12, 30)));
  EXPECT_EQ(timeline.total(Spent::kQueue), std::chrono::seconds(10));
  EXPECT_EQ(timeline.total(Spent::kStart), std::chrono::seconds(2));
}

}  // namespace
}  // namespace howdah::journal
