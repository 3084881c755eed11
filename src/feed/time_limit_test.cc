#include "time_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "test_feed.h"

namespace howdah::feed {
namespace {

using std::chrono::minutes;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestFeed;

constexpr minutes kLimit{10};

// The messages of the failure if nothing happens for the time limit, and nothing before.
std::vector<std::string> MessagesAtLimit(TestFeed& feed) {
  feed.Take<FailFeed>();
  feed.Wait(kLimit - Duration(1));
  feed.Step(Ticked{});
  if (!feed.Take<FailFeed>().empty()) return {"too early"};
  feed.Wait(Duration(1));
  feed.Step(Ticked{});
  std::vector<std::string> messages;
  for (const FailFeed& failed : feed.Take<FailFeed>()) messages.push_back(failed.message);
  return messages;
}

TEST(TimeLimit, WaitingReaderFailsAndNamesTheSource) {
  struct Row {
    const char* what;
    std::vector<Event> events;
    const char* message;
  };
  const Row rows[] = {
      {"never supplied",
       {},
       "nobody has supplied rows to the feed train, and the ranks have waited 10m00s for rows; give them to "
       "howdah.run(..., data={\"train\": howdah.Feed(rows)}), or send them with "
       "howdah.Job.attach(ID).feed(\"train\").send(rows) or another Arrow Flight client (`howdah feed ID train "
       "--address`)"},
      {"silent",
       {SourceConnected{"the process 17 on node7"}},
       "the source of the feed sends no rows: the process 17 on node7 is connected, and the ranks have waited 10m00s "
       "for "
       "rows; if it needs more time, set a larger `timeouts.feed`"},
      {"gone",
       {SourceConnected{"app-1"}, SourceLost{"app-1"}},
       "the source of the feed is gone: app-1; no rows for 10m00s"},
      {"back", {SourceLost{"app-1"}, SourceConnected{"app-2"}}, "app-2 is connected"},
  };
  for (const Row& row : rows) {
    TestFeed feed({.lost_after = kLimit, .name = "train"}, 2, 2, 1);
    for (const Event& event : row.events) feed.Step(event);
    EXPECT_EQ(feed.ledger().NextDeadline(), std::nullopt) << row.what << ": no reader waits";
    feed.HandOut(0, 0, true);
    const auto messages = MessagesAtLimit(feed);
    ASSERT_EQ(messages.size(), 1u) << row.what;
    EXPECT_THAT(messages[0], HasSubstr(row.message));
    EXPECT_EQ(feed.ledger().NextDeadline(), std::nullopt) << row.what;
  }
}

TEST(TimeLimit, RowsBeginTheTimeAgain) {
  TestFeed feed({.lost_after = kLimit}, 1, 4, 1);
  feed.HandOut(0, 0, true);
  feed.Wait(minutes(9));
  feed.Receive(0, 0, {0, 2});  // half of a batch
  EXPECT_EQ(feed.ledger().NextDeadline(), feed.now() + kLimit);
  feed.Wait(minutes(9));
  feed.Step(SourceConnected{"app"});
  EXPECT_EQ(feed.ledger().NextDeadline(), feed.now() + kLimit);
  feed.Wait(minutes(9));
  feed.Step(SourceLost{"app"});
  EXPECT_EQ(feed.ledger().NextDeadline(), feed.now() + kLimit);
  feed.Wait(minutes(9));
  feed.Step(AmResumed{});
  EXPECT_EQ(feed.ledger().NextDeadline(), feed.now() + kLimit) << "no AM could accept rows";
  EXPECT_EQ(MessagesAtLimit(feed).size(), 1u);
}

TEST(TimeLimit, RowsOfASourceThatDoesNotAnnounceItselfAreNotForgotten) {
  TestFeed feed({.lost_after = kLimit}, 1, 4, 1);
  feed.Receive(0, 0, {0, 2});
  feed.HandOut(0, 0, true);
  EXPECT_THAT(MessagesAtLimit(feed).at(0), AllOf(HasSubstr("no source of the feed"), HasSubstr("is connected")));
}

struct Quiet {
  const char* what;
  Options options;
  std::function<void(TestFeed&)> begin;
};

// Each row changes one condition for the time limit.
TEST(TimeLimit, SourceThatOwesNothingIsNotSilent) {
  const Quiet rows[] = {
      {"no reader has room",
       {.buffer = 10},
       [](TestFeed& feed) {
         feed.Receive(0, 0, {0, 4}, 100);
         feed.Receive(1, 0, {4, 6}, 100);
         feed.HandOut(0, 2, true);
       }},
      {"the program computes",
       {},
       [](TestFeed& feed) {
         feed.HandOut(0, 0, true);
         feed.Receive(0, 0, {0, 2});
         feed.Receive(1, 0, {2, 4});
         feed.HandOut(0, 2);
       }},
      {"all rows were read",
       {.remainder = Remainder::kShort},
       [](TestFeed& feed) {
         feed.HandOut(0, 0, true);
         feed.Receive(0, 0, {0, 2});
         feed.Receive(1, 0, {2, 4});
         feed.End(0, 4);
       }},
      {"an executor may still have rows",
       {},
       [](TestFeed& feed) {
         feed.Step(GenerationFormed{7, 1});
         feed.Step(RowsHandedOut{{0, feed.ledger().incarnation(0)}, 0, 0, true});
       }},
      {"the job waits in a queue",
       {},
       [](TestFeed& feed) {
         feed.HandOut(0, 0, true);
         feed.Step(RankLost{feed.Id(0)});
       }},
      {"the job has restarted",
       {},
       [](TestFeed& feed) {
         feed.HandOut(0, 0, true);
         feed.Generation(2);
       }},
      {"the program has stopped",
       {},
       [](TestFeed& feed) {
         feed.HandOut(0, 0, true);
         feed.Step(ReadingStopped{});
       }},
      {"a rank that restarts alone is down",
       {.split = Split::kDynamic, .ranks_restart_alone = true},
       [](TestFeed& feed) {
         feed.HandOut(0, 0, true);
         feed.Step(RankLost{feed.Id(0)});
       }},
  };
  for (const Quiet& row : rows) {
    TestFeed feed(row.options, 2, 2, 1);
    feed.Step(SourceConnected{"app"});
    row.begin(feed);
    EXPECT_EQ(feed.ledger().NextDeadline(), std::nullopt) << row.what;
    feed.Wait(minutes(100));
    feed.Step(Ticked{});
    EXPECT_THAT(feed.Take<FailFeed>(), IsEmpty()) << row.what;
  }
}

TEST(TimeLimit, SourceOfAnOpenStreamMayBeIdle) {
  Ledger ledger({.lost_after = kLimit, .stream = true});
  Instant now{minutes(1)};
  const auto step = [&](const Event& event) { ledger.Step(event, now); };
  step(GenerationFormed{0, 1});
  const ReaderId reader{0, ledger.incarnation(0)};
  step(ReaderOpened{reader, 0, 2});
  step(KeptRowsOffered{reader, 0});
  step(RowsHandedOut{reader, 0, 0, true});
  EXPECT_EQ(ledger.NextDeadline(), now + kLimit) << "nobody is connected";
  step(SourceConnected{"app"});
  EXPECT_EQ(ledger.NextDeadline(), std::nullopt);
  step(SourceLost{"app"});
  EXPECT_EQ(ledger.NextDeadline(), now + kLimit);
  step(SourceConnected{"app"});
  step(SourceEnded{1});
  EXPECT_EQ(ledger.NextDeadline(), now + kLimit) << "the rows of the closed stream are missing";
}

}  // namespace
}  // namespace howdah::feed
