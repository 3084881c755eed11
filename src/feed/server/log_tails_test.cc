#include "log_tails.h"

#include <gtest/gtest.h>

namespace howdah::feed::server {
namespace {

TEST(LogTails, NextAmGetsTheRecordsOfAllFeeds) {
  LogTails tails;
  EXPECT_TRUE(tails.Message().has_feed_log_tails()) << "the AM waits for the message, even if there is no record";
  EXPECT_EQ(tails.Message().feed_log_tails().tails_size(), 0);
  const auto take = [&tails](const char* feed, int64_t first, const char* record) {
    wire::ToExecutor message;
    wire::FeedLogTail& tail = *message.add_feed_log_tails();
    tail.set_feed(feed);
    tail.set_term(7);
    tail.set_first(first);
    tail.add_records(record);
    tails.OnMessage(message);
  };
  take("train", 3, "a");
  take("val", 0, "x");
  take("train", 4, "b");
  const wire::FromExecutor message = tails.Message();
  ASSERT_EQ(message.feed_log_tails().tails_size(), 2);
  const wire::FeedLogTail& train = message.feed_log_tails().tails(0);
  EXPECT_EQ(train.feed(), "train");
  EXPECT_EQ(train.term(), 7);
  EXPECT_EQ(train.first(), 3);
  ASSERT_EQ(train.records_size(), 2);
  EXPECT_EQ(train.records(0), "a");
  EXPECT_EQ(train.records(1), "b");
  EXPECT_EQ(message.feed_log_tails().tails(1).feed(), "val");
}

}  // namespace
}  // namespace howdah::feed::server
