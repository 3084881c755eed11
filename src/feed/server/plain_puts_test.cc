#include "plain_puts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/feed/messages.h"
#include "test_feeds.h"
#include "test_flight.h"

namespace howdah::feed::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The AM and two readers: reader 0 is in this executor, and reader 1 in another one. Records what they receive.
struct Scene {
  struct Placed {
    int reader = 0;
    PutTarget target;
    int64_t first_row = 0, rows = 0;
    PlainPuts::OnAnswer answer;
  };

  Scene() {
    PlainPuts::Ports ports;
    ports.near = [](const std::string&) { return 0; };
    ports.put_here = [this](const PutTarget& target, const std::string&, const ArrowBlock& block,
                            const PlainPuts::OnAnswer& answer) {
      if (target.reader != 0) return false;
      placed.push_back({0, target, block.first_row, block.rows, answer});
      return true;
    };
    ports.open = [this](const FlightAddress& address, const PutTarget& target, const std::string&) {
      opened.push_back(address.unix_path);
      return [this, target](const ArrowBlock& block, const PlainPuts::OnAnswer& answer) {
        placed.push_back({1, target, block.first_row, block.rows, answer});
      };
    };
    puts.emplace(loop, calls, std::move(ports));
  }

  void Begin(uint64_t id) {
    puts->FlightHandlers().on_begin(id, "live", "ipv4:10.0.0.7:5000", [this](const Status& result) {
      finished.push_back(result.ok() ? "" : result.error().message);
    });
  }
  void Block(uint64_t id, int64_t first_row, int64_t rows) {
    puts->FlightHandlers().on_block(
        id, TestSchema(), TestBlock(first_row, rows, "12345678"),
        [this](const Result<int64_t>& answer) { answers.push_back(answer.ok() ? *answer : -1); });
  }
  // The newest call of the executor to the AM.
  const wire::FeedCall& Last() const { return sent.back().feed_call(); }
  void Reply(const wire::FeedCall& to, wire::FeedReply reply) {
    reply.set_id(to.id());
    calls.OnMessage(reply);
  }
  // Begins a call and gives it a partition. Returns its supply call.
  wire::FeedCall BeginPartition(uint64_t id, int64_t partition) {
    Begin(id);
    wire::FeedReply number;
    number.set_partition(partition);
    Reply(wire::FeedCall(Last()), number);
    return Last();
  }
  void AnswerAsk(const Answer& answer) {
    ASSERT_TRUE(Last().has_ask());
    wire::FeedReply reply;
    reply.set_answer(EncodeAnswer(answer));
    reply.set_path("/run/" + std::to_string(answer.rank));
    Reply(wire::FeedCall(Last()), reply);
  }
  void SendTo(int rank) { AnswerAsk({.what = Answer::What::kSend, .missing = {{0, kMostRows}}, .rank = rank}); }
  std::optional<PartitionEnded> Ended() const {
    for (const wire::FromExecutor& message : sent) {
      if (message.feed_call().event().empty()) continue;
      return std::get<PartitionEnded>(*DecodeEvent(message.feed_call().event()));
    }
    return std::nullopt;
  }

  boost::asio::io_context loop;
  std::vector<wire::FromExecutor> sent;
  FeedCalls calls{[this](const wire::FromExecutor& message) { sent.push_back(message); }};
  std::vector<Placed> placed;
  std::vector<std::string> opened, finished;
  std::vector<int64_t> answers;
  std::optional<PlainPuts> puts;
};

TEST(PlainPuts, EachCallIsAPartitionThatEndsWithIt) {
  Scene scene;
  const wire::FeedCall supply = scene.BeginPartition(7, 4);
  EXPECT_EQ(supply.supply().name(), "an Arrow Flight client at ipv4:10.0.0.7:5000");
  scene.Block(7, 0, 3);
  EXPECT_EQ(scene.Last().ask().partition(), 4);
  EXPECT_EQ(scene.Last().ask().near(), 0);
  scene.SendTo(0);
  ASSERT_EQ(scene.placed.size(), 1u);
  EXPECT_EQ(scene.placed[0].target, (PutTarget{"live", 0, 4, 0}));
  EXPECT_THAT(scene.answers, IsEmpty()) << "the ledger has not accepted the rows yet";
  scene.placed[0].answer(PutAnswer::kAcknowledged);
  EXPECT_THAT(scene.answers, ElementsAre(3));
  scene.Block(7, 3, 2);
  scene.SendTo(1);
  EXPECT_THAT(scene.opened, ElementsAre("/run/1"));
  EXPECT_EQ(scene.placed.back().reader, 1);
  scene.placed.back().answer(PutAnswer::kAcknowledgedNoCredit);
  EXPECT_THAT(scene.answers, ElementsAre(3, 5));
  scene.puts->FlightHandlers().on_end(7);
  ASSERT_TRUE(scene.Ended());
  EXPECT_EQ(scene.Ended()->partition, 4);
  EXPECT_EQ(scene.Ended()->rows, 5);
  EXPECT_THAT(scene.finished, IsEmpty()) << "the AM has not confirmed the end";
  scene.Reply(wire::FeedCall(scene.Last()), {});
  EXPECT_THAT(scene.finished, ElementsAre(""));
  EXPECT_TRUE(scene.Last().supply_ended());
  EXPECT_EQ(scene.calls.open(), 0u);
}

