// Stories of one reader.
#include "howdah/feed/receiver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "howdah/feed/shuffle.h"
#include "test_receiver.h"

namespace howdah::feed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestReceiver;
using What = Receiver::Next::What;

TEST(Receiver, ReaderGetsWholeBatchesOfSealedRows) {
  TestReceiver reader({});
  reader.Open(0, 5);
  ASSERT_TRUE(reader.Take(1, 7, {0, 6}));
  ASSERT_TRUE(reader.Take(2, 8, {10, 16}));
  reader.Accept(7, {0, 6}, 0);
  reader.Accept(8, {10, 16}, 6);
  EXPECT_THAT(reader.Acknowledged(), ElementsAre(1, 2));
  EXPECT_EQ(reader.Fetch(4).what, What::kWait);
  reader.Seal(0, 9);
  EXPECT_TRUE(reader.wake());
  EXPECT_THAT(reader.Fetch(4).slices, ElementsAre(Slice{1, 0, 4}));
  EXPECT_THAT(reader.Fetch(4).slices, ElementsAre(Slice{1, 4, 2}, Slice{2, 0, 2}));
  EXPECT_EQ(reader.Fetch(4).what, What::kWait);
}

TEST(Receiver, ReaderGetsAllBatchesThatAreThereUpToTheWantedNumber) {
  TestReceiver reader({.remainder = Remainder::kShort});
  reader.Open(0, 5);
  reader.Receive(1, 7, {0, 9}, 0);
  EXPECT_THAT(reader.Fetch(2, false, 3).slices, ElementsAre(Slice{1, 0, 6}));
  EXPECT_THAT(reader.Fetch(2, false, 3).slices, ElementsAre(Slice{1, 6, 2})) << "the next batch is not complete";
  EXPECT_EQ(reader.Fetch(2, false, 3).what, What::kWait);
  reader.Receive(2, 8, {0, 4}, 9);
  reader.Do(ClosePass{reader.id(), 0, 13, 0, 0, false});
  EXPECT_THAT(reader.Fetch(2, false, 9).slices, ElementsAre(Slice{1, 8, 1}, Slice{2, 0, 4})) << "the last one is short";
  EXPECT_EQ(reader.Fetch(2, false, 3).what, What::kEnd);
}

TEST(Receiver, PassEndsWithAShortBatch) {
  TestReceiver reader({.remainder = Remainder::kShort});
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 6}, 0);
  reader.Read(4);
  EXPECT_EQ(reader.Fetch(4).what, What::kWait);
  reader.Do(ClosePass{reader.id(), 0, 6, 1, 0, false});
  EXPECT_THAT(reader.Fetch(4).slices, ElementsAre(Slice{1, 4, 2}));
  const auto next = reader.Fetch(4);
  EXPECT_EQ(next.what, What::kEnd);
  ASSERT_TRUE(next.end);
  EXPECT_EQ(next.end->left_out, 1);
}

TEST(Receiver, SealMayPermitAShortBatch) {
  TestReceiver reader({.split = Split::kDynamic, .remainder = Remainder::kShort});
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 3}, 0);
  EXPECT_EQ(reader.Fetch(4).what, What::kWait);
  reader.Seal(0, 3, /*short_batch=*/true);
  EXPECT_THAT(reader.Fetch(4).slices, ElementsAre(Slice{1, 0, 3}));
}

TEST(Receiver, EventsReportWhatTheProgramHasGot) {
  TestReceiver reader({});
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 8}, 0);
  reader.Fetch(4, /*waiting=*/false);
  reader.Fetch(4, /*waiting=*/false);
  EXPECT_THAT(reader.Events<RowsHandedOut>(), IsEmpty()) << "fetched ahead";
  reader.Fetch(4, /*waiting=*/true);
  EXPECT_THAT(reader.Events<RowsHandedOut>(), IsEmpty()) << "the program has not got all that it fetched";
  reader.Return(8);
  EXPECT_EQ(reader.Events<RowsHandedOut>().back().rows, 8);
  for (const bool first : {true, false}) {
    EXPECT_EQ(reader.Fetch(4).what, What::kWait);
    EXPECT_EQ(reader.Events<RowsHandedOut>().size(), first ? 1u : 0u) << "it waits, and reports that once";
  }
}

