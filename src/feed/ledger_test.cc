// Stories of one feed.
#include "howdah/feed/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "howdah/feed/receiver.h"
#include "test_feed.h"

namespace howdah::feed {
namespace {

using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestFeed;

int64_t SealOf(const std::vector<Seal>& seals, int rank) {
  int64_t rows = 0;
  for (const Seal& seal : seals) {
    if (seal.reader.rank == rank) rows = seal.rows;
  }
  return rows;
}

TEST(Ledger, ReaderMayReadOnlyWhatEveryReaderHas) {
  TestFeed feed({}, 2, 4, 10);
  feed.Receive(0, 0, {0, 8});
  EXPECT_THAT(feed.Take<Seal>(), IsEmpty());
  feed.Receive(1, 1, {0, 5});
  const std::vector<Seal> seals = feed.Take<Seal>();
  EXPECT_EQ(SealOf(seals, 0), 5);
  EXPECT_EQ(SealOf(seals, 1), 5);
}

TEST(Ledger, RowsAreAcceptedOnce) {
  TestFeed feed({}, 2, 4, 10);
  feed.Receive(0, 0, {0, 8});
  feed.Take<AcceptRows>();
  feed.Receive(1, 0, {6, 12});
  const std::vector<AcceptRows> answers = feed.Take<AcceptRows>();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].placed, (std::vector<AcceptRows::Placed>{{0, {8, 12}}}));
}

TEST(Ledger, RepeatedOfferGetsTheSamePositions) {
  TestFeed feed({}, 1, 4, 10);
  feed.Receive(0, 3, {0, 8});
  const auto first = feed.Take<AcceptRows>();
  feed.Receive(0, 3, {0, 8});
  const auto second = feed.Take<AcceptRows>();
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(first[0].placed, second[0].placed);
  EXPECT_EQ(feed.ledger().progress().accepted, 8);
}

TEST(Ledger, RowsOfAnOlderIncarnationAreIgnored) {
  TestFeed feed({}, 1, 4, 10);
  const ReaderId old = feed.Id(0);
  feed.Generation(1);
  feed.Take<AcceptRows>();
  feed.Step(RowsReceived{old, 0, 0, {0, 4}});
  EXPECT_FALSE(feed.changed());
  EXPECT_THAT(feed.Take<AcceptRows>(), IsEmpty());
}

// All rows arrive at rank 0. At the end of the pass rank 1 gets its share.
TEST(Ledger, RestOfAPassIsShared) {
  struct Row {
    Remainder remainder;
    int64_t total, rows, left_out, repeated;
  };
  const Row rows[] = {
      {Remainder::kDrop, 21, 8, 5, 0},    {Remainder::kDrop, 7, 0, 7, 0},   {Remainder::kDrop, 16, 8, 0, 0},
      {Remainder::kShort, 21, 10, 1, 0},  {Remainder::kShort, 1, 0, 1, 0},  {Remainder::kShort, 4, 2, 0, 0},
      {Remainder::kRepeat, 21, 12, 0, 3}, {Remainder::kRepeat, 1, 4, 0, 7}, {Remainder::kRepeat, 0, 0, 0, 0},
  };
  for (const Row& row : rows) {
    TestFeed feed({.remainder = row.remainder}, 2, 4, 1);
    if (row.total > 0) feed.Receive(0, 0, {0, row.total});
    feed.End(0, row.total);
    std::vector<ClosePass> closed;
    std::vector<Reassign> moves;
    for (const Action& action : feed.Actions()) {
      if (const auto* close = std::get_if<ClosePass>(&action)) closed.push_back(*close);
      if (const auto* move = std::get_if<Reassign>(&action)) moves.push_back(*move);
    }
    ASSERT_EQ(closed.size(), 2u) << row.total;
    for (const ClosePass& close : closed) {
      EXPECT_EQ(close.rows, row.rows) << row.total;
      EXPECT_EQ(close.left_out, row.left_out) << row.total;
      EXPECT_EQ(close.repeated, row.repeated) << row.total;
      EXPECT_EQ(close.empty, row.rows == 0) << row.total;
    }
    for (const Reassign& move : moves) feed.Step(RowsMoved{move.reader, 0, move.at});
    feed.HandOut(0, row.rows);
    feed.HandOut(1, row.rows);
    EXPECT_EQ(feed.ledger().progress().handed_out, 2 * row.rows) << row.total;
    EXPECT_TRUE(feed.ledger().progress().over) << row.total;
  }
}

