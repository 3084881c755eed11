#include "local_feeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_feeds.h"
#include "test_reader.h"

namespace howdah::feed::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(FeedsTest, RowsOfASourceReachTheProgram) {
  StartAttempt(1);
  Process process = Open(1);
  EXPECT_EQ(process.last(),
            TestJson::parse(R"({"feed": "train", "reader": 0, "readers": 1, "passes": 1, "pass": 0, "split": "equal",
                                               "remainder": "drop"})"));
  Send(process, Next(0, 4, 0));
  EXPECT_EQ(process.replies.size(), 1U) << "the batch waits for rows";
  EXPECT_EQ(Put(0, 0, {0, 6}), PutAnswer::kAcknowledged);
  const TestJson batch = process.last();
  EXPECT_EQ(batch["slices"], TestJson::parse("[[1, 0, 4]]"));
  EXPECT_EQ(batch["blocks"][0]["rows"], 6);
  EXPECT_EQ(batch["schemas"].size(), 1U);
  EXPECT_EQ(process.files.back(), 1U);
  Send(process, Next(0, 4, 4));
  EXPECT_EQ(Put(0, 0, {6, 10}, 100, true), PutAnswer::kAcknowledged);
  EXPECT_EQ(am.unix_sockets, (std::vector<bool>{false, true}));
  EXPECT_EQ(process.last()["slices"], TestJson::parse("[[1, 4, 2], [2, 0, 2]]"));
  EXPECT_EQ(process.files.back(), 1U) << "the connection has the first block";
  EXPECT_TRUE(process.last()["schemas"].empty());
  EndSource(1, 10);
  Send(process, Next(0, 4, 8));
  EXPECT_EQ(process.last(), TestJson::parse(R"({"end": {"rows": 8, "left_out": 2, "repeated": 0}})"));
  Send(process, R"({"release": [1, 2]})");
  EXPECT_EQ(store().leased_bytes(), 0);
}

TEST_F(FeedsTest, OpenWaitsForTheOrdersOfTheAttempt) {
  feeds.OnStart(StartOrder(1));
  Process process = Open(1);
  EXPECT_TRUE(process.replies.empty());
  am.Form();
  am.Handle(feeds);
  EXPECT_EQ(process.replies.size(), 1U);
  feeds.OnClosed(1);
  feeds.OnAttemptEnded();
  feeds.OnStart(StartOrder(2));
  Process again = Open(2, 0, 2);
  EXPECT_TRUE(again.replies.empty()) << "the orders so far were for the first attempt";
  am.Form();
  am.Handle(feeds);
  EXPECT_EQ(again.last()["pass"], 0);
}

TEST_F(FeedsTest, WrongRequestsAreRefusedWithTheReason) {
  StartAttempt(1);
  const auto message = [](const Process& process) { return process.last()["error"]["message"].get<std::string>(); };
  Process process{1};
  Send(process, R"({"open": "val", "local_rank": 0, "attempt": 1})");
  EXPECT_EQ(message(process), "the job has no feed 'val'; it has train");
  Send(process, R"({"stop": true})");
  EXPECT_EQ(message(process), "the connection has not opened a feed, and serves none");
  EXPECT_THAT(message(Open(2, 1)), HasSubstr("this process does not read the feed 'train'"));
  EXPECT_EQ(Open(3, 0, 0).last()["error"]["kind"], "FeedStopped") << "a process of an earlier attempt";
  Process unnamed{5};
  Send(unnamed, R"({"open": null, "local_rank": 0, "attempt": 1})");
  EXPECT_EQ(unnamed.last()["feed"], "train");
  Process reader = Open(4);
  Send(reader, R"({"id": 9, "open": "train", "local_rank": 0, "attempt": 1})");
  EXPECT_EQ(reader.last()["id"], 9);
  EXPECT_EQ(message(reader), "the connection has opened a feed before");
  Send(reader, Next(3, 4, 0));
  EXPECT_EQ(reader.last()["error"]["kind"], "FeedMisuse");
  EXPECT_THAT(message(reader), HasSubstr("the feed has 1 passes"));
}