TEST(Receiver, BlocksNeedCreditAndAnOpenPass) {
  TestReceiver reader({});
  EXPECT_FALSE(reader.Take(1, 0, {0, 4})) << "no incarnation";
  const ReaderId id{0, 5};
  reader.Do(GrantCredit{id, 150});
  EXPECT_FALSE(reader.Take(1, 0, {0, 4})) << "no pass";
  reader.Do(OpenPass{id, 0});
  EXPECT_TRUE(reader.Take(1, 0, {0, 4}));
  EXPECT_FALSE(reader.Take(2, 0, {0, 4})) << "the same rows have no answer yet";
  EXPECT_TRUE(reader.Take(2, 0, {4, 8}));
  EXPECT_FALSE(reader.Take(3, 0, {8, 12})) << "200 bytes have no answer yet";
  reader.Do(AcceptRows{id, 0, 0, {0, 4}, {}, {}, 100});
  reader.Do(AcceptRows{id, 0, 0, {4, 8}, {}, {}, 100});
  EXPECT_TRUE(reader.receiver().has_credit());
  EXPECT_THAT(reader.Dropped(), ElementsAre(1, 2)) << "refused rows";
  reader.Do(AcceptRows{id, 0, 0, {4, 8}, {}, {}, 150});
  EXPECT_FALSE(reader.receiver().has_credit());
}

TEST(Receiver, PartsOfABlockArePlacedKeptAndRefused) {
  TestReceiver reader({});
  reader.Open(0, 5);
  ASSERT_TRUE(reader.Take(1, 3, {0, 10}));
  reader.Do(AcceptRows{reader.id(), 0, 3, {0, 10}, {{0, {2, 4}}, {2, {8, 9}}}, {{4, 6}}, 0});
  reader.Seal(0, 3);
  EXPECT_THAT(reader.Fetch(3).slices, ElementsAre(Slice{1, 2, 2}, Slice{1, 8, 1}));
  EXPECT_THAT(reader.receiver().Find(0, 3, {0, 10}), ElementsAre(Slice{1, 2, 2}, Slice{1, 4, 2}, Slice{1, 8, 1}));
  EXPECT_THAT(reader.Dropped(), IsEmpty());
}

// After a lost connection, the ledger repeats the positions of adjacent blocks as one order.
TEST(Receiver, RepeatedOrderPlacesTheRowsThatAreHere) {
  TestReceiver reader({});
  reader.Open(0, 5);
  ASSERT_TRUE(reader.Take(1, 0, {0, 4}));
  ASSERT_TRUE(reader.Take(2, 0, {4, 8}));
  reader.Accept(0, {0, 4}, 0);
  reader.Accept(0, {0, 8}, 0);
  reader.Seal(0, 8);
  EXPECT_EQ(reader.Fetch(8).what, What::kWait) << "the second block has no answer yet";
  reader.Accept(0, {4, 8}, 4);
  EXPECT_THAT(reader.Fetch(8).slices, ElementsAre(Slice{1, 0, 4}, Slice{2, 0, 4}));
  EXPECT_THAT(reader.Acknowledged(), ElementsAre(1, 2));
}

