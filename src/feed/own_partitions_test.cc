#include "own_partitions.h"

#include <gtest/gtest.h>

#include "howdah/feed/ledger.h"
#include "test_feed.h"

namespace howdah::feed {
namespace {

using testing::TestFeed;

constexpr int64_t kRoom = 100;  // bytes ahead of each reader

Options WithBuffer(Split split, int64_t shuffle = 0) {
  Options options;
  options.split = split;
  options.shuffle = shuffle;
  options.buffer = kRoom;
  return options;
}

Answer AskFor(TestFeed& feed, PartitionId partition, int reader) {
  return feed.ledger().Ask(0, partition, /*near=*/-1, reader);
}

TEST(OwnPartitions, SourceWaitsForItsOwnReader) {
  TestFeed feed(WithBuffer(Split::kEqual), 2, 2, 4);
  EXPECT_EQ(AskFor(feed, 2, 0).rank, 0);
  feed.Receive(0, 0, {0, 10}, kRoom);
  EXPECT_EQ(AskFor(feed, 0, 0).what, Answer::What::kWait) << "reader 1 has room, and gets its own partitions";
  EXPECT_EQ(feed.ledger().Ask(0, 0).rank, 1) << "a source that does not name a reader sends there";
  const Answer other = AskFor(feed, 1, 1);
  EXPECT_EQ(other.what, Answer::What::kSend);
  EXPECT_EQ(other.rank, 1);
  EXPECT_EQ(other.limit, 0);
  EXPECT_EQ(AskFor(feed, 3, 2).what, Answer::What::kWait) << "there is no reader 2";
}

TEST(OwnPartitions, CompletePartitionsAreNotSent) {
  TestFeed feed(WithBuffer(Split::kEqual), 2, 2, 2);
  feed.Receive(0, 0, {0, 4});
  feed.End(0, 4);
  EXPECT_EQ(AskFor(feed, 0, 0).what, Answer::What::kDone);
  EXPECT_EQ(AskFor(feed, 2, 0).what, Answer::What::kDone) << "there is no partition 2";
  feed.Step(ReadingStopped{});
  EXPECT_EQ(AskFor(feed, 1, 1).what, Answer::What::kOver);
}

// All programs ask for a batch when they have got this many rows.
void WaitAfter(TestFeed& feed, int ranks, int64_t rows) {
  for (int rank = 0; rank < ranks; ++rank) feed.HandOut(rank, rows, /*waiting=*/true);
}

// Reader 0 has a long partition, and the readers 1 and 2 have none.
class GivingTest : public ::testing::Test {
 protected:
  GivingTest() : feed(WithBuffer(Split::kEqual), 3, 2, 1) { feed.Receive(0, 0, {0, 40}, kRoom); }
  TestFeed feed;
};

TEST_F(GivingTest, ReaderWithoutPartitionsGetsRowsOfTheOneThatLeads) {
  EXPECT_EQ(AskFor(feed, 0, 0).what, Answer::What::kWait) << "no program asks for a batch";
  WaitAfter(feed, 3, 0);
  const Answer answer = AskFor(feed, 0, 0);
  EXPECT_EQ(answer.what, Answer::What::kSend);
  EXPECT_EQ(answer.rank, 1) << "the first of those with the fewest rows";
  EXPECT_EQ(answer.limit, 10) << "a quarter of the lead";
  EXPECT_EQ(answer.missing, (std::vector<Rows>{{40, kMostRows}}));
  feed.Receive(1, 0, {40, 50}, 25);
  EXPECT_EQ(AskFor(feed, 0, 0).rank, 2);
  feed.Receive(2, 0, {50, 60}, 25);
  EXPECT_EQ(AskFor(feed, 0, 0).what, Answer::What::kWait) << "all readers can return a batch";
  WaitAfter(feed, 3, 10);
  EXPECT_EQ(AskFor(feed, 0, 0).rank, 0) << "its reader has room again";
}

TEST_F(GivingTest, RowsAreGivenOnlyWhenAllReadersWait) {
  feed.Receive(1, 0, {40, 44}, 10);
  feed.Receive(2, 0, {44, 48}, 10);
  WaitAfter(feed, 3, 0);
  EXPECT_EQ(AskFor(feed, 0, 0).what, Answer::What::kWait) << "two batches can be read";
  for (const int rank : {1, 2}) feed.HandOut(rank, 4, /*waiting=*/true);
  EXPECT_EQ(AskFor(feed, 0, 0).what, Answer::What::kWait) << "rank 0 has not read them";
}

TEST(OwnPartitions, PartitionsOfAStarvingReaderComeFirst) {
  TestFeed feed(WithBuffer(Split::kEqual), 2, 2, 2);
  feed.Receive(0, 0, {0, 40}, kRoom);
  WaitAfter(feed, 2, 0);
  EXPECT_EQ(AskFor(feed, 0, 0).what, Answer::What::kWait) << "partition 1 is not complete";
  feed.End(1, 0);
  EXPECT_EQ(AskFor(feed, 0, 0).rank, 1);
}

TEST(OwnPartitions, ReaderWithTheMostRowsGives) {
  TestFeed feed(WithBuffer(Split::kEqual), 3, 2, 2);
  feed.Receive(0, 0, {0, 40}, kRoom);
  feed.Receive(1, 1, {0, 60}, kRoom);
  WaitAfter(feed, 3, 0);
  EXPECT_EQ(AskFor(feed, 0, 0).what, Answer::What::kWait);
  EXPECT_EQ(AskFor(feed, 1, 1).rank, 2);
  EXPECT_EQ(AskFor(feed, 1, 1).limit, 15);
}

TEST(OwnPartitions, WindowsThatAreNotFullDoNotBlockAFeed) {
  TestFeed feed(WithBuffer(Split::kEqual, /*shuffle=*/1000), 2, 2, 1);
  feed.Receive(0, 0, {0, 40}, kRoom);
  feed.Receive(1, 0, {40, 50}, 10);
  WaitAfter(feed, 2, 0);
  EXPECT_EQ(AskFor(feed, 0, 0).rank, 1) << "no window of 1000 rows is complete";
}

TEST(OwnPartitions, SplitAllHasOneReader) {
  TestFeed feed(WithBuffer(Split::kAll), 2, 2, 2);
  EXPECT_EQ(AskFor(feed, 1, 0).rank, 0);
  feed.Receive(0, 0, {0, 40}, kRoom);
  EXPECT_EQ(AskFor(feed, 0, 0).what, Answer::What::kWait);
}

TEST(OwnPartitions, SourceThatFailsEndsTheFeedWithItsMessage) {
  for (const bool changed : {false, true}) {
    TestFeed feed(WithBuffer(Split::kEqual), 1, 2, 2);
    feed.Step(SourceFailed{"reading a.parquet: it is damaged", changed});
    feed.Step(SourceFailed{"reading b.parquet: it is damaged", changed});
    const auto failed = feed.Take<FailFeed>();
    ASSERT_EQ(failed.size(), 1u);
    EXPECT_EQ(failed[0].message, "reading a.parquet: it is damaged");
    EXPECT_EQ(failed[0].why, changed ? FailFeed::Why::kChanged : FailFeed::Why::kFailed);
    EXPECT_EQ(AskFor(feed, 0, 0).what, Answer::What::kOver);
  }
}

}  // namespace
}  // namespace howdah::feed
