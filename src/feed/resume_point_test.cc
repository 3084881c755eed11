#include "resume_point.h"

#include <gmock/gmock.h>

#include "test_feed.h"

namespace howdah::feed {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestFeed;

// Restores the point in a feed of another job.
TestFeed Resumed(const std::string& point, int ranks, int64_t partitions = 2, const Options& options = {.passes = 2}) {
  TestFeed feed(options, ranks, 2, partitions);
  feed.Take<OpenPass>();
  feed.Step(PointFound{feed.generation(), 7, point});
  return feed;
}

// Two ranks have read 4 rows each of the partitions 0 and 1, and reported step 7 after 2 rows each.
TestFeed InTheMiddle(const Options& options = {.passes = 2}) {
  TestFeed feed(options, 2, 2, 2);
  feed.Receive(0, 0, {0, 6});
  feed.Receive(1, 1, {0, 5});
  feed.End(0, 6);
  feed.HandOut(0, 2);
  feed.Step(StepReported{feed.Id(0), 0, 2, 7});
  feed.HandOut(0, 4);
  return feed;
}

TEST(ResumePoint, AnotherJobContinuesAfterTheRowsOfTheCheckpoint) {
  TestFeed resumed = Resumed(InTheMiddle().ledger().PointAt(7), 3);
  EXPECT_EQ(resumed.Take<OpenPass>().size(), 3u);
  resumed.Open(0);
  EXPECT_EQ(resumed.ledger().Ask(0, 0).missing, (std::vector<Rows>{{2, 6}})) << "the end is known";
  // The report of rank 1 that it has handed out 2 rows has not arrived, but rank 0 could not have read its rows
  // otherwise.
  EXPECT_EQ(resumed.ledger().Ask(0, 1).missing, (std::vector<Rows>{{2, kMostRows}}));
}

TEST(ResumePoint, LaterMarksAreNotInThePoint) {
  TestFeed feed = InTheMiddle();
  feed.Step(StepReported{feed.Id(0), 0, 4, 8});
  TestFeed resumed = Resumed(feed.ledger().PointAt(7), 1);
  resumed.Open(0);
  EXPECT_EQ(resumed.ledger().Ask(0, 0).missing.front().from, 2);
  TestFeed later = Resumed(feed.ledger().PointAt(9), 1);
  later.Open(0);
  EXPECT_EQ(later.ledger().Ask(0, 0).missing.front().from, 4);
}

TEST(ResumePoint, PointAtTheEndOfAPassBeginsTheNextPass) {
  TestFeed feed({.passes = 2}, 1, 2, 1);
  feed.Receive(0, 0, {0, 4});
  feed.End(0, 4);
  feed.HandOut(0, 4);
  feed.Step(StepReported{feed.Id(0), 0, 4, 7});
  TestFeed resumed = Resumed(feed.ledger().PointAt(7), 2, 1);
  EXPECT_EQ(resumed.pass(), 1);
  resumed.Open(1);
  EXPECT_EQ(resumed.ledger().Ask(1, 0).missing, (std::vector<Rows>{{0, 4}}));
}

TEST(ResumePoint, PointAfterAllPassesEndsTheFeed) {
  TestFeed feed({.passes = 1}, 1, 2, 1);
  feed.Receive(0, 0, {0, 4});
  feed.End(0, 4);
  feed.HandOut(0, 4);
  feed.Step(StepReported{feed.Id(0), 0, 4, 7});
  TestFeed resumed = Resumed(feed.ledger().PointAt(7), 1, 1, {.passes = 1});
  EXPECT_EQ(resumed.Take<EndFeed>().size(), 1u);
  TestFeed longer = Resumed(feed.ledger().PointAt(7), 1, 1, {.passes = 3});
  EXPECT_EQ(longer.pass(), 1) << "the new job has more passes";
}

TEST(ResumePoint, CommittedRowsAreInThePointWithoutAMark) {
  TestFeed feed = InTheMiddle();
  feed.HandOut(1, 2);
  feed.Step(CheckpointReported{feed.Id(0), 7});
  TestFeed resumed = Resumed(feed.ledger().PointAt(1), 1);
  resumed.Open(0);
  EXPECT_EQ(resumed.ledger().Ask(0, 0).missing.front().from, 2);
}

TEST(ResumePoint, EachReaderOfADynamicFeedHasItsOwnMark) {
  const Options options{.split = Split::kDynamic, .passes = 2};
  TestFeed feed = InTheMiddle(options);
  TestFeed one = Resumed(feed.ledger().PointAt(7), 1, 2, options);
  one.Open(0);
  EXPECT_EQ(one.ledger().Ask(0, 0).missing.front().from, 2);
  EXPECT_EQ(one.ledger().Ask(0, 1).missing.front().from, 0);
  feed.HandOut(1, 4);
  feed.Step(StepReported{feed.Id(1), 0, 4, 7});
  TestFeed both = Resumed(feed.ledger().PointAt(7), 1, 2, options);
  both.Open(0);
  EXPECT_EQ(both.ledger().Ask(0, 1).missing.front().from, 4);
}

TEST(ResumePoint, ShuffledWindowsAreContinued) {
  TestFeed feed({.passes = 2, .shuffle = 6, .seed = 3}, 1, 2, 1);
  feed.Receive(0, 0, {0, 6});
  feed.HandOut(0, 4);
  feed.Step(StepReported{feed.Id(0), 0, 4, 7});
  TestFeed resumed = Resumed(feed.ledger().PointAt(7), 1, 1);
  resumed.Open(0);
  int64_t missing = 0;
  for (const Rows& rows : resumed.ledger().Ask(0, 0).missing) missing += std::min<int64_t>(rows.to, 6) - rows.from;
  EXPECT_EQ(missing, 2);
}

TEST(ResumePoint, AllRanksRestoreThePointAndTheFirstOneCounts) {
  TestFeed resumed = Resumed(InTheMiddle().ledger().PointAt(7), 2);
  const int64_t incarnation = resumed.ledger().incarnation(0);
  resumed.Step(PointFound{resumed.generation(), 7, InTheMiddle().ledger().PointAt(7)});
  EXPECT_FALSE(resumed.changed());
  EXPECT_EQ(resumed.ledger().incarnation(0), incarnation);
}

TEST(ResumePoint, RanksThatRestartContinueAtThePoint) {
  TestFeed resumed = Resumed(InTheMiddle().ledger().PointAt(7), 2);
  resumed.Generation(2);
  resumed.Step(PointFound{resumed.generation(), 7, InTheMiddle().ledger().PointAt(7)});
  EXPECT_FALSE(resumed.changed());
  EXPECT_EQ(resumed.ledger().Ask(0, 0).missing.front().from, 2);
}

// The next generation, after the checkpoint of step 8 was committed.
TestFeed AfterStep8() {
  TestFeed feed = InTheMiddle();
  feed.Step(StepReported{feed.Id(0), 0, 4, 8});
  feed.HandOut(1, 4);
  feed.Step(CheckpointReported{feed.Id(0), 8});
  feed.Generation(1);
  return feed;
}

TEST(ResumePoint, TheLedgerOfTheSameJobKnowsBetter) {
  TestFeed feed = AfterStep8();
  feed.Step(PointFound{feed.generation(), 8, InTheMiddle().ledger().PointAt(7)});
  feed.Open(0);
  EXPECT_EQ(feed.ledger().Ask(0, 0).missing.front().from, 4);
}

TEST(ResumePoint, StepOfThePreviousGenerationIsCommitted) {
  TestFeed feed = InTheMiddle();
  const std::string point = feed.ledger().PointAt(7);
  feed.Generation(1);
  feed.Step(PointFound{feed.generation(), 7, point});
  feed.Open(0);
  EXPECT_EQ(feed.ledger().Ask(0, 0).missing.front().from, 2);
}

// The point of a later step than those that the log of the feed has.
std::string LaterPoint() {
  TestFeed feed = InTheMiddle();
  feed.Step(StepReported{feed.Id(0), 0, 4, 8});
  return feed.ledger().PointAt(8);
}

TEST(ResumePoint, CheckpointWhoseMarkIsNotInTheLogIsContinuedAtItsPoint) {
  for (const bool committed : {false, true}) {
    TestFeed feed = InTheMiddle();
    if (committed) {
      feed.HandOut(1, 2);
      feed.Step(CheckpointReported{feed.Id(0), 7});
    }
    feed.Generation(2);
    feed.Step(PointFound{feed.generation(), 8, LaterPoint()});
    EXPECT_TRUE(feed.changed());
    feed.Step(PointFound{feed.generation(), 8, LaterPoint()});
    EXPECT_FALSE(feed.changed()) << "of the other rank";
    feed.Open(0);
    EXPECT_EQ(feed.ledger().Ask(0, 0).missing.front().from, 4) << committed;
    EXPECT_EQ(feed.ledger().Ask(0, 1).missing.front().from, 4) << committed;
  }
}

TEST(ResumePoint, PointOfAnEarlierStepThanTheNewestCheckpointHasNoEffect) {
  TestFeed feed = AfterStep8();
  feed.Step(PointFound{feed.generation(), 7, InTheMiddle().ledger().PointAt(7)});
  EXPECT_FALSE(feed.changed());
}

TEST(ResumePoint, PointAfterTheFirstRowOfAGenerationHasNoEffect) {
  TestFeed feed = InTheMiddle();
  feed.HandOut(1, 2);
  feed.Step(CheckpointReported{feed.Id(0), 7});
  feed.Generation(1);
  feed.Open(0);
  feed.Receive(0, 0, {2, 6});
  feed.HandOut(0, 2);
  feed.Step(PointFound{feed.generation(), 8, LaterPoint()});
  EXPECT_FALSE(feed.changed());
}

TEST(ResumePoint, CheckpointOfAFeedThatHasFailedIsFoundByOtherRanks) {
  TestFeed feed = InTheMiddle();
  const std::string point = feed.ledger().PointAt(7);
  feed.Step(SourceFailed{"damaged"});
  feed.Generation(3);
  feed.Take<FailFeed>();
  feed.Step(PointFound{feed.generation(), 7, point});
  feed.ledger().CheckInvariants();
  EXPECT_EQ(feed.Take<FailFeed>().size(), 1u) << "the ranks learn it";
}

TEST(ResumePoint, StaleGenerationHasNoEffect) {
  TestFeed feed({}, 1, 2, 2);
  feed.Step(PointFound{feed.generation() - 1, 7, InTheMiddle().ledger().PointAt(7)});
  EXPECT_FALSE(feed.changed());
}

TEST(ResumePoint, RowsThatWereReadBeforeAreAMistake) {
  const Options options{.split = Split::kDynamic, .passes = 2};
  TestFeed feed(options, 2, 2, 2);
  feed.Receive(0, 0, {0, 6});
  feed.HandOut(0, 2);
  feed.Step(PointFound{feed.generation(), 7, InTheMiddle(options).ledger().PointAt(7)});
  const auto failed = feed.Take<FailFeed>();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].why, FailFeed::Why::kMisuse);
  EXPECT_THAT(failed[0].message, HasSubstr("before they read a row"));
}