TEST(Receiver, OrdersMayArriveInAnyOrder) {
  TestReceiver reader({});
  const ReaderId id{0, 5};
  reader.Do(ClosePass{id, 0, 4, 0, 0, false});
  reader.Do(Seal{id, 0, 0, 4, false});
  reader.Do(GrantCredit{id, 1000});
  reader.Do(GrantCredit{id, 10});
  reader.Do(OpenPass{id, 0});
  ASSERT_TRUE(reader.Take(1, 0, {0, 4}));
  reader.Do(AcceptRows{id, 0, 0, {0, 4}, {{0, {0, 4}}}, {}, 100});
  reader.Do(OpenPass{id, 0});
  EXPECT_EQ(reader.Events<KeptRowsOffered>().size(), 1u);
  EXPECT_EQ(reader.Fetch(4).what, What::kBatch);
  EXPECT_EQ(reader.Fetch(4).what, What::kEnd);
}

TEST(Receiver, NewIncarnationOffersTheRowsThatWereKept) {
  TestReceiver reader({});
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 4}, 0);
  reader.Receive(2, 0, {4, 8}, 4);
  reader.Receive(3, 1, {0, 4}, 8);
  ASSERT_TRUE(reader.Take(4, 1, {4, 8}));
  reader.Read(4);
  reader.receiver().MovedToDisk(3);
  reader.Acknowledged();
  reader.Forget();
  reader.Open(0, 9);
  const auto offers = reader.Events<RowsReceived>();
  ASSERT_EQ(offers.size(), 2u);
  EXPECT_EQ(offers[0].reader, (ReaderId{0, 9}));
  EXPECT_EQ(offers[0].rows, (Rows{0, 8})) << "adjacent blocks";
  EXPECT_EQ(offers[0].bytes, 200);
  EXPECT_EQ(offers[0].digest, 3u);
  EXPECT_EQ(offers[1].bytes, 0) << "on disk";
  EXPECT_THAT(reader.Dropped(), ElementsAre(4)) << "it had no answer, so its source sends it again";
  EXPECT_THAT(reader.Acknowledged(), IsEmpty());
  reader.Accept(0, {0, 8}, 0);
  reader.Seal(0, 8);
  EXPECT_THAT(reader.Fetch(8).slices, ElementsAre(Slice{1, 0, 4}, Slice{2, 0, 4}));
  // Orders of the older incarnation have no effect.
  reader.Do(Seal{{0, 5}, 0, 0, 100, false});
  EXPECT_EQ(reader.Fetch(1).what, What::kWait);
}

TEST(Receiver, StoppedReaderWaitsForANewIncarnation) {
  TestReceiver reader({});
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 4}, 0);
  reader.Note(reader.receiver().Stop());
  EXPECT_EQ(reader.receiver().incarnation(), -1);
  reader.Do(OpenPass{{0, 5}, 0});
  EXPECT_EQ(reader.receiver().first_pass(), std::nullopt);
  EXPECT_FALSE(reader.Take(2, 0, {4, 8}));
  EXPECT_EQ(reader.receiver().kept().size(), 1u);
  reader.Open(0, 6);
  EXPECT_EQ(reader.receiver().incarnation(), 6);
  EXPECT_EQ(reader.receiver().first_pass(), 0);
}

TEST(Receiver, OrdersOfAnEarlierExecutorHaveNoEffect) {
  Receiver receiver({}, 0, 5);
  receiver.Do(OpenPass{{0, 5}, 0});
  EXPECT_EQ(receiver.incarnation(), -1);
  receiver.Do(OpenPass{{1, 6}, 0});
  EXPECT_EQ(receiver.incarnation(), -1) << "another rank";
  receiver.Do(OpenPass{{0, 6}, 0});
  EXPECT_EQ(receiver.incarnation(), 6);
}