// Executors keep no more than the first batch for this purpose.
TEST(Ledger, OnlyTheFirstBatchIsRepeated) {
  TestFeed feed({.remainder = Remainder::kRepeat}, 2, 3, 1);
  feed.Receive(0, 0, {0, 13});
  feed.Receive(1, 0, {13, 19});
  feed.HandOut(0, 6);
  feed.HandOut(1, 6);
  feed.Take<Seal>();
  feed.End(0, 19);
  std::vector<Rows> repeated;
  for (const Reassign& move : feed.Take<Reassign>()) {
    if (move.repeat) repeated.push_back(move.rows);
  }
  EXPECT_EQ(repeated, (std::vector<Rows>{{13, 16}, {13, 15}}));
}

TEST(Ledger, CheckpointCommitsTheRowsOfItsStep) {
  TestFeed feed({}, 2, 2, 2);
  feed.Receive(0, 0, {0, 6});
  feed.Receive(1, 1, {0, 6});
  feed.HandOut(0, 2);
  feed.Step(StepReported{feed.Id(0), 0, 2, 1});
  feed.HandOut(0, 4);
  feed.Take<Committed>();
  feed.Step(CheckpointReported{feed.Id(0), 1});
  EXPECT_THAT(feed.Take<Committed>(), IsEmpty()) << "rank 1 has not returned the rows yet";
  feed.HandOut(1, 4);
  const auto committed = feed.Take<Committed>();
  ASSERT_EQ(committed.size(), 2u);
  EXPECT_EQ(committed[1].rows, 2);
  // After a restart only the other rows are missing.
  feed.Generation(1);
  EXPECT_EQ(feed.ledger().Ask(0, 0).missing, (std::vector<Rows>{{2, kMostRows}}));
  EXPECT_EQ(feed.ledger().Ask(0, 1).missing, (std::vector<Rows>{{2, kMostRows}}));
}

TEST(Ledger, CommitCountsWhenEveryRankHasCalledIt) {
  TestFeed feed({}, 2, 2, 2);
  feed.Receive(0, 0, {0, 6});
  feed.Receive(1, 1, {0, 6});
  feed.HandOut(0, 4);
  feed.HandOut(1, 2);
  feed.Step(CommitCalled{feed.Id(0), 0, 4, 1});
  EXPECT_THAT(feed.Take<Committed>(), IsEmpty());
  feed.Step(CommitCalled{feed.Id(1), 0, 2, 1});
  const auto committed = feed.Take<Committed>();
  ASSERT_EQ(committed.size(), 2u);
  EXPECT_EQ(committed[0].rows, 2) << "the lower number counts";
}

TEST(Ledger, RestartWithoutACommitReturnsToTheStartOfTheFeed) {
  TestFeed feed({.passes = 3}, 1, 2, 1);
  feed.Receive(0, 0, {0, 4});
  feed.End(0, 4);
  feed.Step(RowsHandedOut{feed.Id(0), 0, 4});
  EXPECT_EQ(feed.pass(), 1);
  feed.Generation(1);
  EXPECT_EQ(feed.pass(), 0);
  EXPECT_EQ(feed.ledger().Ask(0, 0).what, Answer::What::kSend);
}

// A source that waits to supply the later pass would not supply the earlier one.
TEST(Ledger, SourcesLeaveAPassFromWhichTheRanksHaveReturned) {
  TestFeed feed({.passes = 3}, 1, 2, 1);
  feed.Receive(0, 0, {0, 4});
  feed.End(0, 4);
  feed.HandOut(0, 4);
  feed.Open(1);
  EXPECT_EQ(feed.ledger().Ask(1, 0).what, Answer::What::kSend);
  feed.Generation(1);
  EXPECT_EQ(feed.ledger().Ask(0, 0).what, Answer::What::kSend);
  EXPECT_EQ(feed.ledger().Ask(1, 0).what, Answer::What::kDone);
}