TEST_F(FeedsTest, StepWithWaitIsConfirmedByTheAm) {
  StartAttempt(1);
  Process process = Open(1);
  EXPECT_EQ(Put(0, 0, {0, 8}), PutAnswer::kAcknowledged);
  Send(process, Next(0, 4, 0));
  Post(process, R"({"step": {"step": 1, "pass": 0, "rows": 4, "wait": true}})");
  EXPECT_EQ(process.replies.size(), 2U) << "the AM has not answered";
  am.Handle(feeds);
  EXPECT_EQ(process.last(), TestJson::object());
  ASSERT_EQ(am.confirmed.size(), 1U);
  EXPECT_EQ(std::get<StepReported>(am.confirmed[0]).rows, 4);
  Post(process, R"({"step": {"step": 2, "pass": 0, "rows": 4, "wait": false}})");
  EXPECT_EQ(process.replies.size(), 4U);
  Send(process, R"({"checkpointed": 2})");
  ASSERT_EQ(am.Received<CheckpointReported>().size(), 1U);
  Post(process, R"({"commit": {"pass": 0, "rows": 4}})");
  EXPECT_EQ(process.replies.size(), 5U);
  am.Handle(feeds);
  EXPECT_EQ(std::get<CommitCalled>(am.confirmed.back()).rows, 4);
  EXPECT_EQ(process.last(), TestJson::object());
}

TEST_F(FeedsTest, PositionOfAProcessThatTheAmHasReplacedIsLost) {
  StartAttempt(1);
  Process process = Open(1);
  for (const bool replaced : {false, true}) {
    Send(process, R"({"point": 3})");
    wire::ToExecutor message;
    message.mutable_feed_reply()->set_id(am.calls.back().id());
    message.mutable_feed_reply()->set_error("refused");
    message.mutable_feed_reply()->set_replaced(replaced);
    feeds.OnMessage(message);
    EXPECT_EQ(process.last()["error"]["kind"], replaced ? "FeedLost" : "FeedError");
    EXPECT_EQ(process.last()["error"]["message"], "refused");
  }
}

TEST_F(FeedsTest, EverythingIsSentAgainToTheNextAm) {
  StartAttempt(1);
  Process process = Open(1);
  am.connected = false;
  std::optional<PutAnswer> answer;
  feeds.FlightHandlers().on_block({"train", 0, 0}, TestSchema(), TestBlock(0, 8, "x"),
                                  [&answer](const Result<PutAnswer>& result) { answer = result.value(); });
  Send(process, Next(0, 4, 0));
  Send(process, R"({"commit": {"pass": 0, "rows": 0}})");
  Outcome ask;
  Act(1, "ask", R"({"feed": "train", "pass": 0, "partition": 1})", ask);
  EXPECT_EQ(process.replies.size(), 1U);
  EXPECT_FALSE(answer || ask.finished);
  am.connected = true;
  am.Step(ReaderSynced{0});
  feeds.OnRegistered();
  am.Handle(feeds);
  EXPECT_EQ(answer, PutAnswer::kAcknowledged);
  ASSERT_EQ(process.replies.size(), 3U);
  EXPECT_EQ(process.replies[1]["slices"], TestJson::parse("[[1, 0, 4]]"));
  EXPECT_EQ(process.last(), TestJson::object());
  EXPECT_EQ(ask.replies.size(), 1U);
  EXPECT_TRUE(ask.finished && ask.finished->ok());
}

TEST_F(FeedsTest, ClosedConnectionReleasesItsBlocks) {
  StartAttempt(1);
  Process first = Open(1), second = Open(2);
  EXPECT_EQ(Put(0, 0, {0, 8}), PutAnswer::kAcknowledged);
  Send(first, Next(0, 4, 0));
  Send(second, Next(0, 4, 4));
  EXPECT_EQ(second.last()["slices"], TestJson::parse("[[1, 4, 4]]")) << "the processes share one reader";
  Send(second, Next(0, 4, 8));
  feeds.OnClosed(1);
  EXPECT_GT(store().leased_bytes(), 0);
  feeds.OnClosed(2);
  EXPECT_EQ(store().leased_bytes(), 0);
  EXPECT_EQ(Put(0, 0, {8, 16}), PutAnswer::kAcknowledged);
  EXPECT_EQ(second.replies.size(), 2U) << "its waiting request is forgotten";
  Process third = Open(3);
  Send(third, Next(0, 4, 8));
  EXPECT_EQ(third.last()["slices"], TestJson::parse("[[2, 0, 4]]"));
}