TEST(Receiver, CommitDropsBlocksThatNoLaterPassReads) {
  struct Row {
    const char* what;
    Options options;
    int64_t pass;
    std::vector<BlockId> dropped;
  };
  const Row rows[] = {{"one pass", {}, 0, {1, 2}},
                      {"an earlier pass", {.passes = 2}, 0, {}},
                      {"the last pass", {.passes = 2}, 1, {1, 2}},
                      {"each pass is computed", {.passes = 2, .recompute = true}, 0, {1, 2}},
                      {"the first batch may be repeated", {.remainder = Remainder::kRepeat}, 0, {2}}};
  for (const Row& row : rows) {
    TestReceiver reader(row.options);
    reader.Pass(row.pass);
    reader.Open(row.pass, 5);
    for (const BlockId block : {1, 2, 3}) {
      const int64_t at = 4 * (block - 1);
      reader.Receive(block, 0, {at, at + 4}, at);
      reader.Read(4);
    }
    reader.Do(Committed{reader.id(), row.pass, 8});
    EXPECT_EQ(reader.Dropped(), row.dropped) << row.what;
    EXPECT_TRUE(reader.receiver().NeededNow(1) == (row.options.remainder == Remainder::kRepeat)) << row.what;
  }
}

TEST(Receiver, RefusedRowsAreKeptForLaterPasses) {
  for (const int64_t pass : {0, 1}) {
    TestReceiver reader({.passes = 2});
    reader.Pass(pass);
    reader.Open(pass, 5);
    reader.Receive(1, 0, {0, 4}, 0);
    reader.Open(pass, 6);
    // They are committed in this pass.
    reader.Do(AcceptRows{reader.id(), pass, 0, {0, 4}, {}, {}, 0});
    EXPECT_THAT(reader.Dropped().size(), pass == 0 ? 0u : 1u) << pass;
  }
}

// The ledger has forgotten the positions of committed rows, so a late answer to an offer does not list them.
TEST(Receiver, LateAnswerKeepsTheFirstBatch) {
  TestReceiver reader({.remainder = Remainder::kRepeat});
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 8}, 0);
  reader.Open(0, 6);
  reader.Fetch(2);
  reader.Do(Reassign{reader.id(), 0, 1, 0, 0, {0, 4}});
  reader.Seal(0, 4);
  reader.Read(2);
  reader.Read(2);
  reader.Do(Committed{reader.id(), 0, 4});
  reader.Do(AcceptRows{reader.id(), 0, 0, {0, 8}, {}, {}, 0});
  EXPECT_EQ(reader.receiver().Find(0, 0, {0, 8}), (std::vector<Slice>{{1, 0, 2}})) << "the others are not wanted";
  reader.Forget();
  reader.Do(Reassign{reader.id(), 0, 0, 4, 0, {0, 2}, 0, true});
  EXPECT_EQ(reader.Events<RowsMoved>().size(), 1u);
}

TEST(Receiver, LaterPassReadsTheSameBlocks) {
  TestReceiver reader({.passes = 3});
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 4}, 0);
  reader.Do(ClosePass{reader.id(), 0, 4, 0, 0, false});
  reader.Read(4);
  EXPECT_EQ(reader.Fetch(4).what, What::kEnd);
  EXPECT_FALSE(reader.receiver().NeededNow(1)) << "may be on disk until it is wanted again";
  reader.Forget();
  for (const int64_t pass : {1, 2}) {
    reader.Pass(pass);
    reader.Do(OpenPass{reader.id(), pass});
    EXPECT_EQ(reader.Events<RowsReceived>().size(), 1u);
    EXPECT_TRUE(reader.receiver().NeededNow(1));
    reader.Accept(0, {0, 4}, 0);
    reader.Seal(0, 4);
    reader.Read(4);
    EXPECT_EQ(reader.receiver().first_pass(), pass - 1) << "the ledger may not know yet that it was read";
  }
  reader.Pass(0);
  EXPECT_EQ(reader.Fetch(4).failed->why, FailFeed::Why::kMisuse);
}