TEST(Ledger, SourcesWaitForTheFirstPass) {
  Ledger ledger({});
  EXPECT_EQ(ledger.Ask(0, 0).what, Answer::What::kWait);
}

TEST(Ledger, CommitOfALaterPassEndsEarlierOnes) {
  TestFeed feed({.passes = 3}, 1, 2, 1);
  feed.Receive(0, 0, {0, 4});
  feed.End(0, 4);
  feed.Step(RowsHandedOut{feed.Id(0), 0, 4});
  feed.Open(1);
  feed.Receive(0, 0, {0, 4});
  feed.Step(RowsHandedOut{feed.Id(0), 1, 2});
  feed.Step(StepReported{feed.Id(0), 1, 2, 3});
  feed.Step(CheckpointReported{feed.Id(0), 3});
  EXPECT_EQ(feed.ledger().progress().committed_pass, 1);
  feed.Generation(1);
  EXPECT_EQ(feed.pass(), 1);
  EXPECT_EQ(feed.ledger().Ask(1, 0).missing, (std::vector<Rows>{{2, 4}})) << "the end is known from the first pass";
}

// The program has died between the end of its checkpoint and the report.
TEST(Ledger, CheckpointThatTheProgramFoundIsCommitted) {
  TestFeed feed({}, 1, 2, 1);
  feed.Receive(0, 0, {0, 6});
  feed.HandOut(0, 4);
  feed.Step(StepReported{feed.Id(0), 0, 4, 2});
  feed.Generation(1);
  EXPECT_EQ(feed.ledger().Ask(0, 0).missing.front().from, 0);
  feed.Step(CheckpointFound{feed.generation(), 2});
  feed.Open(0);
  EXPECT_EQ(feed.ledger().Ask(0, 0).missing.front().from, 4);
}

TEST(Ledger, DifferentBatchSizesAreReportedWithBothRanks) {
  TestFeed feed({}, 2, 4, 1);
  feed.Generation(2);
  feed.Step(ReaderOpened{feed.Id(1), 0, 5});
  const auto failed = feed.Take<FailFeed>();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].why, FailFeed::Why::kMisuse);
  EXPECT_THAT(failed[0].message, HasSubstr("rank 0 reads batches of 4 rows, and rank 1 batches of 5"));
}

TEST(Ledger, ChangedPartitionsAreFound) {
  struct Row {
    const char* what;
    std::vector<Event> events;
    const char* message;  // a part of it; empty if the feed does not fail
  };
  const ReaderId reader{0, 0};
  const Row rows[] = {
      {"equal attempts",
       {RowsReceived{reader, 0, 0, {0, 4}, 0, 7}, PartitionEnded{0, 0, 4, 7}, PartitionEnded{0, 0, 4, 7}},
       ""},
      {"fewer rows",
       {RowsReceived{reader, 0, 0, {0, 4}}, PartitionEnded{0, 0, 3}},
       "it had at least 4 rows, and now has 3"},
      {"another number", {PartitionEnded{0, 0, 3}, PartitionEnded{0, 0, 1}}, "it had 3 rows, and now has 1 row"},
      {"more rows",
       {PartitionEnded{0, 0, 3}, RowsReceived{reader, 0, 0, {2, 5}}},
       "it had 3 rows, and now has at least 5"},
      {"other content", {RowsReceived{reader, 0, 0, {0, 4}, 0, 7}, PartitionEnded{0, 0, 4, 8}}, "has read other rows"},
      {"other content of rows that are committed before their partition ends",
       {RowsReceived{reader, 0, 0, {0, 4}, 0, 7}, RowsHandedOut{reader, 0, 4}, CommitCalled{reader, 0, 4, 1},
        PartitionEnded{0, 0, 4, 8}},
       "has read other rows"},
      {"two attempts",
       {PartitionEnded{0, 0, 4, 7}, PartitionEnded{0, 0, 4, 8}},
       "two attempts have read different rows"},
      {"unknown digest", {RowsReceived{reader, 0, 0, {0, 4}}, PartitionEnded{0, 0, 4, 8}}, ""},
  };
  for (const Row& row : rows) {
    for (const bool accepts : {false, true}) {
      TestFeed feed({.accept_changes = accepts}, 1, 2, 2);
      for (const Event& event : row.events) feed.Step(event);
      const auto failed = feed.Take<FailFeed>();
      if (accepts || *row.message == '\0') {
        EXPECT_THAT(failed, IsEmpty()) << row.what;
      } else {
        ASSERT_EQ(failed.size(), 1u) << row.what;
        EXPECT_THAT(failed[0].message, HasSubstr(row.message));
        EXPECT_THAT(failed[0].message, HasSubstr("partition 0"));
      }
    }
  }
}