TEST_F(FeedsTest, WaitingRequestsEndWithTheAttempt) {
  StartAttempt(1);
  Process process = Open(1);
  Send(process, Next(0, 4, 0));
  feeds.OnAttemptEnded();
  EXPECT_EQ(process.last()["error"]["kind"], "FeedStopped");
  Send(process, Next(0, 4, 0));
  EXPECT_EQ(process.replies.size(), 3U);
  EXPECT_EQ(process.last()["error"]["kind"], "FeedStopped");
  EXPECT_EQ(Put(0, 0, {0, 8}), PutAnswer::kRefused);
}

TEST_F(FeedsTest, RowsAreReadAgainFromTheExecutorAfterARestart) {
  StartAttempt(1);
  Process process = Open(1);
  EXPECT_EQ(Put(0, 0, {0, 8}), PutAnswer::kAcknowledged);
  Send(process, Next(0, 4, 0));
  feeds.OnClosed(1);
  feeds.OnAttemptEnded();
  StartAttempt(2);
  Process again = Open(2, 0, 2);
  Send(again, Next(0, 4, 0));
  EXPECT_EQ(again.last()["slices"], TestJson::parse("[[1, 0, 4]]"));
  EXPECT_EQ(again.files.back(), 1U);
}

TEST_F(FeedsTest, CheckpointThatWasFoundIsCommittedBeforeReading) {
  StartAttempt(1);
  Process process = Open(1);
  EXPECT_EQ(Put(0, 0, {0, 8}), PutAnswer::kAcknowledged);
  Send(process, Next(0, 4, 0));
  Send(process, R"({"step": {"step": 1, "pass": 0, "rows": 4, "wait": true}})");
  feeds.OnClosed(1);
  feeds.OnAttemptEnded();
  StartAttempt(2);
  Process again = Open(2, 0, 2);
  Send(again, R"({"found": 1})");
  EXPECT_EQ(again.last(), TestJson::parse(R"({"pass": 0})"));
  EXPECT_EQ(std::get<CheckpointFound>(am.confirmed.back()).step, 1);
  Send(again, Next(0, 4, 0));
  EXPECT_EQ(again.last()["slices"], TestJson::parse("[[1, 4, 4]]")) << "the first rows are in the checkpoint";
}

TEST_F(FeedsTest, RowsHandedOutAreSentTogether) {
  StartAttempt(1);
  Process process = Open(1);
  EXPECT_EQ(Put(0, 0, {0, 800}), PutAnswer::kAcknowledged);
  for (int64_t row = 0; row < 400; row += 4) Send(process, Next(0, 4, row));
  const auto events = [&] { return am.Received<RowsHandedOut>(); };
  const size_t at_once = events().size();
  EXPECT_LT(at_once, 90U);
  ASSERT_TRUE(RunUntil(loop, [&] {
    am.Handle(feeds);
    return !events().empty() && events().back().rows == 396;
  }));
  EXPECT_LE(events().size(), at_once + 1);
  for (int64_t row = 400; row <= 800; row += 4) Send(process, Next(0, 4, row));
  EXPECT_TRUE(events().back().waiting) << "an event of a reader that waits is sent at once";
  EXPECT_EQ(events().back().rows, 800);
}

TEST_F(FeedsTest, LaterRequestSaysThatTheProgramWaits) {
  StartAttempt(1);
  Process process = Open(1);
  Send(process, Next(0, 4, 0, /*waiting=*/false));
  EXPECT_TRUE(am.Received<RowsHandedOut>().empty());
  Send(process, Next(0, 4, 0, /*waiting=*/true));
  ASSERT_EQ(am.Received<RowsHandedOut>().size(), 1U);
  EXPECT_TRUE(am.Received<RowsHandedOut>()[0].waiting);
}

