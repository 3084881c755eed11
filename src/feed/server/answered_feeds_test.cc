// How requests and calls reach a feed with answers, beside a feed that has none.
#include "answered_feeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "howdah/feed/messages.h"
#include "howdah/os/files/testing.h"
#include "local_feeds.h"
#include "test_flight.h"

namespace howdah::feed::server {
namespace {

using testing::HasSubstr;
using TestJson = nlohmann::json;

class AnsweredFeedsTest : public testing::Test {
 protected:
  AnsweredFeedsTest()
      : settings{.feeds = {{.name = "train"}, {.name = "ask", .answers = true}},
                 .socket_directory = scratch / "s",
                 .spool_directory = scratch.path()},
        feeds(loop, settings, {[](const wire::FromExecutor&) {}, [](const std::string&) {}},
              [](const FlightAddress&, const std::string&, const GetTarget&, const auto&, const auto&) {}) {}

  void Start(int attempt) {
    wire::Start start;
    start.set_attempt(attempt);
    for (const char* name : {"train", "ask"}) {
      wire::FeedReaders& readers = *start.add_feeds();
      readers.set_feed(name);
      readers.set_readers(1);
      readers.set_token(std::string("token of ") + name);
    }
    feeds.OnStart(start);
  }
  // The newest reply to the connection, after this request.
  TestJson Send(ConnectionId connection, const std::string& request) {
    feeds.OnRequest(connection, request, os::files::Fd(), [this, connection](const ReaderReply& reply) {
      replies[connection] = TestJson::parse(reply.front().text);
    });
    return replies[connection];
  }
  static std::string MessageOf(const TestJson& reply) {
    return reply.contains("error") ? reply["error"]["message"].get<std::string>() : "no error: " + reply.dump();
  }
  std::optional<Status> OpenCall(uint64_t id, const std::string& feed) {
    std::optional<Status>& ended = finished[id];
    handlers.exchanges.on_exchange(
        id, feed,
        {.read = [] {},
         .send = [this](const std::string& line, const std::string&) { lines.push_back(line); },
         .finish = [&ended](const Status& status) { ended = status; }});
    return ended;
  }

  boost::asio::io_context loop;
  os::files::Scratch scratch;
  Hub::Settings settings;
  LocalFeeds feeds;
  FlightServer::Handlers handlers = feeds.FlightHandlers();
  std::map<ConnectionId, TestJson> replies;
  std::map<uint64_t, std::optional<Status>> finished;  // by call
  std::vector<std::string> lines;
};

constexpr char kServe[] = R"({"serve": "ask", "local_rank": 0, "attempt": 1})";

TEST_F(AnsweredFeedsTest, TokensAreThoseOfTheirFeeds) {
  EXPECT_FALSE(handlers.has_tokens());
  EXPECT_FALSE(handlers.authorize("ask", ""));
  Start(1);
  EXPECT_TRUE(handlers.has_tokens());
  EXPECT_TRUE(handlers.is_token("token of ask"));
  EXPECT_TRUE(handlers.authorize("ask", "token of ask"));
  EXPECT_FALSE(handlers.authorize("ask", "token of train"));
  EXPECT_FALSE(handlers.authorize("train", "token of ask"));
}

TEST_F(AnsweredFeedsTest, QuestionReachesTheConnectionThatServes) {
  Start(1);
  EXPECT_EQ(Send(7, kServe), TestJson({{"feed", "ask"}}));
  EXPECT_FALSE(OpenCall(11, "ask"));
  handlers.exchanges.on_question(11, TestSchema(), TestBlock(0, 2, "rows"));
  const TestJson taken = Send(7, R"({"id": 3, "take": true})");
  EXPECT_EQ(taken["id"], 3);
  EXPECT_EQ(taken["exchange"], 11);
  EXPECT_EQ(Send(7, R"({"refuse": )" + taken["question"].dump() + R"(, "message": "no"})"), TestJson::object());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], HasSubstr("\"error\":\"no\""));
  handlers.exchanges.on_question(11, TestSchema(), TestBlock(1, 2, "rows"));
  feeds.OnClosed(7);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[1], HasSubstr("\"lost\""));
  handlers.on_cancelled(11);
}

TEST_F(AnsweredFeedsTest, OtherRequestsAreRefusedWithTheReason) {
  Start(1);
  EXPECT_THAT(MessageOf(Send(1, R"({"serve": "train", "local_rank": 0, "attempt": 1})")),
              HasSubstr("'train' is not a feed with answers. The job has the feeds with answers ask"));
  EXPECT_THAT(MessageOf(Send(1, R"({"take": true})")), HasSubstr("and serves none"));
  EXPECT_THAT(MessageOf(Send(1, R"({"open": "ask", "local_rank": 0, "attempt": 1})")),
              HasSubstr("ask has answers, and must be served instead"));
  EXPECT_EQ(Send(1, R"({"serve": "ask", "local_rank": 0, "attempt": 0})")["error"]["kind"], "FeedStopped");
  EXPECT_THAT(MessageOf(Send(1, R"({"serve": "ask", "local_rank": 1, "attempt": 1})")), HasSubstr("does not answer"));
  EXPECT_EQ(Send(1, R"({"serve": null, "local_rank": 0, "attempt": 1})")["feed"], "ask");
  EXPECT_THAT(MessageOf(Send(1, kServe)), HasSubstr("for which there are the requests take, answer and refuse"));
  EXPECT_THAT(MessageOf(Send(1, R"({"stop": true})")), HasSubstr("serves the feed 'ask'"));
}

TEST_F(AnsweredFeedsTest, RowsAndQuestionsAreNotConfused) {
  Start(1);
  const auto exchanged = OpenCall(11, "train");
  ASSERT_TRUE(exchanged);
  EXPECT_THAT(exchanged->error().message, HasSubstr("the feed train has no answers"));
  std::string refused;
  handlers.on_block({"ask", 0, 0}, TestSchema(), TestBlock(0, 1, "x"),
                    [&](const Result<PutAnswer>& answer) { refused = answer.error().message; });
  EXPECT_THAT(refused, HasSubstr("ask with DoExchange"));
}

TEST_F(AnsweredFeedsTest, OrderOfTheAmStopsTheFeed) {
  Start(1);
  Send(7, kServe);
  wire::ToExecutor message;
  wire::FeedOrder& order = *message.add_feed_orders();
  order.set_feed("ask");
  order.set_action(EncodeAction(EndFeed{}));
  feeds.OnMessage(message);
  EXPECT_EQ(Send(7, R"({"take": true})")["error"]["kind"], "FeedStopped");
  EXPECT_TRUE(OpenCall(11, "ask"));
  feeds.OnClosed(7);
  feeds.OnAttemptEnded();
  Start(2);
  EXPECT_FALSE(OpenCall(12, "ask")) << "the AM repeats the order if it applies to the next attempt";
}

}  // namespace
}  // namespace howdah::feed::server