TEST(Ledger, SourceThatReturnsIsAskedForTheMissingRows) {
  TestFeed feed({}, 1, 2, 3);
  feed.Receive(0, 1, {0, 2});
  feed.End(1, 2);
  feed.Step(SourceLost{"the driver"});
  feed.Take<RequestRows>();
  feed.Step(SourceConnected{"the driver"});
  const auto requests = feed.Take<RequestRows>();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].partitions, (std::vector<Rows>{{0, 1}, {2, 3}}));
  EXPECT_EQ(feed.ledger().NextDeadline(), std::nullopt);
}

TEST(Ledger, RowsOfALostRankAreRequestedAgain) {
  TestFeed feed({.split = Split::kDynamic, .ranks_restart_alone = true}, 2, 2, 2);
  feed.Receive(0, 0, {0, 6});
  feed.Receive(1, 1, {0, 6});
  feed.End(0, 6);
  feed.End(1, 6);
  feed.HandOut(1, 2);
  feed.Step(CommitCalled{feed.Id(1), 0, 2, 1});
  feed.HandOut(1, 4);
  feed.Take<RequestRows>();
  feed.Step(RankLost{feed.Id(1), /*returns=*/false});
  const auto requests = feed.Take<RequestRows>();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].partitions, (std::vector<Rows>{{1, 2}}));
  const Answer answer = feed.ledger().Ask(0, 1);
  EXPECT_EQ(answer.missing, (std::vector<Rows>{{2, 6}}));
  EXPECT_EQ(answer.rank, 0);
}

TEST(Ledger, CreditFollowsTheReader) {
  TestFeed feed({.buffer = 100}, 1, 2, 1);
  EXPECT_EQ(feed.Take<GrantCredit>().back().bytes, 100);
  feed.Receive(0, 0, {0, 10}, 100);
  EXPECT_THAT(feed.Take<GrantCredit>(), IsEmpty());
  EXPECT_EQ(feed.ledger().Ask(0, 0).what, Answer::What::kWait);
  feed.HandOut(0, 4);
  EXPECT_EQ(feed.Take<GrantCredit>().back().bytes, 140);
  EXPECT_EQ(feed.ledger().Ask(0, 0).what, Answer::What::kSend);
}

TEST(Ledger, LargeRowsCannotBlockAFeed) {
  TestFeed feed({.buffer = 100}, 1, 3, 1);
  for (int64_t row = 0; row < 3; ++row) {
    EXPECT_EQ(feed.ledger().Ask(0, 0).what, Answer::What::kSend) << row;
    feed.Receive(0, 0, {row, row + 1}, 1000);
  }
  EXPECT_EQ(feed.ledger().Ask(0, 0).what, Answer::What::kWait);
}

TEST(Ledger, SourceSendsToTheReaderWithTheFewestRows) {
  TestFeed feed({}, 3, 2, 4);
  feed.Receive(0, 0, {0, 8});
  feed.Receive(1, 1, {0, 2});
  feed.Receive(2, 2, {0, 4});
  EXPECT_EQ(feed.ledger().Ask(0, 3).rank, 1);
  EXPECT_EQ(feed.ledger().Ask(0, 3, /*near=*/2).rank, 2);
}

