#include "answered_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "test_flight.h"
#include "test_reader.h"

namespace howdah::feed::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using TestJson = nlohmann::json;

constexpr int64_t kTestBuffer = 10'000;

class AnsweredFeedTest : public testing::Test {
 protected:
  // A client's call.
  struct Client {
    uint64_t id = 0;
    int reads = 0;  // that the feed has requested
    std::vector<std::string> messages = {};
    std::optional<Status> finished = {};
  };
  // A connection of a process.
  struct Process {
    ConnectionId id = 0;
    std::vector<TestJson> replies = {};
    std::vector<size_t> files = {};
    const TestJson& last() const { return replies.back(); }
  };

  void Begin(int processes = 2) {
    wire::FeedReaders readers;
    readers.set_feed("ask");
    readers.set_token(kTestToken);
    feed.Begin(readers, processes);
  }
  void Open(Client& client) {
    feed.OnExchange(client.id,
                    {.read = [&client] { ++client.reads; },
                     .send = [&client](const std::string& line,
                                       const std::string& payload) { client.messages.push_back(line + payload); },
                     .finish = [&client](const Status& status) { client.finished = status; }});
  }
  void Ask(Client& client, int64_t block, size_t bytes = 100) {
    feed.OnQuestion(client.id, TestSchema(), TestBlock(block, 1, std::string(bytes, 'q')));
  }
  AnsweredFeed::Reply ReplyTo(Process& process) {
    return [&process](const ReaderReply& reply) {
      ASSERT_EQ(reply.size(), 1U);
      process.replies.push_back(TestJson::parse(reply.front().text));
      process.files.push_back(reply.front().files.size());
    };
  }
  void Serve(Process& process, int local_rank = 0) { feed.Serve(process.id, local_rank, ReplyTo(process)); }
  void Take(Process& process) { feed.Take(process.id, ReplyTo(process)); }
  void Answer(Process& process, int64_t question, const std::string& payload) {
    os::files::Fd file(::memfd_create("answer", MFD_CLOEXEC));
    ASSERT_EQ(::write(file.get(), payload.data(), payload.size()), static_cast<ssize_t>(payload.size()));
    feed.Answer(process.id, {question, static_cast<int64_t>(payload.size())}, file, ReplyTo(process));
  }
  static std::string ErrorOf(const std::optional<Status>& status) {
    return status && !status->ok() ? status->error().message : "";
  }

  static FeedPlan Plan() {
    FeedPlan plan{.name = "ask", .options = {}, .answers = true};
    plan.options.buffer = kTestBuffer;
    return plan;
  }

  boost::asio::io_context loop;
  std::vector<wire::FeedAnswers> reports;
  AnsweredFeed feed{loop, Plan(), std::chrono::minutes(5),
                    [this](const wire::FromExecutor& message) { reports.push_back(message.feed_answers()); }};
};

TEST_F(AnsweredFeedTest, QuestionsAreAnswered) {
  Begin();
  Client client{11};
  Open(client);
  EXPECT_EQ(client.reads, 1);
  Ask(client, 0);
  EXPECT_EQ(client.reads, 2);
  Process process{7};
  Serve(process);
  EXPECT_EQ(process.last(), TestJson({{"feed", "ask"}}));
  Take(process);
  const TestJson taken = process.last();
  EXPECT_EQ(taken["exchange"], 11);
  EXPECT_EQ(taken["block"], 0);
  EXPECT_EQ(taken["blocks"].size(), 1U);
  EXPECT_EQ(taken["blocks"][0]["rows"], 1);
  EXPECT_EQ(taken["schemas"].size(), 1U);
  EXPECT_EQ(process.files.back(), 1U);
  Answer(process, taken["question"], "forty-two");
  EXPECT_EQ(process.last(), TestJson::object());
  EXPECT_THAT(client.messages, ElementsAre("{\"block\":0}\nforty-two"));
  // The process has received the schema.
  Take(process);
  Ask(client, 1);
  EXPECT_THAT(process.last()["schemas"], IsEmpty());
  feed.OnAsked(11);
  EXPECT_FALSE(client.finished);
  feed.Answer(7, {process.last()["question"], 0}, os::files::Fd(), ReplyTo(process));
  EXPECT_EQ(client.messages.back(), "{\"block\":1}\n");
  EXPECT_TRUE(client.finished && client.finished->ok());
  EXPECT_EQ(feed.queue().size(), 0U);
}

TEST_F(AnsweredFeedTest, RefusalReachesTheClient) {
  Begin();
  Client client{11};
  Process process{7};
  Open(client);
  Serve(process);
  Take(process);
  Ask(client, 0);
  feed.Refuse(7, {process.last()["question"], "bad \"rows\"\n"}, ReplyTo(process));
  EXPECT_THAT(client.messages, ElementsAre("{\"block\":0,\"error\":\"bad \\\"rows\\\"\\n\"}\n"));
  EXPECT_FALSE(client.finished);
}