TEST(PlainPuts, BlockWaitsUntilAReaderTakesIt) {
  Scene scene;
  scene.BeginPartition(7, 0);
  scene.Block(7, 0, 3);
  scene.AnswerAsk({.what = Answer::What::kWait});
  EXPECT_TRUE(scene.Last().has_ask()) << "asks again";
  scene.SendTo(0);
  scene.placed[0].answer(PutAnswer::kRefused);
  scene.SendTo(1);
  scene.placed[1].answer(Error{ErrorCode::kUnavailable, "the executor is gone"});
  EXPECT_EQ(scene.placed.size(), 2u) << "pauses";
  scene.loop.run();
  scene.SendTo(1);
  EXPECT_EQ(scene.opened.size(), 2u) << "over a new connection";
  scene.placed[2].answer(PutAnswer::kAcknowledged);
  EXPECT_THAT(scene.answers, ElementsAre(3));
}

TEST(PlainPuts, BlockWhoseAnswerWasLostIsNotSentTwice) {
  Scene scene;
  scene.BeginPartition(7, 0);
  scene.Block(7, 0, 3);
  scene.SendTo(1);
  scene.placed[0].answer(Error{ErrorCode::kTimeout, "no answer"});
  scene.loop.run();
  scene.AnswerAsk({.what = Answer::What::kSend, .missing = {{3, kMostRows}}, .rank = 1});
  EXPECT_EQ(scene.placed.size(), 1u);
  EXPECT_THAT(scene.answers, ElementsAre(3));
}

// The rows that the job has accepted stay. No row may follow the end of the partition.
TEST(PlainPuts, CallThatIsBrokenOffEndsItsPartitionAfterTheAcceptedRows) {
  struct Row {
    const char* what;
    bool offered;  // a reader has the second block when the client is gone
    int64_t rows;
  };
  for (const Row& row : {Row{"while a block waits", false, 3}, Row{"while a reader has a block", true, 5}}) {
    Scene scene;
    scene.BeginPartition(7, 0);
    scene.Block(7, 0, 3);
    scene.SendTo(0);
    scene.placed[0].answer(PutAnswer::kAcknowledged);
    scene.Block(7, 3, 2);
    if (row.offered) scene.SendTo(0);
    scene.puts->OnCancelled(7);
    if (row.offered) {
      EXPECT_FALSE(scene.Ended()) << row.what;
      scene.placed[1].answer(PutAnswer::kAcknowledged);
    }
    ASSERT_TRUE(scene.Ended()) << row.what;
    EXPECT_EQ(scene.Ended()->rows, row.rows) << row.what;
    scene.Reply(wire::FeedCall(scene.Last()), {});
    EXPECT_EQ(scene.puts->open(), 0u) << row.what;
    EXPECT_EQ(scene.answers.size(), 2u) << row.what << ": each block has an answer";
  }
}

TEST(PlainPuts, ClientGoneBeforeItsNumberLeavesAnEmptyPartition) {
  Scene scene;
  scene.Begin(7);
  scene.puts->OnCancelled(7);
  wire::FeedReply number;
  number.set_partition(2);
  scene.Reply(wire::FeedCall(scene.Last()), number);
  ASSERT_TRUE(scene.Ended());
  EXPECT_EQ(scene.Ended()->partition, 2);
  EXPECT_EQ(scene.Ended()->rows, 0);
}

