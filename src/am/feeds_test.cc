#include "feeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "feed_files.h"
#include "howdah/feed/messages.h"
#include "test_feeds.h"

namespace howdah::am {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Scene = FeedScene;

TEST(Feeds, StartOrderHasTheReadersOfTheTask) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.spec.roles[0].processes = 2;
  scene.Begin(false);
  const auto readers = scene.Start(1);
  ASSERT_EQ(readers.size(), 1u);
  EXPECT_EQ(readers[0].feed(), "train");
  EXPECT_EQ(readers[0].first(), 2);
  EXPECT_EQ(readers[0].readers(), 4);
  EXPECT_EQ(readers[0].generation(), 0);
  EXPECT_EQ(readers[0].token(), "secret of train");
  EXPECT_EQ(scene.Opened("c1").reader.rank, 3) << "the last of its readers";
  EXPECT_EQ(scene.Opened("c0").reader.rank, -1) << "worker 0 has not started";
}

TEST(Feeds, RanksThatDependOnEachOtherFormAGeneration) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  const int64_t before = scene.Opened("c0").reader.incarnation;
  scene.Start(0);
  EXPECT_EQ(scene.Opened("c0").reader.incarnation, before) << "the order was repeated";
  const auto readers = scene.Start(0, 1, 1, 1);
  EXPECT_EQ(readers[0].readers(), 1);
  EXPECT_EQ(readers[0].generation(), 1);
  EXPECT_GT(scene.Opened("c0").reader.incarnation, before);
}

TEST(Feeds, TaskThatRestartsAloneHasANewReader) {
  Scene scene(jobspec::Framework::kPlain);
  scene.StartBoth();
  const feed::OpenPass other = scene.Opened("c1");
  const int64_t before = scene.Opened("c0").reader.incarnation;
  scene.feeds->OnEvent(core::TaskEnded{{"c0"}, 0, {}});
  EXPECT_EQ(scene.Start(0, 1)[0].generation(), 0);
  EXPECT_GT(scene.Opened("c0").reader.incarnation, before);
  EXPECT_EQ(scene.Opened("c1").reader, other.reader);
}

// A plain job with two tasks, whose core starts each of them again alone.
struct LockstepScene : Scene {
  explicit LockstepScene(jobspec::FeedSplit split) : Scene(jobspec::Framework::kPlain) {
    spec.feeds[0].split = split;
    spec.timeouts.feed = std::chrono::milliseconds(1);
    Begin(false);
    StartBoth();
  }
  // Waits for the limit, and returns why the feed has failed for worker 0.
  std::string Failure() {
    while (Failures("c0").empty()) loop.run_one();
    return Failures("c0").back();
  }
};

TEST(Feeds, TaskThatRestartsAloneFailsAFeedInLockstep) {
  for (const auto split : {jobspec::FeedSplit::kEqual, jobspec::FeedSplit::kAll}) {
    LockstepScene scene(split);
    scene.feeds->OnEvent(core::TaskEnded{{"c0"}, 0, {}});
    EXPECT_EQ(scene.Start(0, 1)[0].generation(), 1);
    EXPECT_THAT(scene.Failures("c0"), IsEmpty()) << "the other one may follow";
    const std::string failure = scene.Failure();
    EXPECT_THAT(failure, HasSubstr("rank 0 of the feed train has restarted alone"));
    EXPECT_THAT(failure, HasSubstr("set `split: dynamic`"));
  }
}

TEST(Feeds, TaskThatRestartsAfterTheSuccessOfAnotherOneFailsAFeedInLockstep) {
  LockstepScene scene(jobspec::FeedSplit::kAll);
  scene.feeds->OnEvent(core::RankExited{{"c1"}, 0, 0, {.code = 0}, {}, {}});
  scene.feeds->OnEvent(core::TaskEnded{{"c1"}, 0, {}});
  scene.feeds->OnEvent(core::TaskEnded{{"c0"}, 0, {}});
  scene.Start(0, 1);
  EXPECT_THAT(scene.Failure(), HasSubstr("has restarted alone"));
}