TEST_F(AnsweredFeedTest, OnlyValidAnswersEndALease) {
  Begin();
  Client client{11};
  Process process{7}, other{8};
  Open(client);
  Serve(process);
  Serve(other, 1);
  Take(process);
  Ask(client, 0);
  const int64_t question = process.last()["question"];
  const auto refused = [](const Process& of) { return of.last()["error"]["message"].get<std::string>(); };
  Answer(other, question, "x");
  EXPECT_THAT(refused(other), HasSubstr("another process has it"));
  feed.Answer(7, {question, 5}, os::files::Fd(), ReplyTo(process));
  EXPECT_THAT(refused(process), HasSubstr("no file descriptor"));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const os::files::Fd in(ends[0]), out(ends[1]);
  feed.Answer(7, {question, 5}, in, ReplyTo(process));
  EXPECT_THAT(refused(process), HasSubstr("memfd_create"));
  EXPECT_THAT(client.messages, IsEmpty());
  Answer(process, question, "x");
  EXPECT_EQ(client.messages.size(), 1U);
  Answer(process, question, "x");
  EXPECT_THAT(refused(process), HasSubstr("has an answer already"));
}

TEST_F(AnsweredFeedTest, ProcessesMustBelongToTheAttempt) {
  Begin(1);
  Process process{7};
  Serve(process, 1);
  EXPECT_THAT(process.last()["error"]["message"].get<std::string>(), HasSubstr("does not answer the feed 'ask'"));
  Take(process);
  EXPECT_EQ(process.last()["error"]["kind"], "FeedMisuse");
}

TEST_F(AnsweredFeedTest, QuestionsOfAClosedConnectionGoToAnotherOne) {
  Begin();
  Client client{11};
  Process first{7}, second{8};
  Open(client);
  Serve(first);
  Take(first);
  Ask(client, 0);
  Serve(second, 1);
  Take(second);
  feed.OnClosed(7);
  ASSERT_EQ(second.replies.size(), 2U);
  EXPECT_EQ(second.last()["question"], first.last()["question"]);
  EXPECT_EQ(second.last()["schemas"].size(), 1U);
  Answer(second, second.last()["question"], "x");
  EXPECT_EQ(client.messages.size(), 1U);
}

TEST_F(AnsweredFeedTest, QuestionsAreLostWithTheLastConnection) {
  Begin();
  Client client{11};
  Process process{7};
  Open(client);
  Serve(process);
  Take(process);
  Ask(client, 0);
  Ask(client, 1);
  feed.OnClosed(7);
  ASSERT_EQ(client.messages.size(), 2U);
  for (const std::string& message : client.messages) EXPECT_THAT(message, HasSubstr("\"lost\":\"the process"));
  EXPECT_FALSE(client.finished);
  EXPECT_EQ(feed.queue().size(), 0U);
  // The next process answers further questions of the call.
  Ask(client, 2);
  Process next{9};
  Serve(next);
  Take(next);
  EXPECT_EQ(next.last()["block"], 2);
}

TEST_F(AnsweredFeedTest, ThreeProcessesThatDieMakeAQuestionAnError) {
  Begin();
  Client client{11};
  Process idle{99};
  Open(client);
  Serve(idle);
  Ask(client, 0);
  for (ConnectionId id = 1; id <= 3; ++id) {
    Process process{id};
    Serve(process);
    Take(process);
    EXPECT_TRUE(client.messages.empty());
    feed.OnClosed(id);
  }
  ASSERT_EQ(client.messages.size(), 1U);
  EXPECT_THAT(client.messages[0], HasSubstr("\"error\":\"three processes have ended"));
}

TEST_F(AnsweredFeedTest, CallsWithoutARunningProcessEnd) {
  Client early{1}, late{2}, after{3};
  Open(early);
  EXPECT_THAT(ErrorOf(early.finished), HasSubstr("no process of this task runs"));
  EXPECT_EQ(early.finished->error().code, ErrorCode::kUnavailable);
  Begin();
  Open(late);
  EXPECT_FALSE(late.finished);
  feed.End();
  EXPECT_THAT(ErrorOf(late.finished), HasSubstr("no process of this task runs"));
  Open(after);
  EXPECT_TRUE(after.finished);
}

TEST_F(AnsweredFeedTest, CallThatNoProcessServesEndsAfterTheLimit) {
  AnsweredFeed impatient(loop, Plan(), std::chrono::milliseconds(1), [](const wire::FromExecutor&) {});
  wire::FeedReaders readers;
  impatient.Begin(readers, 1);
  std::optional<Status> finished;
  impatient.OnExchange(1, {.read = [] {}, .send = {}, .finish = [&](const Status& status) { finished = status; }});
  ASSERT_TRUE(RunUntil(loop, [&] { return finished.has_value(); }));
  EXPECT_THAT(ErrorOf(finished), HasSubstr("no process of this task has answered the feed ask for 1ms"));
}