TEST_F(FeedsTest, ProgressLinesCountForReadersThatReportNoSteps) {
  StartAttempt(1);
  Process process = Open(1);
  feeds.OnStepLine(0, 1);
  EXPECT_TRUE(am.inbox.empty()) << "no row was read";
  EXPECT_EQ(Put(0, 0, {0, 8}), PutAnswer::kAcknowledged);
  Send(process, Next(0, 4, 0));
  Send(process, R"({"returned": {"pass": 0, "rows": 3}})");
  feeds.OnStepLine(0, 2);
  feeds.OnCheckpointLine(0, 2);
  feeds.OnStepLine(7, 2);
  am.Handle(feeds);
  ASSERT_EQ(am.Received<StepReported>().size(), 1U);
  EXPECT_EQ(am.Received<StepReported>()[0].rows, 3);
  EXPECT_EQ(am.Received<StepReported>()[0].step, 2);
  EXPECT_EQ(am.Received<CheckpointReported>().size(), 1U);
  Send(process, R"({"step": {"step": 3, "pass": 0, "rows": 4}})");
  feeds.OnStepLine(0, 3);
  feeds.OnCheckpointLine(0, 3);
  am.Handle(feeds);
  EXPECT_EQ(am.Received<StepReported>().size(), 2U);
  EXPECT_EQ(am.Received<CheckpointReported>().size(), 1U);
}

TEST_F(FeedsTest, StopEndsWaitingRequests) {
  StartAttempt(1);
  Process process = Open(1);
  Send(process, Next(0, 4, 0));
  Send(process, R"({"stop": true})");
  EXPECT_EQ(process.replies[1]["error"]["kind"], "FeedStopped");
  EXPECT_EQ(process.last(), TestJson::object());
  EXPECT_TRUE(std::holds_alternative<ReadingStopped>(am.confirmed.back()));
}

TEST_F(FeedsTest, FeedEndsWhenItsOnlyReaderHasLeft) {
  StartAttempt(1);
  Process process = Open(1);
  Send(process, Next(0, 4, 0));
  Send(process, R"({"leave": true})");
  EXPECT_EQ(process.replies[1]["error"]["kind"], "FeedStopped");
  EXPECT_EQ(process.last(), TestJson::object());
  EXPECT_TRUE(std::holds_alternative<ReaderLeft>(am.confirmed.back()));
}

TEST_F(FeedsTest, FailureReachesReadersAndSources) {
  StartAttempt(1);
  Process process = Open(1);
  Send(process, Next(0, 4, 0));
  std::optional<Result<PutAnswer>> answer;
  feeds.FlightHandlers().on_block({"train", 0, 0}, TestSchema(), TestBlock(0, 8, "x"),
                                  [&answer](const Result<PutAnswer>& result) { answer = result; });
  feeds.Find("train")->Do(FailFeed{FailFeed::Why::kLost, "the source is gone"});
  ASSERT_TRUE(answer && !answer->ok());
  EXPECT_EQ(answer->error().message, "the source is gone");
  EXPECT_EQ(process.last()["error"]["kind"], "FeedLost");
  EXPECT_EQ(Open(2).last()["error"]["kind"], "FeedLost");
}

// --- sources ---

TEST_F(FeedsTest, TokenOfTheFeedIsRequired) {
  const auto handlers = feeds.FlightHandlers();
  EXPECT_FALSE(handlers.authorize("train", "")) << "before the start there is no token";
  StartAttempt(1);
  EXPECT_TRUE(handlers.authorize("train", kTestToken));
  EXPECT_TRUE(handlers.is_token(kTestToken));
  EXPECT_FALSE(handlers.authorize("train", "0123abce"));
  EXPECT_FALSE(handlers.authorize("val", kTestToken));
  EXPECT_FALSE(handlers.is_token(""));
}