// The AM died before the limit.
TEST(Feeds, NextAmFindsTheTaskThatHasRestartedAlone) {
  LockstepScene scene(jobspec::FeedSplit::kEqual);
  scene.Begin(true);
  for (const int index : {0, 1}) scene.feeds->Replay(scene.OrderOf(index), scene.Peers());
  scene.feeds->Replay(core::TaskEnded{{"c0"}, 0, {}});
  scene.feeds->Replay(scene.OrderOf(0, 1), scene.Peers());
  ASSERT_TRUE(scene.feeds->Resume(false).ok());
  EXPECT_THAT(scene.Failure(), HasSubstr("has restarted alone"));
}

// A failure that ends one process, such as a broken collective, may end the others later.
TEST(Feeds, TasksThatRestartOneAfterTheOtherFormAGeneration) {
  LockstepScene scene(jobspec::FeedSplit::kEqual);
  for (const int index : {0, 1}) {
    scene.feeds->OnEvent(core::TaskEnded{{"c" + std::to_string(index)}, 0, {}});
    EXPECT_EQ(scene.Start(index, 1)[0].generation(), 1);
  }
  scene.loop.run_for(std::chrono::milliseconds(20));  // past the limit
  for (const std::string container : {"c0", "c1"}) EXPECT_THAT(scene.Failures(container), IsEmpty());
}

TEST(Feeds, TasksThatAllRestartFormAGeneration) {
  LockstepScene scene(jobspec::FeedSplit::kEqual);
  for (const std::string container : {"c0", "c1"}) scene.feeds->OnEvent(core::TaskEnded{{container}, 0, {}});
  for (const int index : {0, 1}) EXPECT_EQ(scene.Start(index, 1)[0].generation(), 1);
  // In a new generation of the job, an old attempt may not be known to have ended.
  EXPECT_EQ(scene.Start(0, 2, /*generation=*/1)[0].generation(), 2);
  for (const std::string container : {"c0", "c1"}) EXPECT_THAT(scene.Failures(container), IsEmpty());
}

TEST(Feeds, OnlyTaskOfAFeedInLockstepRestarts) {
  Scene scene(jobspec::Framework::kPlain);
  scene.spec.feeds[0].split = jobspec::FeedSplit::kEqual;
  scene.Begin(false);
  scene.Start(0, 0, 0, /*tasks=*/1);
  scene.feeds->OnEvent(core::TaskEnded{{"c0"}, 0, {}});
  EXPECT_EQ(scene.Start(0, 1, 0, 1)[0].generation(), 1);
  EXPECT_THAT(scene.Failures("c0"), IsEmpty());
}

TEST(Feeds, QuestionWaitsUntilRowsAreRequested) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  scene.Ask(7);
  scene.Turn();
  EXPECT_THAT(scene.Replies(7), IsEmpty());
  scene.BeginReading();
  scene.Turn();
  const auto replies = scene.Replies(7);
  ASSERT_EQ(replies.size(), 1u);
  const auto answer = feed::DecodeAnswer(replies[0].answer());
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->what, feed::Answer::What::kSend);
  EXPECT_EQ(replies[0].path(), "/run/" + std::to_string(answer->rank));
}

TEST(Feeds, QuestionIsAnsweredWithinItsLimit) {
  Scene scene(jobspec::Framework::kPytorch, Duration(1));
  scene.StartBoth();
  scene.Ask(7);
  scene.loop.restart();
  scene.loop.run_one();
  const auto replies = scene.Replies(7);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(feed::DecodeAnswer(replies[0].answer())->what, feed::Answer::What::kWait);
}