TEST(PlainPuts, EndOfTheFeedEndsTheCall) {
  struct Row {
    const char* what;
    std::function<void(Scene&, const wire::FeedCall& supply)> end;
    const char* message;
  };
  const Row rows[] = {
      {"over",
       [](Scene& scene, const wire::FeedCall& supply) {
         wire::FeedReply over;
         over.set_over(true);
         scene.Reply(supply, over);
       },
       "no further rows of the feed live are wanted"},
      {"failed",
       [](Scene& scene, const wire::FeedCall& supply) {
         wire::FeedReply failed;
         failed.set_failed("batch sizes differ");
         scene.Reply(supply, failed);
       },
       "the feed live has failed: batch sizes differ"},
      {"an answer", [](Scene& scene, const wire::FeedCall&) { scene.AnswerAsk({.what = Answer::What::kOver}); },
       "no further rows"},
      {"no memory",
       [](Scene& scene, const wire::FeedCall&) {
         scene.SendTo(0);
         scene.placed[0].answer(Error{ErrorCode::kNoSpace, "the disk is full"});
         scene.Reply(wire::FeedCall(scene.Last()), {});
       },
       "the disk is full"},
  };
  for (const Row& row : rows) {
    Scene scene;
    const wire::FeedCall supply = scene.BeginPartition(7, 0);
    scene.Block(7, 0, 3);
    row.end(scene, supply);
    EXPECT_THAT(scene.finished, ElementsAre(HasSubstr(row.message))) << row.what;
    EXPECT_EQ(scene.calls.open(), 0u) << row.what;
    EXPECT_THAT(scene.answers, ElementsAre(-1)) << row.what;
  }
}

TEST(PlainPuts, ClosedFeedRefusesTheCall) {
  Scene scene;
  scene.Begin(7);
  wire::FeedReply closed;
  closed.set_error("the feed live is closed; send before close()");
  scene.Reply(wire::FeedCall(scene.Last()), closed);
  EXPECT_THAT(scene.finished, ElementsAre(HasSubstr("closed")));
}

// An executor with two processes, whose readers have room for one block each.
class TwoReadersTest : public FeedsTest {
 protected:
  TwoReadersTest() : FeedsTest({.buffer = 50}, 2) {
    StartAttempt(1);
    for (const int rank : {0, 1}) {
      processes[rank] = Open(rank + 1, rank);
      Send(processes[rank], Next(0, 2, 0));
    }
  }
  std::optional<PutAnswer> PutFor(int reader, Rows rows) {
    std::optional<PutAnswer> answer;
    feeds.FlightHandlers().on_block({"train", 0, 5, reader}, TestSchema(),
                                    TestBlock(rows.from, rows.count(), std::string(100, 'x')),
                                    [&answer](const Result<PutAnswer>& result) { answer = result.value(); });
    am.Handle(feeds);
    return answer;
  }
  // The reader that received each block of rows, in the order of arrival.
  std::vector<int> Receivers() const {
    std::vector<int> ranks;
    for (const RowsReceived& event : am.Received<RowsReceived>()) ranks.push_back(event.reader.rank);
    return ranks;
  }

  Process processes[2];
};

TEST_F(TwoReadersTest, BlockGoesToTheReaderThatTheCallNames) {
  EXPECT_EQ(PutFor(1, {0, 2}), PutAnswer::kAcknowledgedNoCredit);
  EXPECT_EQ(PutFor(1, {2, 4}), PutAnswer::kRefused) << "the other reader has room, and must not take it";
  EXPECT_EQ(PutFor(7, {2, 4}), PutAnswer::kRefused) << "it is not here";
  EXPECT_EQ(store().blocks(), 1U);
  EXPECT_EQ(PutFor(0, {2, 4}), PutAnswer::kAcknowledgedNoCredit);
  EXPECT_THAT(Receivers(), ElementsAre(1, 0));
  for (const Process& process : processes) EXPECT_EQ(process.last()["slices"].size(), 1U) << process.connection;
}

TEST_F(TwoReadersTest, BlocksOfAPlainCallGoToTheReadersThatTheAmNames) {
  std::vector<int64_t> accepted;
  std::optional<Status> finished;
  const auto plain = feeds.FlightHandlers().plain;
  plain.on_begin(7, "train", "a client", [&](const Status& status) { finished = status; });
  am.Handle(feeds);
  for (const int64_t first : {0, 2}) {
    plain.on_block(7, TestSchema(), TestBlock(first, 2, std::string(100, 'x')),
                   [&](const Result<int64_t>& rows) { accepted.push_back(rows.value()); });
    am.Handle(feeds);
  }
  EXPECT_THAT(accepted, ElementsAre(2, 4));
  EXPECT_THAT(Receivers(), ElementsAre(0, 1)) << "the first reader has no room for the second block";
  for (const Process& process : processes) EXPECT_EQ(process.last()["slices"].size(), 1U) << process.connection;
  plain.on_end(7);
  am.Handle(feeds);
  ASSERT_TRUE(finished && finished->ok());
  const auto* ended = std::get_if<PartitionEnded>(&am.confirmed.back());
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(std::pair(ended->partition, ended->rows), std::pair(PartitionId{5}, int64_t{4}));
}

}  // namespace
}  // namespace howdah::feed::server