// Two ranks that restart alone. Rank 0 has read 4 rows, and its program has saved the position of step 7 itself, which
// the job does not know. It dies and restarts.
struct OwnCheckpoint {
  OwnCheckpoint() : feed({.split = Split::kDynamic, .passes = 2, .ranks_restart_alone = true}, 2, 2, 2) {
    feed.Receive(0, 0, {0, 6});
    feed.End(0, 6);
    feed.HandOut(0, 4);
    feed.Step(StepReported{feed.Id(0), 0, 4, 7});
    point = feed.ledger().PointAt(7);
  }
  void Restart() {
    feed.Step(RankLost{feed.Id(0)});
    feed.Step(RankStarted{0});
    feed.Step(PointFound{feed.generation(), 7, point});
  }
  TestFeed feed;
  std::string point;
};

TEST(ResumePoint, RankThatRestartsAloneContinuesAtItsPoint) {
  OwnCheckpoint own;
  own.feed.Step(RankLost{own.feed.Id(1), /*returns=*/false});
  own.Restart();
  EXPECT_TRUE(own.feed.changed());
  EXPECT_THAT(own.feed.Take<FailFeed>(), IsEmpty());
  EXPECT_LT(own.feed.ledger().incarnation(1), 0) << "no process of it runs";
  own.feed.Step(KeptRowsOffered{own.feed.Id(0), 0});
  EXPECT_EQ(own.feed.Take<RequestRows>().size(), 1u) << "rank 1 is not awaited";
  EXPECT_EQ(own.feed.ledger().Ask(0, 0).missing, (std::vector<Rows>{{4, 6}}));
}