TEST(Feeds, CallsOfALostStreamAreForgotten) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  scene.Ask(7);
  scene.Supply("c1", 8);
  scene.feeds->OnDisconnected({"c1"});
  scene.BeginReading();
  scene.Turn();
  EXPECT_THAT(scene.Replies(7), IsEmpty());
  EXPECT_THAT(scene.Replies(8), IsEmpty());
  scene.feeds->OnConnected({"c1"});
  scene.Supply("c1", 8);
  ASSERT_EQ(scene.Replies(8).size(), 1u);
  EXPECT_EQ(scene.Replies(8)[0].requested_size(), 1);
}

TEST(Feeds, SuppliersLearnTheEnd) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  scene.Supply("c0", 1);
  scene.Supply("c1", 2);
  EXPECT_EQ(scene.feeds->View()[0].sources, 2);
  journal::JobView view;
  view.state = core::JobState::kRunning;
  view.tasks.push_back({.role = "worker", .index = 0, .state = core::TaskState::kRunning});
  scene.feeds->OnPassDone(view, false);
  EXPECT_THAT(scene.Replies(1), IsEmpty());
  scene.feeds->OnPassDone(view, true);
  for (const uint64_t id : {1, 2}) {
    ASSERT_EQ(scene.Replies(id).size(), 1u);
    EXPECT_TRUE(scene.Replies(id)[0].over());
  }
  scene.Supply("c0", 3);
  EXPECT_TRUE(scene.Replies(3).back().over());
  EXPECT_FALSE(scene.feeds->Locations("train").ok());
}

TEST(Feeds, FeedEndsWhenAllTasksThatReadHaveEnded) {
  Scene scene(jobspec::Framework::kPlain);
  scene.StartBoth();
  scene.Supply("c0", 1);
  journal::JobView view;
  view.state = core::JobState::kRunning;
  view.tasks.push_back({.role = "worker", .index = 0, .state = core::TaskState::kSucceeded});
  view.tasks.push_back({.role = "worker", .index = 1, .state = core::TaskState::kRunning});
  scene.feeds->OnEvent(core::RankExited{{"c0"}, 0, 0, {.code = 0}, {}, {}});
  scene.feeds->OnPassDone(view, false);
  EXPECT_THAT(scene.Replies(1), IsEmpty());
  view.tasks[1].state = core::TaskState::kFailed;
  scene.feeds->OnEvent(core::TaskEnded{{"c1"}, 0, {}});
  scene.feeds->OnPassDone(view, false);
  ASSERT_EQ(scene.Replies(1).size(), 1u);
  EXPECT_TRUE(scene.Replies(1)[0].over());
}

TEST(Feeds, OnlyTheOwnersReportEventsOfAReader) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  const feed::OpenPass open = scene.Opened("c0");
  scene.Report("c1", feed::ReaderOpened{open.reader, 0, 1});
  scene.Report("c0", feed::ReaderOpened{open.reader, 0, 2});
  scene.Report("c1", feed::ReaderOpened{scene.Opened("c1").reader, 0, 2});
  EXPECT_THAT(scene.Failures("c0"), IsEmpty()) << "the batch sizes do not differ";
  scene.Report("c1", feed::ReaderOpened{scene.Opened("c1").reader, 0, 3});
  EXPECT_THAT(scene.Failures("c0"), ElementsAre(HasSubstr("batches of 3")));
  EXPECT_EQ(scene.Failures("c1").size(), 1u);
  EXPECT_EQ(scene.failed, "") << "the job continues";
}