TEST(Ledger, EveryExecutorGetsACopyWithSplitAll) {
  TestFeed feed({.split = Split::kAll}, 3, 2, 1);
  feed.Receive(1, 0, {0, 4});
  const auto moves = feed.Take<Reassign>();
  ASSERT_EQ(moves.size(), 2u);
  feed.Step(RowsMoved{feed.Id(0), 0, 0});
  EXPECT_THAT(feed.Take<Seal>(), IsEmpty());
  feed.Step(RowsMoved{feed.Id(2), 0, 0});
  EXPECT_EQ(feed.Take<Seal>().size(), 3u);
}

// The reports of rank 0 arrive last, so its rows still lie ahead of it.
TEST(Ledger, SlowestReaderDecidesTheCreditOfSplitAll) {
  TestFeed feed({.split = Split::kAll, .buffer = 10}, 2, 2, 1);
  feed.Receive(0, 0, {0, 4}, 20);
  feed.Step(RowsMoved{feed.Id(1), 0, 0});
  feed.HandOut(1, 4);
  feed.Take<GrantCredit>();
  feed.HandOut(1, 4, /*waiting=*/true);
  EXPECT_THAT(feed.Take<GrantCredit>(), IsEmpty());
  feed.HandOut(0, 4);
  EXPECT_EQ(feed.Take<GrantCredit>().back().bytes, 30);
}

// The answer to rank 0 was lost before the end of the pass gave half of its rows to rank 1.
TEST(Ledger, RowsThatMoveAreKeptUntilTheyAreFetched) {
  TestFeed feed({}, 2, 2, 1);
  feed.Receive(0, 0, {0, 4}, 40);
  feed.End(0, 4);
  const auto moves = feed.Take<Reassign>();
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].received, 20);
  feed.Receive(0, 0, {0, 4}, 40);
  auto answers = feed.Take<AcceptRows>();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].placed, (std::vector<AcceptRows::Placed>{{0, {0, 2}}}));
  EXPECT_EQ(answers[0].kept, (std::vector<Rows>{{2, 4}}));
  EXPECT_EQ(answers[0].received, 40);
  // Rank 1 offered these rows itself, and may have dropped them since: it has to fetch them.
  feed.Receive(1, 0, {2, 4});
  EXPECT_THAT(feed.Take<Seal>(), IsEmpty());
  feed.Step(RowsMoved{feed.Id(1), 0, 0});
  EXPECT_EQ(feed.Take<Seal>().size(), 2u);
  feed.Receive(0, 0, {0, 4}, 40);
  answers = feed.Take<AcceptRows>();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_THAT(answers[0].kept, IsEmpty());
}

TEST(Ledger, LateReportOfAStepKeepsEarlierMarks) {
  TestFeed feed({.passes = 2}, 1, 2, 1);
  feed.Receive(0, 0, {0, 4});
  feed.HandOut(0, 2);
  feed.Step(StepReported{feed.Id(0), 0, 2, 1});
  feed.End(0, 4);
  feed.Step(RowsHandedOut{feed.Id(0), 0, 4});
  feed.Open(1);
  feed.Receive(0, 0, {0, 4});
  feed.HandOut(0, 4);
  feed.Step(StepReported{feed.Id(0), 1, 2, 3});
  feed.Take<Committed>();
  feed.Step(CheckpointReported{feed.Id(0), 1});
  const auto committed = feed.Take<Committed>();
  ASSERT_EQ(committed.size(), 1u);
  EXPECT_EQ(committed[0].pass, 0);
  EXPECT_EQ(committed[0].rows, 2);
}

TEST(Ledger, RankThatIsGoneDoesNotHoldUpLaterPasses) {
  TestFeed feed({.split = Split::kDynamic, .passes = 2, .ranks_restart_alone = true}, 2, 2, 1);
  feed.Step(RankLost{feed.Id(1), /*returns=*/false});
  feed.Receive(0, 0, {0, 2});
  feed.End(0, 2);
  feed.HandOut(0, 2, /*waiting=*/true);
  feed.Take<RequestRows>();
  ASSERT_EQ(feed.pass(), 1);
  feed.Step(KeptRowsOffered{feed.Id(0), 1});
  EXPECT_EQ(feed.Take<RequestRows>().size(), 1u);
}