TEST_F(FeedsTest, QuestionsOfSourcesAreAnsweredByTheAm) {
  StartAttempt(1);
  am.Step(SourceConnected{"the source"});
  am.Handle(feeds);
  Outcome ask, ended, closed, sent, again, wrong, unknown;
  Act(1, "ask", R"({"feed": "train", "pass": 0, "partition": 1})", ask);
  ASSERT_EQ(ask.replies.size(), 1U);
  EXPECT_EQ(ask.replies[0], TestJson::parse(R"({"what": "send", "missing": [[0, null]], "reader": 0,
                                               "locations": ["grpc+unix:///run/flight", "grpc+tls://[::1]:77"]})"));
  EXPECT_TRUE(ask.finished && ask.finished->ok());
  EXPECT_EQ(am.calls.back().ask().near(), 0);
  Act(2, "partition-ended", R"({"feed": "train", "pass": 0, "partition": 1, "rows": 0})", ended);
  EXPECT_EQ(ended.replies, std::vector<TestJson>{TestJson::object()});
  EXPECT_EQ(std::get<PartitionEnded>(am.confirmed.back()).partition, 1);
  Act(3, "source-ended", R"({"feed": "train", "partitions": 2})", ended);
  EXPECT_EQ(std::get<SourceEnded>(am.confirmed.back()).partitions, 2);
  Act(4, "send", R"({"feed": "train", "key": "k"})", sent);
  EXPECT_EQ(sent.replies, std::vector<TestJson>{TestJson::parse(R"({"partition": 5})")});
  Act(5, "send", R"({"feed": "train", "key": "again"})", again);
  EXPECT_EQ(again.replies, std::vector<TestJson>{TestJson::parse(R"({"partition": null})")});
  Act(6, "close", R"({"feed": "train"})", closed);
  EXPECT_TRUE(am.calls.back().close());
  EXPECT_EQ(closed.replies.size(), 1U);
  Act(7, "ask", R"({"feed": "train", "pass": -1, "partition": 1})", wrong);
  EXPECT_EQ(wrong.finished->error().message, "ask: 'pass' must be a whole number from 0 to 2147483648");
  Act(8, "steal", R"({"feed": "train"})", unknown);
  EXPECT_THAT(unknown.finished->error().message, HasSubstr("unknown action 'steal'"));
}

TEST_F(FeedsTest, SupplierIsConnectedUntilItsCallEnds) {
  Outcome outcome;
  Act(1, "supply", R"({"feed": "train", "name": "the driver"})", outcome);
  ASSERT_EQ(am.calls.size(), 1U);
  EXPECT_EQ(am.calls[0].supply().name(), "the driver");
  wire::ToExecutor message;
  wire::FeedReply& reply = *message.mutable_feed_reply();
  reply.set_id(am.calls[0].id());
  reply.set_pass(1);
  wire::FeedRows& rows = *reply.add_requested();
  rows.set_from(2);
  rows.set_to(4);
  feeds.OnMessage(message);
  EXPECT_EQ(outcome.replies,
            std::vector<TestJson>{TestJson::parse(R"({"request": {"pass": 1, "partitions": [[2, 4]]}})")});
  EXPECT_FALSE(outcome.finished);
  feeds.OnRegistered();
  am.Handle(feeds);
  EXPECT_EQ(am.calls.size(), 2U) << "the next AM must know the supplier, too";
  feeds.FlightHandlers().on_cancelled(1);
  am.Handle(feeds);
  ASSERT_EQ(am.calls.size(), 3U);
  EXPECT_TRUE(am.calls[2].supply_ended());
  EXPECT_EQ(am.calls[2].id(), am.calls[0].id());
  Act(2, "supply", R"({"feed": "train", "name": "the driver"})", outcome);
  reply.set_id(am.calls.back().id());
  reply.set_over(true);
  feeds.OnMessage(message);
  EXPECT_EQ(outcome.replies.back(), TestJson::parse(R"({"over": true})"));
  EXPECT_TRUE(outcome.finished && outcome.finished->ok());
}

TEST_F(FeedsTest, RefusedBlockIsNotStored) {
  StartAttempt(1);
  EXPECT_EQ(Put(5, 0, {0, 8}), PutAnswer::kRefused) << "the pass is not open";
  EXPECT_EQ(store().blocks(), 0U);
  feeds.FlightHandlers().on_block(
      {"val", 0, 0}, TestSchema(), TestBlock(0, 8, "x"),
      [](const Result<PutAnswer>& answer) { EXPECT_EQ(answer.error().message, "the job has no feed 'val'"); });
}

}  // namespace
}  // namespace howdah::feed::server