TEST(Feeds, ReportOfATaskThatIsLostIsNotConfirmed) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  const feed::ReaderId reader = scene.Opened("c1").reader;
  const feed::StepReported step{reader, 0, 0, 1};
  scene.Confirm(step, 1);
  EXPECT_EQ(scene.Replies(1).back().error(), "");
  scene.feeds->OnContainerGone({"c1"});
  scene.Confirm(step, 2);
  EXPECT_THAT(scene.Replies(2).back().error(), HasSubstr("regards this process as lost"));
  scene.Confirm(feed::CheckpointFound{0, 1}, 3);
  EXPECT_THAT(scene.Replies(3).back().error(), HasSubstr("regards this process as lost"));
  wire::FeedCall point;
  point.set_point(1);
  scene.Call("c1", point, 4);
  EXPECT_THAT(scene.Replies(4).back().error(), HasSubstr("regards this process as lost"));
  for (const uint64_t id : {2, 3, 4}) EXPECT_TRUE(scene.Replies(id).back().replaced()) << id;
}

TEST(Feeds, ReportOfAnEarlierGenerationIsNotConfirmed) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  const feed::ReaderId reader = scene.Opened("c1").reader;
  for (const int index : {0, 1}) scene.Start(index, 1, 1);
  scene.Confirm(feed::StepReported{reader, 0, 0, 1}, 1);
  EXPECT_THAT(scene.Replies(1).back().error(), HasSubstr("regards this process as lost"));
  scene.Confirm(feed::StepReported{scene.Opened("c1").reader, 0, 0, 1}, 2);
  EXPECT_EQ(scene.Replies(2).back().error(), "");
}

TEST(Feeds, DamagedMessagesAreRefused) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  wire::FromExecutor message;
  message.mutable_feed_event()->set_feed("train");
  message.mutable_feed_event()->set_event("\xff\xff");
  EXPECT_TRUE(scene.feeds->OnMessage({"c0"}, message));
  wire::FeedCall call;
  call.set_event("\xff");
  scene.Call("c0", call, 1);
  EXPECT_NE(scene.Replies(1).back().error(), "");
  call.set_event(feed::EncodeEvent(feed::AmResumed{}));
  scene.Call("c0", call, 2);
  EXPECT_NE(scene.Replies(2).back().error(), "");
  EXPECT_FALSE(scene.Replies(2).back().replaced());
  call.set_feed("other");
  scene.Call("c0", call, 3);
  EXPECT_THAT(scene.Replies(3).back().error(), HasSubstr("no feed other"));
  wire::FeedCall nothing;
  scene.Call("c0", nothing, 4);
  EXPECT_NE(scene.Replies(4).back().error(), "");
  nothing.set_supply_ended(true);
  scene.Call("c0", nothing, 5);
  EXPECT_THAT(scene.Replies(5), IsEmpty());
  EXPECT_FALSE(scene.feeds->OnMessage({"c0"}, wire::FromExecutor()));
}

TEST(Feeds, KeyOfASendIsAcceptedOnce) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  scene.BeginReading();
  EXPECT_EQ(scene.Send("a", 1), 0);
  EXPECT_EQ(scene.Send("b", 2), 1);
  EXPECT_EQ(scene.Send("a", 3), 0) << "its rows have not arrived";
  EXPECT_EQ(scene.Send("", 4), 2);
  EXPECT_EQ(scene.Send("", 4), 2) << "the call was repeated";
  EXPECT_EQ(scene.Send("", 5), 3);
  wire::FeedCall ended;
  ended.set_event(feed::EncodeEvent(feed::PartitionEnded{0, 0, 0}));
  scene.Call("c1", ended, 6);
  EXPECT_EQ(scene.Replies(6).back().error(), "");
  EXPECT_EQ(scene.Send("a", 7), -1);
  wire::FeedCall close;
  close.set_close(true);
  scene.Call("c1", close, 8);
  EXPECT_EQ(scene.Replies(8).back().error(), "");
  scene.Send("c", 9);
  EXPECT_THAT(scene.Replies(9).back().error(), HasSubstr("closed"));
}

wire::FeedCall PlanCall(const std::string& text = "") {
  wire::FeedCall call;
  call.mutable_plan()->set_text(text);
  return call;
}