TEST(Ledger, LastWindowsOfDynamicLanesEndOnTheirOwn) {
  TestFeed feed({.split = Split::kDynamic, .remainder = Remainder::kRepeat, .shuffle = 2}, 2, 2, 2);
  feed.Receive(0, 0, {0, 3});
  feed.Receive(1, 1, {0, 1});
  feed.End(0, 3);
  feed.End(1, 1);
  feed.HandOut(0, 2, /*waiting=*/true);
  EXPECT_EQ(feed.Take<Reassign>().size(), 1u);
}

TEST(Ledger, EndOfAChangedPartitionRemains) {
  TestFeed feed({.accept_changes = true}, 1, 2, 2);
  feed.Receive(0, 0, {0, 4});
  feed.End(0, 4);
  feed.End(0, 6);
  EXPECT_EQ(feed.ledger().Ask(0, 0).what, Answer::What::kDone);
  feed.End(0, 3);
  EXPECT_EQ(feed.ledger().Ask(0, 0).what, Answer::What::kDone);
}

// An endless stream with commits needs no more memory than its uncommitted rows.
TEST(Ledger, CommittedPartitionsNeedNoMemory) {
  TestFeed feed({.passes = 1}, 1, 10, kMostPartitions);
  size_t first = 0;
  for (int64_t partition = 0; partition < 2000; ++partition) {
    feed.Receive(0, partition, {0, 10}, 80);
    feed.End(partition, 10);
    feed.HandOut(0, 10 * (partition + 1));
    feed.Step(StepReported{feed.Id(0), 0, 10 * (partition + 1), partition});
    if (partition % 10 == 9) feed.Step(CheckpointReported{feed.Id(0), partition});
    if (partition == 99) first = feed.ledger().Snapshot().size();
  }
  EXPECT_LE(feed.ledger().Snapshot().size(), first + 32);
}

TEST(Ledger, RowsThatWereReadNeedLittleMemoryWithoutCommits) {
  TestFeed feed({}, 2, 1, 1);
  for (int64_t block = 0; block < 2000; ++block) {
    feed.Receive(static_cast<int>(block % 2), 0, {block, block + 1}, 8);
    feed.HandOut(0, block / 2);
    feed.HandOut(1, block / 2);
  }
  EXPECT_LT(feed.ledger().Snapshot().size(), 500u);
}

TEST(Ledger, RankThatRestartsAloneAfterTheEndFindsIt) {
  const Options options{.split = Split::kDynamic, .ranks_restart_alone = true};
  TestFeed feed(options, 2, 2, 0);
  for (const int rank : {0, 1}) feed.HandOut(rank, 0, /*waiting=*/true);
  ASSERT_TRUE(feed.ledger().progress().over);
  feed.Step(RankLost{feed.Id(0), /*returns=*/true});
  Receiver receiver(options, 0);
  for (const Action& action : feed.Actions()) receiver.Do(action);
  receiver.Stop();
  feed.Take<EndFeed>();
  feed.Step(RankStarted{0});
  for (const Action& action : feed.Actions()) receiver.Do(action);
  EXPECT_TRUE(receiver.ended());
}

TEST(Ledger, RankThatRestartsWithoutTheOthersFailsTheFeed) {
  const struct {
    Split split;
    const char* remedy;
  } rows[] = {{Split::kEqual, "set `split: dynamic`"},
              {Split::kAll, "set `split: dynamic`"},
              {Split::kDynamic, "give each role a feed of its own"}};
  for (const auto& row : rows) {
    TestFeed feed({.split = row.split, .name = "train"}, 2, 2, 2);
    feed.Step(RankLost{feed.Id(1)});
    EXPECT_THAT(feed.Take<FailFeed>(), IsEmpty());
    feed.Step(RankStarted{1});
    const auto failed = feed.Take<FailFeed>();
    ASSERT_EQ(failed.size(), 1u);
    EXPECT_EQ(failed[0].why, FailFeed::Why::kMisuse);
    EXPECT_THAT(failed[0].message, HasSubstr("rank 1 of the feed train has restarted alone"));
    EXPECT_THAT(failed[0].message, HasSubstr(row.remedy));
  }
}