TEST(ResumePoint, PointOfARankThatRestartsAloneHasNoEffectOnceOthersHaveReadRows) {
  for (const bool committed : {false, true}) {
    OwnCheckpoint own;
    own.feed.Receive(1, 1, {0, 4});
    own.feed.HandOut(1, 2);
    if (committed) own.feed.Step(CommitCalled{own.feed.Id(1), 0, 2, 1});
    own.Restart();
    EXPECT_FALSE(own.feed.changed()) << committed;
    EXPECT_THAT(own.feed.Take<FailFeed>(), IsEmpty()) << committed;
    own.feed.Step(KeptRowsOffered{own.feed.Id(0), 0});
    EXPECT_EQ(own.feed.ledger().Ask(0, 0).missing, (std::vector<Rows>{{0, 6}})) << committed;
  }
}

TEST(ResumePoint, AnotherNumberOfPartitionsIsAChange) {
  TestFeed feed = Resumed(InTheMiddle().ledger().PointAt(7), 1, 3);
  const auto failed = feed.Take<FailFeed>();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].why, FailFeed::Why::kChanged);
}

TEST(ResumePoint, AnotherNumberOfRowsIsAChange) {
  TestFeed feed = Resumed(InTheMiddle().ledger().PointAt(7), 1);
  feed.Open(0);
  feed.End(0, 8);
  const auto failed = feed.Take<FailFeed>();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].why, FailFeed::Why::kChanged);
}