TEST(Feeds, OneProcessMakesThePlanOfTheFiles) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  scene.Call("c0", PlanCall(), 1);
  ASSERT_EQ(scene.Replies(1).size(), 1u);
  EXPECT_TRUE(scene.Replies(1)[0].make());
  scene.Call("c1", PlanCall(), 2);
  EXPECT_THAT(scene.Replies(2), IsEmpty()) << "the plan is being made";
  scene.Call("c0", PlanCall("the files"), 3);
  scene.Call("c1", PlanCall("other files"), 4);
  for (const uint64_t id : {2, 3, 4}) {
    ASSERT_EQ(scene.Replies(id).size(), 1u) << id;
    EXPECT_EQ(scene.Replies(id)[0].plan(), "the files") << id;
    EXPECT_FALSE(scene.Replies(id)[0].make()) << id;
  }
  scene.Begin(true);
  ASSERT_TRUE(scene.feeds->Resume(false).ok());
  scene.Call("c1", PlanCall(), 5);
  EXPECT_EQ(scene.Replies(5).back().plan(), "the files") << "the next AM has the plan";
  scene.Call("c1", PlanCall(std::string(FeedFiles::kLongestPlan + 1, 'x')), 6);
  EXPECT_THAT(scene.Replies(6).back().error(), HasSubstr("use fewer and larger files"));
}

// The point of a new feed after step 3. plan: as in wire::FeedPoint.
std::string PointWith(const std::string& plan) {
  wire::FeedPoint point;
  point.set_rows(feed::Ledger(feed::Options{}).PointAt(3));
  point.set_plan(plan);
  return point.SerializeAsString();
}

TEST(Feeds, PointHasTheFiles) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  scene.Call("c0", PlanCall("the files"), 1);
  wire::FeedCall call;
  call.set_point(3);
  scene.Call("c0", call, 2);
  wire::FeedPoint point;
  ASSERT_TRUE(point.ParseFromString(scene.Replies(2).back().point()));
  EXPECT_EQ(point.plan(), "the files");
  EXPECT_FALSE(point.rows().empty());
}

TEST(Feeds, SourcesGetTheFilesOfTheRestoredCheckpoint) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.spec.feeds[0].from = {"/data"};
  scene.Begin(false);
  scene.StartBoth();
  scene.Supply("c0", 1);
  scene.Report("c0", feed::PointFound{0, 3, PointWith("other files")});
  scene.BeginReading();
  ASSERT_EQ(scene.Replies(1).size(), 1u);
  EXPECT_EQ(scene.Replies(1)[0].plan(), "other files");
  EXPECT_EQ(scene.Replies(1)[0].requested_size(), 1);
  scene.Begin(true);
  for (const int index : {0, 1}) scene.feeds->Replay(scene.OrderOf(index), scene.Peers());
  ASSERT_TRUE(scene.feeds->Resume(false).ok());
  scene.Supply("c1", 2);
  ASSERT_EQ(scene.Replies(2).size(), 1u);
  EXPECT_EQ(scene.Replies(2)[0].plan(), "other files") << "the next AM has the list";
}

TEST(Feeds, PositionInFilesIsRefusedByAnotherSource) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  scene.Report("c0", feed::PointFound{0, 3, PointWith("")});
  EXPECT_THAT(scene.Failures("c0"), IsEmpty());
  Scene other(jobspec::Framework::kPytorch);
  other.StartBoth();
  other.Report("c0", feed::PointFound{0, 3, PointWith("the files")});
  EXPECT_THAT(other.Failures("c1"), ElementsAre(HasSubstr("in the checkpoint of step 3 counts the rows of files")));
}

TEST(Feeds, DamagedPointIsAnError) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  scene.Report("c0", feed::PointFound{0, 3, std::string("\0\0\0", 3)});
  EXPECT_THAT(scene.Failures("c1"), ElementsAre(HasSubstr("in the checkpoint of step 3 is damaged")));
}