TEST(Ledger, ReadingStopsWhenAllReadersHaveLeft) {
  TestFeed feed({}, 2, 2, 2);
  feed.Step(ReaderLeft{feed.Id(0)});
  feed.Step(ReaderLeft{feed.Id(0)});
  EXPECT_FALSE(feed.changed());
  EXPECT_TRUE(feed.Take<EndFeed>().empty());
  EXPECT_EQ(feed.ledger().Ask(0, 0).what, Answer::What::kSend) << "the other reader needs rows";
  feed.Step(ReaderLeft{feed.Id(1)});
  EXPECT_EQ(feed.Take<EndFeed>().size(), 1u);
  EXPECT_EQ(feed.ledger().Ask(0, 0).what, Answer::What::kOver);
}

TEST(Ledger, ReaderThatRestartsHasNotLeft) {
  TestFeed feed({}, 2, 2, 2);
  const ReaderId old = feed.Id(1);
  feed.Step(ReaderLeft{feed.Id(0)});
  feed.Generation(2);
  feed.Step(ReaderLeft{old});
  feed.Step(ReaderLeft{feed.Id(1)});
  EXPECT_TRUE(feed.Take<EndFeed>().empty());
  feed.Step(ReaderLeft{feed.Id(0)});
  EXPECT_EQ(feed.Take<EndFeed>().size(), 1u);
}

TEST(Ledger, ReaderThatIsGoneForGoodNeedsNoRows) {
  TestFeed feed({.split = Split::kDynamic, .ranks_restart_alone = true}, 2, 2, 2);
  feed.Step(RankLost{feed.Id(0), /*returns=*/true});
  feed.Step(ReaderLeft{feed.Id(1)});
  EXPECT_TRUE(feed.Take<EndFeed>().empty()) << "the other reader returns";
  feed.Step(RankLost{{0, -1}, /*returns=*/false});
  EXPECT_EQ(feed.Take<EndFeed>().size(), 1u);
}

TEST(Ledger, FailureIsRepeatedToReadersThatStartLater) {
  TestFeed feed({.split = Split::kDynamic, .ranks_restart_alone = true}, 2, 2, 2);
  feed.Step(SourceFailed{"the file is damaged"});
  EXPECT_EQ(feed.Take<FailFeed>()[0].before, 2);
  feed.Step(RankLost{feed.Id(1), /*returns=*/true});
  feed.Step(RankStarted{1});
  const auto again = feed.Take<FailFeed>();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].message, "the file is damaged");
  EXPECT_EQ(again[0].before, feed.ledger().incarnation(1) + 1);
}

// A source that sends a few rows now and then must not give all of them to the reader beside it.
TEST(Ledger, ReaderWithLessThanABatchComesBeforeANearOne) {
  TestFeed feed({}, 3, 2, 9);
  EXPECT_EQ(feed.ledger().Ask(0, 0, /*near=*/1).rank, 1);
  feed.Receive(1, 0, {0, 2});
  EXPECT_EQ(feed.ledger().Ask(0, 1, /*near=*/1).rank, 0);
  feed.Receive(0, 1, {0, 1});
  EXPECT_EQ(feed.ledger().Ask(0, 2, /*near=*/1).rank, 2);
  feed.Receive(2, 2, {0, 2});
  EXPECT_EQ(feed.ledger().Ask(0, 3, /*near=*/1).rank, 0) << "one row is not a batch";
  feed.Receive(0, 3, {0, 1});
  EXPECT_EQ(feed.ledger().Ask(0, 4, /*near=*/1).rank, 1);
}

}  // namespace
}  // namespace howdah::feed