TEST(Receiver, ShuffledRowsComeInTheOrderOfTheirWindow) {
  const Options options{.shuffle = 6, .seed = 3};
  TestReceiver reader(options);
  reader.Open(0, 5);
  ASSERT_TRUE(reader.Take(1, 0, {0, 4}));
  ASSERT_TRUE(reader.Take(2, 0, {4, 9}));
  reader.Accept(0, {0, 4}, 0);
  reader.Accept(0, {4, 9}, 4);
  reader.Seal(6, 9);
  EXPECT_EQ(reader.Fetch(3).what, What::kWait) << "the first window is not sealed";
  reader.Seal(0, 6);
  std::vector<int64_t> expected, got;
  for (const Rows window : {Rows{0, 6}, Rows{6, 9}}) {
    for (const int32_t offset : WindowOrder({options.seed, 0, 0, window.from, window.count()})) {
      expected.push_back(window.from + offset);
    }
  }
  for (const int64_t rows : {4, 4, 1}) {
    const auto next = reader.Fetch(rows);
    ASSERT_EQ(next.what, What::kBatch);
    for (const Slice& slice : next.slices) {
      for (int64_t i = 0; i < slice.rows; ++i) got.push_back((slice.block == 1 ? 0 : 4) + slice.from + i);
    }
  }
  EXPECT_EQ(got, expected);
  reader.Return(9);
  reader.Do(Committed{reader.id(), 0, 8});
  EXPECT_THAT(reader.Dropped(), ElementsAre(1)) << "the second window is not committed as a whole";
}

TEST(Receiver, MovedRowsAreTakenHereOrFetched) {
  TestReceiver reader({});
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 4}, 0);
  // Rows of the own lane a second time.
  const Reassign own{reader.id(), 0, 0, 4, 0, {1, 3}, 0, true};
  reader.Do(own);
  EXPECT_EQ(reader.Events<RowsMoved>().back().at, 4);
  const Reassign other{reader.id(), 0, 2, 6, 0, {2, 8}, 0, false};
  reader.Do(other);
  reader.Do(other);
  ASSERT_EQ(reader.Fetches().size(), 1u);
  EXPECT_TRUE(reader.receiver().Wants(other));
  reader.Note(reader.receiver().Fetched(other, {{.id = 7, .rows = {4, 6}}}));
  EXPECT_THAT(reader.Dropped(), ElementsAre(7)) << "rows 6 and 7 are missing";
  EXPECT_TRUE(reader.receiver().Wants(other));
  reader.Note(reader.receiver().Fetched(other, {{.id = 8, .rows = {0, 4}}, {.id = 9, .rows = {4, 9}}}));
  EXPECT_THAT(reader.Dropped(), ElementsAre(8)) << "its rows are in another block";
  EXPECT_TRUE(reader.wake());
  EXPECT_FALSE(reader.receiver().Wants(other));
  EXPECT_EQ(reader.Events<RowsMoved>().back().at, 6);
  reader.Seal(0, 12);
  EXPECT_THAT(reader.Fetch(12).slices,
              ElementsAre(Slice{1, 0, 4}, Slice{1, 1, 2, true}, Slice{1, 2, 2}, Slice{9, 0, 4}));
  reader.Note(reader.receiver().Fetched(other, {{.id = 10, .rows = {4, 9}}}));
  EXPECT_THAT(reader.Dropped(), ElementsAre(10)) << "late";
}

TEST(Receiver, MoveOfOwnRowsWaitsForThem) {
  TestReceiver reader({.remainder = Remainder::kRepeat});
  reader.Open(0, 5);
  ASSERT_TRUE(reader.Take(1, 0, {0, 4}));
  reader.Do(Reassign{reader.id(), 0, 0, 4, 0, {0, 2}, 0, true});
  EXPECT_THAT(reader.Fetches(), IsEmpty());
  EXPECT_THAT(reader.Events<RowsMoved>(), IsEmpty());
  reader.Accept(0, {0, 4}, 0);
  EXPECT_EQ(reader.Events<RowsMoved>().size(), 1u);
}