TEST(Feeds, ProcessIsNotRestartedForAFeedThatHasFailed) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  const auto no_restart = [&](const std::string& container, ExitStatus exit) {
    core::Event event = core::RankExited{{container}, 0, 0, exit, {}, {}};
    scene.feeds->AddNoRestart(event);
    return std::get<core::RankExited>(event).diagnosis.no_restart;
  };
  EXPECT_EQ(no_restart("c0", {.code = 1}), "");
  scene.Report("c0", feed::SourceFailed{"the source is gone"});
  EXPECT_EQ(no_restart("c0", {.code = 1}), "the feed train has failed");
  EXPECT_EQ(no_restart("c0", {.code = 0}), "");
  EXPECT_EQ(no_restart("other", {.code = 1}), "") << "it reads no feed";
}

TEST(Feeds, AnotherProcessMakesThePlanIfTheFirstOneIsGone) {
  Scene scene(jobspec::Framework::kPytorch, Duration(1));
  scene.StartBoth();
  scene.Supply("c0", 1);
  scene.Call("c0", PlanCall(), 2);
  scene.Call("c1", PlanCall(), 3);
  scene.loop.restart();
  scene.loop.run_one();
  ASSERT_EQ(scene.Replies(3).size(), 1u) << "it asks again after the limit";
  EXPECT_FALSE(scene.Replies(3)[0].make());
  scene.Call("c1", PlanCall(), 4);
  wire::FeedCall ended;
  ended.set_supply_ended(true);
  scene.Call("c0", ended, 1);
  ASSERT_EQ(scene.Replies(4).size(), 1u);
  EXPECT_TRUE(scene.Replies(4)[0].make());
}

TEST(Feeds, PartitionIsReadByTheProcessThatHasClaimedIt) {
  Scene scene(jobspec::Framework::kPlain);
  scene.StartBoth();
  scene.BeginReading();
  const auto ask = [&](const std::string& from, uint64_t id, bool patient = false) {
    wire::FeedCall call;
    call.mutable_ask()->set_near(-1);
    call.mutable_ask()->set_claim(from == "c0" ? 1 : 2);
    call.mutable_ask()->set_patient(patient);
    scene.Call(from, call, id);
    scene.Turn();
    return scene.Replies(id);
  };
  const auto sent = [](const std::vector<wire::FeedReply>& replies) {
    return replies.size() == 1 && feed::DecodeAnswer(replies[0].answer())->what == feed::Answer::What::kSend;
  };
  scene.Supply("c0", 1);
  EXPECT_TRUE(sent(ask("c0", 2)));
  ASSERT_EQ(ask("c1", 3).size(), 1u);
  EXPECT_TRUE(scene.Replies(3)[0].busy());
  EXPECT_TRUE(sent(ask("c0", 4))) << "the claim is its own";
  EXPECT_THAT(ask("c1", 5, /*patient=*/true), IsEmpty());
  scene.feeds->OnDisconnected({"c0"});
  scene.Turn();
  EXPECT_TRUE(sent(scene.Replies(5))) << "the first process is gone";
}

TEST(Feeds, ReceivedBytesAreCountedByTransport) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  scene.BeginReading();
  const feed::ReaderId reader = scene.Opened("c0").reader;
  scene.Report("c0", feed::RowsReceived{reader, 0, 0, {0, 10}, 100}, true);
  scene.Report("c0", feed::RowsReceived{reader, 0, 0, {10, 20}, 20}, false);
  scene.Report("c0", feed::RowsReceived{reader, 0, 0, {20, 30}, 3});  // kept from an earlier pass
  const journal::FeedView view = scene.feeds->View()[0];
  EXPECT_EQ(view.bytes, 123);
  EXPECT_EQ(view.unix_bytes, 100);
  EXPECT_EQ(view.tls_bytes, 20);
}