TEST(ResumePoint, DamagedPointFailsTheFeed) {
  const std::string point = InTheMiddle().ledger().PointAt(7);
  for (size_t size = 0; size < point.size(); ++size) {
    TestFeed feed = Resumed(point.substr(0, size), 1);
    EXPECT_EQ(feed.Take<FailFeed>().size(), 1u) << size;
  }
  for (size_t at = 0; at < point.size(); ++at) {
    for (const int bit : {1, 4, 0x80}) {
      std::string damaged = point;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      TestFeed feed = Resumed(damaged, 1);  // must not break an invariant
      feed.Open(0);
      feed.Receive(0, 0, {0, 2});
    }
  }
}

TEST(ResumePoint, RecordsGiveTheSameState) {
  TestFeed feed = Resumed(InTheMiddle().ledger().PointAt(7), 2);
  Ledger replica({.passes = 2});
  for (const std::string& record : feed.records()) ASSERT_TRUE(replica.Restore(record).ok());
  EXPECT_EQ(replica.Snapshot(), feed.ledger().Snapshot());
  Ledger other({.passes = 2});
  ASSERT_TRUE(other.Restore(feed.ledger().Snapshot()).ok());
  EXPECT_EQ(other.Snapshot(), feed.ledger().Snapshot());
}

}  // namespace
}  // namespace howdah::feed
