// The feeds of a task with real processes.
#include "task_feeds.h"

#include <gmock/gmock.h>

#include "task_fixture.h"

namespace howdah::executor {
namespace {

using testing::StartsWith;

// Receives the messages that follow a Register.
void ExpectServes(Task& task) {
  const auto message = task.Receive();
  ASSERT_TRUE(message && message->has_feed_serves()) << (message ? Shown(*message) : "nothing");
  EXPECT_EQ(message->feed_serves().unix_path(), task.scratch / "feed/flight");
  EXPECT_EQ(message->feed_serves().port(), 0U) << "all sources are on this machine";
  const auto tails = task.Receive();
  EXPECT_TRUE(tails && tails->has_feed_log_tails()) << (tails ? Shown(*tails) : "nothing");
}

TEST(TaskFeeds, ProcessesFindTheSocketOfTheFeeds) {
  Task task;
  task.spec.feeds.resize(1);
  task.spec.feeds[0].name = "train";
  task.options.feed_socket_dir = task.scratch / "feed";
  task.options.load_identity = [] { return Result<rpc::Identity>(rpc::Identity()); };
  task.role().command.shell = "test -S \"$HOWDAH_FEED\" && echo \"$HOWDAH_FEED\"";
  task.Launch();
  ExpectServes(task);
  task.Welcome();
  task.LoseAm();
  task.TakeOver(-1);
  ExpectServes(task);
  task.Welcome();
  EXPECT_EQ(task.RunAttempt(0).code(), 0);
  EXPECT_EQ(task.Log("0/stdout"), task.scratch / "feed/read\n");
  task.Leave();
  EXPECT_EQ(task.Wait(), 0);
}

TEST(TaskFeeds, JobWithoutFeedsHasNoSocket) {
  Task task("test -z \"$HOWDAH_FEED\"");
  EXPECT_EQ(task.RunAttempt(0).code(), 0);
}

TEST(TaskFeeds, DirectoryOfTheSocketsIsShortAndNew) {
  const std::string first = FeedSocketDirectory("/work"), second = FeedSocketDirectory("/work");
  EXPECT_THAT(first, StartsWith("/tmp/howdah-"));
  EXPECT_LE(first.size(), 90U);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace howdah::executor