// The answer changes without an order of the ledger: partition 1 ends, so that reader 1 waits for rows of partition 0.
TEST(Feeds, QuestionForOneReaderIsCheckedAgainAfterEachChange) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.spec.feeds[0].buffer_bytes = 100;
  scene.Begin(false);
  scene.StartBoth();
  scene.BeginReading();
  const auto end = [&](const feed::Event& event, uint64_t id) {
    wire::FeedCall call;
    call.set_event(feed::EncodeEvent(event));
    scene.Call("c0", call, id);
  };
  end(feed::SourceEnded{2}, 1);
  scene.Report("c0", feed::RowsReceived{scene.Opened("c0").reader, 0, 0, {0, 10}, 100});
  wire::FeedCall call;
  call.mutable_ask()->set_reader(0);
  scene.Call("c0", call, 2);
  scene.Turn();
  EXPECT_THAT(scene.Replies(2), IsEmpty());
  end(feed::PartitionEnded{0, 1, 0}, 3);
  for (const std::string container : {"c0", "c1"}) {
    scene.Turn();
    EXPECT_THAT(scene.Replies(2), IsEmpty()) << "not all readers wait for rows";
    scene.Report(container, feed::RowsHandedOut{scene.Opened(container).reader, 0, 0, true});
  }
  scene.Turn();
  ASSERT_EQ(scene.Replies(2).size(), 1u);
  const auto answer = feed::DecodeAnswer(scene.Replies(2)[0].answer());
  EXPECT_EQ(answer->rank, 1);
  EXPECT_GT(answer->limit, 0);
}

TEST(Feeds, FilesThatCannotBeReadFailTheFeed) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  wire::FeedCall call;
  call.set_event(feed::EncodeEvent(feed::SourceFailed{"reading a.parquet: it is damaged"}));
  scene.Call("c0", call, 1);
  EXPECT_EQ(scene.Replies(1).back().error(), "");
  EXPECT_THAT(scene.Failures("c1"), ElementsAre("reading a.parquet: it is damaged"));
}

TEST(Feeds, NextAmContinues) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  scene.BeginReading();
  EXPECT_EQ(scene.Send("a", 1), 0);
  const feed::OpenPass before = scene.Opened("c0");
  scene.Begin(true);
  for (const int index : {0, 1}) scene.feeds->Replay(scene.OrderOf(index), scene.Peers());
  ASSERT_TRUE(scene.feeds->Resume(false).ok());
  scene.sent.clear();
  scene.feeds->OnConnected({"c0"});
  EXPECT_EQ(scene.Opened("c0").reader, before.reader) << "the orders are repeated";
  EXPECT_EQ(scene.Send("a", 2), 0);
  EXPECT_EQ(scene.Send("b", 3), 1);
}

TEST(Feeds, ResumeWithoutTheLogIsAnError) {
  Scene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  scene.feeds->Finish();
  scene.Begin(true);
  scene.feeds->Replay(scene.OrderOf(0), scene.Peers());
  const Status resumed = scene.feeds->Resume(false);
  ASSERT_FALSE(resumed.ok());
  EXPECT_THAT(resumed.error().message, HasSubstr("is missing"));
}

TEST(Feeds, LocationsAreThoseOfTheReaders) {
  Scene scene(jobspec::Framework::kPytorch);
  EXPECT_THAT(*scene.feeds->Locations("train"), IsEmpty());
  scene.StartBoth();
  EXPECT_GT(scene.locations_changed, 0);
  wire::FromExecutor message;
  message.mutable_feed_serves()->set_host("node7");
  message.mutable_feed_serves()->set_port(40123);
  scene.feeds->OnMessage({"c1"}, message);
  EXPECT_THAT(*scene.feeds->Locations("train"), ElementsAre("grpc+unix:///run/0", "grpc+tls://node7:40123"));
  scene.feeds->OnContainerGone({"c0"});
  EXPECT_THAT(*scene.feeds->Locations("train"), ElementsAre("grpc+tls://node7:40123"));
}

}  // namespace
}  // namespace howdah::am