TEST(Receiver, EventsAreSentAgainInTheOrderOfTheProtocol) {
  TestReceiver reader({});
  EXPECT_EQ(reader.receiver().Resync().size(), 1u);
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 8}, 0);
  reader.Read(4);
  reader.Note(reader.receiver().StepDone(0, 4, 1));
  reader.Note(reader.receiver().StepDone(0, 4, 2));
  ASSERT_TRUE(reader.Take(2, 1, {4, 8}));
  ASSERT_TRUE(reader.Take(3, 1, {0, 4}));
  reader.Do(Reassign{reader.id(), 0, 0, 12, 0, {0, 2}, 0, true});
  reader.Note(reader.receiver().Checkpointed(1));
  reader.Note(reader.receiver().CommitCalled(0, 4));
  std::vector<size_t> types;
  const std::vector<Event> events = reader.receiver().Resync();
  for (const Event& event : events) types.push_back(event.index());
  const std::vector<Event> expected{ReaderSynced{},  StepReported{},       StepReported{}, RowsReceived{},
                                    RowsReceived{},  RowsMoved{},          ReaderOpened{}, KeptRowsOffered{},
                                    RowsHandedOut{}, CheckpointReported{}, CommitCalled{}};
  ASSERT_EQ(types.size(), expected.size());
  for (size_t i = 0; i < types.size(); ++i) EXPECT_EQ(types[i], expected[i].index()) << i;
  EXPECT_EQ(std::get<RowsReceived>(events[3]).rows.from, 4) << "in the order of arrival";
  // The ledger knows the moves before a seal, and the steps before a commit.
  reader.Do(Committed{reader.id(), 0, 4});
  reader.Accept(1, {4, 8}, 8);
  reader.Accept(1, {0, 4}, 14);
  reader.Seal(0, 18);
  EXPECT_EQ(reader.receiver().Resync().size(), 6u);
}

TEST(Receiver, StepIsReportedBeforeItsRows) {
  TestReceiver reader({});
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 8}, 0);
  reader.Fetch(4);
  const auto effects = reader.receiver().StepDone(0, 4, 7);
  ASSERT_EQ(effects.events.size(), 2u);
  EXPECT_EQ(std::get<StepReported>(effects.events[0]).step, 7);
  EXPECT_EQ(std::get<RowsHandedOut>(effects.events[1]).rows, 4);
}

TEST(Receiver, ProgramThatNeverCommitsNeedsLittleMemoryForSteps) {
  TestReceiver reader({});
  reader.Open(0, 5);
  for (int64_t step = 0; step <= 3 * static_cast<int64_t>(kMostMarks); ++step) {
    reader.receiver().StepDone(0, step, step);
  }
  const std::vector<Event> events = reader.receiver().Resync();
  EXPECT_LT(events.size(), kMostMarks + 10);
  int64_t newest = 0;
  for (const Event& event : events) {
    if (const auto* step = std::get_if<StepReported>(&event)) newest = step->step;
  }
  EXPECT_EQ(newest, 3 * static_cast<int64_t>(kMostMarks));
}

TEST(Receiver, FailureIsRaisedAfterTheSealedRows) {
  TestReceiver reader({});
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 6}, 0);
  EXPECT_TRUE(reader.receiver().Do(FailFeed{FailFeed::Why::kLost, "the source is gone"}).failed);
  EXPECT_FALSE(reader.receiver().Do(FailFeed{FailFeed::Why::kLost, "again"}).failed);
  EXPECT_FALSE(reader.Take(2, 0, {6, 8}));
  EXPECT_EQ(reader.Fetch(4).what, What::kBatch);
  const auto next = reader.Fetch(4);
  EXPECT_EQ(next.what, What::kFailed);
  EXPECT_EQ(next.failed->message, "the source is gone");
}

