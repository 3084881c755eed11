#include "feed_tails.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/feed/messages.h"
#include "test_feeds.h"

namespace howdah::am {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The AM may be started on another node.
struct MovingScene : FeedScene {
  explicit MovingScene(jobspec::Framework framework) : FeedScene(framework, std::chrono::hours(1), /*am_moves=*/true) {}
};

TEST(FeedTails, ExecutorsReturnTheTailOfTheLog) {
  MovingScene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  const std::string copy = scene.Log();
  scene.BeginReading();
  EXPECT_EQ(scene.Send("a", 1), 0);
  scene.Confirm(feed::PartitionEnded{0, 3, 5}, 2);
  const wire::FromExecutor tails[] = {scene.TailsOf("c0"), scene.TailsOf("c1")};
  EXPECT_GT(tails[0].feed_log_tails().tails(0).term(), 0);
  EXPECT_EQ(tails[0].SerializeAsString(), tails[1].SerializeAsString()) << "what was confirmed is known to all";
  const feed::OpenPass before = scene.Opened("c0");
  scene.MoveAm(copy);
  scene.sent.clear();
  scene.feeds->OnConnected({"c0"});
  EXPECT_TRUE(scene.feeds->OnMessage({"c0"}, tails[0]));
  scene.Serve();
  for (const int index : {0, 1}) scene.Start(index);  // the core repeats its orders
  scene.feeds->OnConnected({"c1"});
  scene.Ask(3);
  scene.Turn();
  EXPECT_THAT(scene.sent, IsEmpty()) << "c1 may have seen more";
  EXPECT_TRUE(scene.feeds->OnMessage({"c1"}, tails[1]));
  EXPECT_EQ(scene.Opened("c0").reader, before.reader) << "the orders are repeated";
  EXPECT_THAT(scene.Failures("c1"), IsEmpty());
  scene.Turn();
  ASSERT_EQ(scene.Replies(3).size(), 1u) << "messages that came earlier are handled";
  EXPECT_EQ(scene.Send("a", 4), 0);
  EXPECT_EQ(scene.Send("b", 5), 1);
  // c1 has records of the new term, and continues with them.
  EXPECT_GT(scene.TailsOf("c1").feed_log_tails().tails(0).term(), tails[1].feed_log_tails().tails(0).term());
}

TEST(FeedTails, ExecutorThatHasSeenLostRecordsFails) {
  MovingScene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  const std::string copy = scene.Log();
  const wire::FromExecutor before = scene.TailsOf("c0");
  scene.BeginReading();
  EXPECT_EQ(scene.Send("a", 1), 0);
  wire::FromExecutor after = scene.TailsOf("c1");
  after.mutable_feed_log_tails()->mutable_tails(0)->mutable_records()->DeleteSubrange(0, 6);
  after.mutable_feed_log_tails()->mutable_tails(0)->set_first(after.feed_log_tails().tails(0).first() + 6);
  scene.MoveAm(copy);
  scene.sent.clear();
  for (const std::string container : {"c0", "c1"}) {
    scene.feeds->OnConnected({container});
    EXPECT_TRUE(scene.feeds->OnMessage({container}, container == "c0" ? before : after));
  }
  EXPECT_THAT(scene.Failures("c0"), IsEmpty());
  EXPECT_THAT(scene.Failures("c1"), ElementsAre(HasSubstr("another node")));
  scene.Confirm(feed::StepReported{{1, 1}, 0, 1, 1}, 2);
  ASSERT_EQ(scene.Replies(2).size(), 1u);
  EXPECT_THAT(scene.Replies(2)[0].error(), HasSubstr("another node")) << "its checkpoint must not become visible";
  wire::FeedCall point;
  point.set_point(1);
  scene.Call("c0", point, 3);
  ASSERT_EQ(scene.Replies(3).size(), 1u);
  EXPECT_THAT(scene.Replies(3)[0].error(), HasSubstr("another node")) << "nor that of a rank that restarts with it";
  EXPECT_TRUE(scene.Replies(2)[0].replaced() && scene.Replies(3)[0].replaced());
}

TEST(FeedTails, LostExecutorIsNotAwaited) {
  MovingScene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  const std::string copy = scene.Log();
  const wire::FromExecutor tails = scene.TailsOf("c0");
  scene.MoveAm(copy);
  scene.sent.clear();
  scene.feeds->OnConnected({"c1"});
  scene.feeds->OnConnected({"c0"});
  EXPECT_TRUE(scene.feeds->OnMessage({"c0"}, tails));
  EXPECT_THAT(scene.sent, IsEmpty());
  scene.feeds->OnContainerGone({"c1"});
  EXPECT_EQ(scene.Opened("c0").reader.rank, 0);
  EXPECT_EQ(scene.Opened("c1").reader.rank, -1);
}

TEST(FeedTails, WaitForTailsHasALimit) {
  MovingScene scene(jobspec::Framework::kPytorch);
  scene.spec.timeouts.heartbeat = Duration(500);
  scene.StartBoth();
  const wire::FromExecutor tails = scene.TailsOf("c0");
  scene.MoveAm(scene.Log());
  scene.sent.clear();
  scene.feeds->OnConnected({"c0"});
  EXPECT_TRUE(scene.feeds->OnMessage({"c0"}, tails));
  EXPECT_THAT(scene.sent, IsEmpty());
  scene.loop.restart();
  while (scene.sent.empty()) scene.loop.run_one();
  EXPECT_EQ(scene.Opened("c0").reader.rank, 0);
  scene.sent.clear();
  scene.feeds->OnConnected({"c1"});
  EXPECT_THAT(scene.Failures("c1"), ElementsAre(HasSubstr("another node")));
}

TEST(FeedTails, OnlyTheFailedReaderCompletesNoCheckpointIfRanksRestartAlone) {
  MovingScene scene(jobspec::Framework::kPlain);
  scene.StartBoth();
  wire::FromExecutor unknown = scene.TailsOf("c0");
  unknown.mutable_feed_log_tails()->mutable_tails(0)->set_term(1);
  const wire::FromExecutor tails = scene.TailsOf("c1");
  scene.MoveAm(scene.Log());
  EXPECT_TRUE(scene.feeds->OnMessage({"c0"}, unknown));
  EXPECT_TRUE(scene.feeds->OnMessage({"c1"}, tails));
  wire::FeedCall point;
  point.set_point(1);
  for (const uint64_t id : {0, 1}) {
    scene.Call("c" + std::to_string(id), point, id);
    ASSERT_EQ(scene.Replies(id).size(), 1u);
    EXPECT_EQ(scene.Replies(id)[0].replaced(), id == 0) << scene.Replies(id)[0].error();
  }
}

TEST(FeedTails, NextAttemptOfAFailedReaderReads) {
  MovingScene scene(jobspec::Framework::kPlain);
  scene.StartBoth();
  wire::FromExecutor unknown = scene.TailsOf("c0");
  unknown.mutable_feed_log_tails()->mutable_tails(0)->set_term(1);
  const wire::FromExecutor tails = scene.TailsOf("c1");
  scene.MoveAm(scene.Log());
  scene.sent.clear();
  scene.feeds->OnConnected({"c0"});
  EXPECT_TRUE(scene.feeds->OnMessage({"c0"}, unknown));
  EXPECT_TRUE(scene.feeds->OnMessage({"c1"}, tails));
  EXPECT_THAT(scene.Failures("c0"), ElementsAre(HasSubstr("another node")));
  EXPECT_THAT(scene.Failures("c1"), IsEmpty());
  scene.feeds->OnEvent(core::TaskEnded{{"c0"}, 0, {}});
  scene.Start(0, 1);
  EXPECT_EQ(scene.Opened("c0").reader.rank, 0) << "its next attempt reads";
}

TEST(FeedTails, NumbersThatLostRecordsHaveGivenAreNotUsedAgain) {
  MovingScene scene(jobspec::Framework::kPlain);
  scene.StartBoth();
  const std::string copy = scene.Log();
  const wire::FromExecutor tails = scene.TailsOf("c1");
  scene.feeds->OnEvent(core::TaskEnded{{"c0"}, 0, {}});
  scene.Start(0, 1);
  const int64_t seen = scene.Opened("c0").reader.incarnation;
  wire::FromExecutor unknown = scene.TailsOf("c0");
  unknown.mutable_feed_log_tails()->mutable_tails(0)->set_term(1);
  scene.MoveAm(copy);
  scene.sent.clear();
  EXPECT_TRUE(scene.feeds->OnMessage({"c0"}, unknown));
  EXPECT_TRUE(scene.feeds->OnMessage({"c1"}, tails));
  scene.feeds->OnEvent(core::TaskEnded{{"c0"}, 0, {}});
  scene.Start(0, 2);
  EXPECT_GT(scene.Opened("c0").reader.incarnation, seen) << "the executor ignores readers that it has had";
}

TEST(FeedTails, StartEndsTheWaitForTails) {
  MovingScene scene(jobspec::Framework::kPytorch);
  scene.StartBoth();
  const feed::OpenPass before = scene.Opened("c0");
  scene.MoveAm(scene.Log());
  scene.sent.clear();
  EXPECT_EQ(scene.Start(0, 1, 1)[0].generation(), 1);
  EXPECT_GT(scene.Opened("c0").reader.incarnation, before.reader.incarnation);
}

}  // namespace
}  // namespace howdah::am
