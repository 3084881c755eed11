// The sockets of a Hub, and rows that move between readers.
#include "howdah/feed/server/hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "test_feeds.h"
#include "test_reader.h"

namespace howdah::feed::server {
namespace {

using testing::HasSubstr;

// --- rows of other readers ---

// Two readers in this executor, of a feed with more readers in others.
class MovesTest : public FeedsTest {
 protected:
  MovesTest() : FeedsTest(OptionsOf(1), 2) { feeds.OnStart(StartOrder(1)); }

  void Order(const Action& action) { feeds.Find("train")->Do(action); }
  // The reader takes rows of a source.
  void Give(int reader, Rows rows) {
    const ReaderId id{reader, 1};
    Order(OpenPass{id, 0});
    Order(GrantCredit{id, 1});
    feeds.FlightHandlers().on_block({"train", 0, 3}, TestSchema(), TestBlock(rows.from, rows.count(), "x"),
                                    [](const Result<PutAnswer>&) {});
    Order(AcceptRows{id, 0, 3, rows, {{0, rows}}, {}, 100});
  }
  Reassign Move(int from, Rows rows) const { return {{1, 1}, 0, from, 0, 3, rows}; }
  std::vector<RowsMoved> Moved() {
    std::vector<RowsMoved> moved;
    for (const auto& message : am.inbox) {
      const auto event = DecodeEvent(message.feed_event().event());
      if (event.ok() && std::holds_alternative<RowsMoved>(*event)) moved.push_back(std::get<RowsMoved>(*event));
    }
    return moved;
  }
};

TEST_F(MovesTest, RowsOfAReaderBesideItAreShared) {
  Give(0, {0, 8});
  Order(OpenPass{{1, 1}, 0});
  Order(Move(0, {2, 6}));
  ASSERT_EQ(Moved().size(), 1U);
  EXPECT_EQ(Moved()[0].reader.rank, 1);
  EXPECT_EQ(store().blocks(), 1U);
  EXPECT_TRUE(gets.empty());
}

TEST_F(MovesTest, RowsOfAnotherExecutorAreFetchedFromIt) {
  Order(OpenPass{{1, 1}, 0});
  Order(Move(5, {2, 6}));
  EXPECT_TRUE(gets.empty()) << "its address is not known";
  wire::ToExecutor message;
  wire::FeedPlace& place = *message.add_feed_places();
  place.set_feed("train");
  place.set_reader(5);
  place.set_host("10.0.0.7");
  place.set_port(4711);
  feeds.OnMessage(message);
  ASSERT_EQ(gets.size(), 1U);
  EXPECT_EQ(gets[0].address.host, "10.0.0.7");
  EXPECT_EQ(gets[0].address.port, 4711);
  EXPECT_EQ(gets[0].token, kTestToken);
  EXPECT_EQ(gets[0].get.rows, (Rows{2, 6}));
  gets[0].on_done(Failed("10.0.0.7:4711: no route"));
  EXPECT_EQ(log.size(), 1U);
  ASSERT_TRUE(RunUntil(loop, [&] { return gets.size() == 2; })) << "it tries again";
  gets[1].on_block(TestSchema(), TestBlock(0, 4, "x"));
  EXPECT_EQ(store().blocks(), 1U) << "it is stored as it arrives";
  gets[1].on_done(Failed("10.0.0.7:4711: the connection was reset"));
  EXPECT_EQ(store().blocks(), 0U) << "the transfer has failed";
  ASSERT_TRUE(RunUntil(loop, [&] { return gets.size() == 3; }));
  gets[2].on_block(TestSchema(), TestBlock(0, 4, "x"));
  gets[2].on_done({});
  EXPECT_EQ(store().blocks(), 0U) << "rows are missing";
  ASSERT_TRUE(RunUntil(loop, [&] { return gets.size() == 4; }));
  gets[3].on_block(TestSchema(), TestBlock(0, 4, "x"));
  gets[3].on_block(TestSchema(), TestBlock(4, 4, "y"));
  EXPECT_TRUE(Moved().empty());
  gets[3].on_done({});
  EXPECT_EQ(Moved().size(), 1U);
  EXPECT_EQ(store().blocks(), 2U);
}

TEST_F(MovesTest, OtherExecutorsGetTheBlocksThatContainTheirRows) {
  Give(0, {0, 8});
  std::vector<ArrowBlock> sent;
  std::optional<Status> finished;
  feeds.FlightHandlers().on_get({"train", 0, 3, {2, 100}},
                                {.send =
                                     [&](const std::string& schema, std::vector<ArrowBlock> blocks) {
                                       EXPECT_EQ(schema, TestSchema());
                                       for (ArrowBlock& block : blocks) sent.push_back(std::move(block));
                                     },
                                 .has_room = [] { return true; },
                                 .when_room = {},
                                 .finish = [&](const Status& status) { finished = status; }});
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].first_row, 0);
  EXPECT_EQ(sent[0].rows, 8);
  EXPECT_EQ(sent[0].body, "x");
  EXPECT_TRUE(finished && finished->ok());
}