TEST(Receiver, NewIncarnationReadsAfterTheFailureOfAnOlderOne) {
  TestReceiver reader({});
  reader.Open(0, 5);
  EXPECT_TRUE(reader.receiver().Do(FailFeed{FailFeed::Why::kLost, "the application master has lost its log"}).failed);
  reader.Open(0, 6);
  reader.Receive(1, 0, {0, 6}, 0);
  EXPECT_EQ(reader.Fetch(4).what, What::kBatch);
  EXPECT_TRUE(reader.receiver().Do(FailFeed{FailFeed::Why::kLost, "the source is gone"}).failed);
  EXPECT_EQ(reader.Fetch(4).failed->message, "the source is gone");
}

TEST(Receiver, FailureMayArriveBeforeTheFirstOrderOfItsIncarnation) {
  TestReceiver reader({});
  reader.Open(0, 5);
  EXPECT_TRUE(reader.receiver().Do(FailFeed{FailFeed::Why::kLost, "outdated"}).failed);
  reader.Note(reader.receiver().Stop());
  EXPECT_EQ(reader.Fetch(4).what, What::kWait) << "the next incarnation may read";
  EXPECT_TRUE(reader.receiver().Do(FailFeed{FailFeed::Why::kLost, "the source is gone", 7}).failed);
  reader.Open(0, 6);
  EXPECT_EQ(reader.Fetch(4).failed->message, "the source is gone");
  reader.Open(0, 7);
  EXPECT_EQ(reader.Fetch(4).what, What::kWait) << "the ledger has lost the failure with its log";
}

TEST(Receiver, MisuseIsAnError) {
  TestReceiver reader({.passes = 2});
  reader.Open(0, 5);
  struct Row {
    int64_t pass, rows;
    const char* message;
  };
  for (const Row& row : {Row{0, 0, "at least one row"}, Row{2, 4, "the feed has 2 passes"}, Row{-1, 4, "2 passes"}}) {
    const auto next = reader.receiver().Fetch({.pass = row.pass, .rows = row.rows, .waiting = true}).first;
    ASSERT_EQ(next.what, What::kFailed) << row.pass;
    EXPECT_THAT(next.failed->message, HasSubstr(row.message));
  }
  EXPECT_EQ(reader.receiver().Fetch({.pass = 1, .rows = 4, .waiting = true}).first.what, What::kWait)
      << "it is not open yet";
}

TEST(Receiver, LostBlockIsNotOfferedAgain) {
  TestReceiver reader({});
  reader.Open(0, 5);
  reader.Receive(1, 0, {0, 4}, 0);
  reader.Receive(2, 0, {4, 8}, 4);
  reader.Read(4);
  EXPECT_FALSE(reader.receiver().NeededNow(1));
  reader.Note(reader.receiver().Lost(1));
  EXPECT_EQ(reader.Fetch(2, false).what, What::kBatch);
  // A block whose rows are not returned is missed.
  EXPECT_TRUE(reader.receiver().NeededNow(2));
  reader.Note(reader.receiver().Lost(2));
  EXPECT_THAT(reader.Fetch(2).failed->message, HasSubstr("larger `spool`"));
  reader.Forget();
  reader.Open(0, 6);
  EXPECT_THAT(reader.Events<RowsReceived>(), IsEmpty());
  EXPECT_EQ(reader.Fetch(2).what, What::kWait);
}

TEST(Receiver, EndOfTheFeedIsKnown) {
  TestReceiver reader({});
  EXPECT_FALSE(reader.receiver().ended());
  reader.Do(GrantCredit{{0, 5}, 10});
  reader.Do(EndFeed{});
  EXPECT_TRUE(reader.receiver().ended());
  reader.Do(GrantCredit{{0, 6}, 10});
  EXPECT_FALSE(reader.receiver().ended());
  reader.Do(EndFeed{});
  reader.Note(reader.receiver().Stop());
  EXPECT_FALSE(reader.receiver().ended()) << "all ranks may restart, and then read again";
}

}  // namespace
}  // namespace howdah::feed