TEST_F(AnsweredFeedTest, StoppedFeedAnswersWhatItHas) {
  Begin();
  Client client{11}, second{12};
  Process process{7}, waiting{8};
  Open(client);
  Serve(process);
  Serve(waiting, 1);
  Take(process);
  Ask(client, 0);
  Take(waiting);
  feed.Stop();
  EXPECT_EQ(waiting.replies.size(), 1U) << "a question has no answer, and might be given to this process";
  Open(second);
  EXPECT_THAT(ErrorOf(second.finished), HasSubstr("the feed ask is closed"));
  Answer(process, process.last()["question"], "x");
  EXPECT_EQ(client.messages.size(), 1U);
  EXPECT_EQ(waiting.last()["error"]["kind"], "FeedStopped");
  Take(process);
  EXPECT_EQ(process.last()["error"]["kind"], "FeedStopped");
  Ask(client, 1);
  EXPECT_THAT(ErrorOf(client.finished), HasSubstr("the feed ask is closed"));
}

TEST_F(AnsweredFeedTest, GoneClientsGetNothing) {
  Begin();
  Client client{11};
  Process process{7};
  Open(client);
  Serve(process);
  Take(process);
  Ask(client, 0);
  Ask(client, 1);
  feed.OnAsked(11);  // the connection is closed
  feed.OnCancelled(11);
  EXPECT_EQ(feed.queue().size(), 1U);
  Answer(process, process.last()["question"], "x");
  EXPECT_EQ(process.last(), TestJson::object());
  EXPECT_THAT(client.messages, IsEmpty());
  EXPECT_EQ(feed.queue().size(), 0U);
  feed.OnCancelled(11);
  feed.OnSent(11, 0);
  feed.OnAsked(11);
  Ask(client, 2);
}

TEST_F(AnsweredFeedTest, BlocksMustHaveTheirNumbers) {
  Begin();
  Client client{11};
  Open(client);
  Ask(client, 0);
  Ask(client, 2);
  EXPECT_THAT(ErrorOf(client.finished), HasSubstr("a block has the number 2; the next one must have 1"));
}

TEST_F(AnsweredFeedTest, ClientIsReadWhileThereIsRoom) {
  Begin();
  Client client{11}, other{12};
  Process process{7};
  Open(client);
  int block = 0;
  for (; client.reads > block; ++block) Ask(client, block, 1000);
  EXPECT_GE(block, 3);
  EXPECT_LE(block, 10);
  Open(other);
  EXPECT_EQ(other.reads, 1) << "each call has one";
  Ask(other, 0, 1000);
  EXPECT_EQ(other.reads, 1);
  Serve(process);
  for (int answered = 0; client.reads == block; ++answered) {
    ASSERT_LT(answered, 5);
    Take(process);
    Answer(process, process.last()["question"], "x");
  }
}

TEST_F(AnsweredFeedTest, ClientThatReceivesNothingHoldsItsOwnQuestions) {
  Begin();
  Client slow{11}, fast{12};
  Process process{7};
  Open(slow);
  Open(fast);
  Serve(process);
  Ask(slow, 0);
  Take(process);
  Answer(process, process.last()["question"], std::string(AnsweredFeed::kHeldBytes, 'x'));
  Ask(slow, 1);
  Take(process);
  EXPECT_EQ(process.replies.size(), 3U) << "the take waits";
  Ask(fast, 0);
  EXPECT_EQ(process.last()["exchange"], 12);
  Take(process);
  EXPECT_EQ(process.replies.size(), 4U);
  feed.OnSent(11, 100);
  ASSERT_EQ(process.replies.size(), 5U);
  EXPECT_EQ(process.last()["exchange"], 11);
}

TEST_F(AnsweredFeedTest, WorkIsReported) {
  Begin();
  Client client{11};
  Process process{7};
  Open(client);
  ASSERT_EQ(reports.size(), 1U) << "the first change";
  EXPECT_EQ(reports[0].feed(), "ask");
  EXPECT_EQ(reports[0].clients(), 1);
  Serve(process);
  Take(process);
  EXPECT_EQ(reports.size(), 1U) << "further changes wait";
  ASSERT_TRUE(RunUntil(loop, [&] { return reports.size() == 2; }));
  EXPECT_EQ(reports[1].idle(), 1);
  Ask(client, 0);
  Answer(process, process.last()["question"], "x");
  feed.OnCancelled(11);
  ASSERT_TRUE(RunUntil(loop, [&] { return reports.size() == 3; }));
  EXPECT_EQ(reports[2].rows(), 1);
  EXPECT_GT(reports[2].bytes(), 100);
  EXPECT_EQ(reports[2].clients(), 0);
  EXPECT_EQ(reports[2].idle(), 0);
  feed.OnRegistered();
  ASSERT_EQ(reports.size(), 4U);
  EXPECT_EQ(reports[3].rows(), 1);
}

// The reply to a take finds that the connection is closed.
TEST_F(AnsweredFeedTest, ConnectionThatClosesDuringAReplyLeavesItsQuestion) {
  Begin();
  Client client{11};
  Process first{7}, second{8};
  Open(client);
  Serve(first);
  Serve(second, 1);
  feed.Take(7, [this](const ReaderReply&) { feed.OnClosed(7); });
  feed.Take(7, [this](const ReaderReply&) { feed.OnClosed(7); });
  Take(second);
  Ask(client, 0);
  ASSERT_EQ(second.replies.size(), 2U);
  EXPECT_EQ(second.last()["block"], 0);
}

}  // namespace
}  // namespace howdah::feed::server