TEST_F(MovesTest, RowsThatAreDroppedWhileTheyAreSentEndTheCall) {
  Give(0, {0, 8});
  const ReaderId id{0, 1};
  Order(GrantCredit{id, 1000});
  feeds.FlightHandlers().on_block({"train", 0, 3}, TestSchema(), TestBlock(8, 8, "y"), [](const Result<PutAnswer>&) {});
  Order(AcceptRows{id, 0, 3, {8, 16}, {{8, {8, 16}}}, {}, 200});
  size_t sent = 0;
  std::function<void()> more;
  std::optional<Status> finished;
  feeds.FlightHandlers().on_get({"train", 0, 3, {0, 16}},
                                {.send = [&](const std::string&, const std::vector<ArrowBlock>&) { ++sent; },
                                 .has_room = [&] { return sent == 0 || more; },
                                 .when_room = [&](std::function<void()> function) { more = std::move(function); },
                                 .finish = [&](const Status& status) { finished = status; }});
  ASSERT_TRUE(sent == 1 && more && !finished);
  feeds.OnAttemptEnded();
  wire::Start start = StartOrder(2);
  start.mutable_feeds(0)->set_first(2);
  feeds.OnStart(start);
  more();
  ASSERT_TRUE(finished && !finished->ok());
  EXPECT_EQ(finished->error().code, ErrorCode::kNotFound);
  EXPECT_EQ(sent, 1U);
}

TEST_F(MovesTest, ReadersThatLeaveTheExecutorAreForgotten) {
  Give(0, {0, 8});
  feeds.OnAttemptEnded();
  EXPECT_EQ(store().blocks(), 1U) << "kept for the restart";
  wire::Start start = StartOrder(2);
  start.mutable_feeds(0)->set_first(2);
  feeds.OnStart(start);
  EXPECT_EQ(store().blocks(), 0U);
}

// --- sockets ---

class HubTest : public testing::Test {
 protected:
  HubTest() {
    Hub::Settings settings;
    settings.feeds = {{"train", {}, false, 0}};
    settings.socket_directory = scratch / "sockets";
    settings.spool_directory = scratch.path();
    auto started =
        Hub::Start(loop, settings,
                   {[this](const wire::FromExecutor& message) { sent.push_back(message); }, [](const std::string&) {}});
    EXPECT_TRUE(started.ok()) << started.error().message;
    hub = std::move(*started);
  }
  void StartAttempt(int attempt) {
    wire::ToExecutor message;
    message.mutable_start()->set_attempt(attempt);
    wire::FeedReaders& readers = *message.mutable_start()->add_feeds();
    readers.set_feed("train");
    readers.set_readers(1);
    wire::FeedOrder& order = *message.add_feed_orders();
    order.set_feed("train");
    order.set_action(EncodeAction(OpenPass{{0, attempt}, 0}));
    hub->OnStart(message.start());
    hub->OnMessage(message);
  }

  os::files::Scratch scratch;
  boost::asio::io_context loop;
  std::vector<wire::FromExecutor> sent;
  std::unique_ptr<Hub> hub;
};

TEST_F(HubTest, SocketsAreClosedToOtherUsersAndRemovedAtTheEnd) {
  EXPECT_EQ(os::files::ModeOf(scratch / "sockets"), 0700U);
  EXPECT_EQ(hub->reader_path(), scratch / "sockets/read");
  hub->OnRegistered();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].feed_serves().unix_path(), scratch / "sockets/flight");
  EXPECT_EQ(sent[0].feed_serves().port(), 0U);
  EXPECT_TRUE(sent[1].has_feed_log_tails()) << "the AM waits for them";
  EXPECT_NE(os::files::ModeOf(scratch / "sockets/flight"), 0U);
  hub.reset();
  EXPECT_EQ(os::files::ModeOf(scratch / "sockets"), 0U);
}

TEST_F(HubTest, ProcessOpensAFeedAndLosesItAtTheEndOfTheAttempt) {
  TestProcess process(hub->reader_path());
  StartAttempt(1);
  process.Send(R"({"id": 1, "open": "train", "local_rank": 0, "attempt": 1})");
  EXPECT_EQ(process.Await(loop).json["pass"], 0);
  process.Send(R"({"id": 2, "next": {"pass": 0, "rows": 4, "returned": 0}})");
  process.Send(R"({"id": 3, "checkpointed": 4})");
  EXPECT_EQ(process.Await(loop).json["id"], 3) << "it does not wait for the batch";
  hub->OnAttemptEnded();
  EXPECT_TRUE(process.Await(loop).json.is_null()) << "the connection is closed";
}

TEST_F(HubTest, DirectoryOfAnotherUserIsNotUsed) {
  Hub::Settings settings;
  settings.socket_directory = scratch / "sockets";  // it exists
  const auto again = Hub::Start(loop, settings, {[](const wire::FromExecutor&) {}, [](const std::string&) {}});
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.error().message, HasSubstr("for the sockets of the job's feeds: File exists"));
  EXPECT_EQ(os::files::ModeOf(scratch / "sockets"), 0700U) << "it must stay";
}

}  // namespace
}  // namespace howdah::feed::server
