// Feeds of files: the process that reads them, and its questions as a source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_feeds.h"

namespace howdah::feed::server {
namespace {

using testing::HasSubstr;

TestJson RequestOf(int local_rank) { return {{"open", "train"}, {"local_rank", local_rank}, {"attempt", 1}}; }

// A task with two processes that read the feed "train" of files.
class FileSourceTest : public FeedsTest {
 protected:
  FileSourceTest() : FeedsTest(OptionsOf(2), 2), files(loop, SettingsWithFiles(), HubHandlers(), nullptr) {
    wire::Start start = StartOrder(1);
    files.OnStart(start);
    am.Form();
    am.Handle(files);
  }
  Hub::Settings SettingsWithFiles() const {
    Hub::Settings with = settings;
    with.feeds[0].files = {{"hdfs:///data"}, "parquet", {"x", "y"}};
    with.feeds[0].options.shuffle = 100;
    with.feeds[0].options.seed = 7;
    with.identity.ca_certificate = "CA";
    return with;
  }
  Hub::Handlers HubHandlers() {
    return {[this](const wire::FromExecutor& message) { am.Receive(message); }, [](const std::string&) {}};
  }
  TestJson Request(ConnectionId connection, const TestJson& request) {
    TestJson reply;
    files.OnRequest(connection, request.dump(), os::files::Fd(),
                    [&reply](const ReaderReply& answer) { reply = TestJson::parse(answer.front().text); });
    am.Handle(files);
    return reply;
  }
  Outcome Ask(const std::string& more) {
    Outcome outcome;
    files.FlightHandlers().on_action(
        1, "ask", R"({"feed": "train", "pass": 0, "partition": 0)" + more + "}",
        {[&outcome](const std::string& reply) { outcome.replies.push_back(TestJson::parse(reply)); },
         [&outcome](const Status& status) { outcome.finished = status; }});
    am.Handle(files);
    return outcome;
  }

  LocalFeeds files;
};

TEST_F(FileSourceTest, OneConnectionOfEachReaderReadsTheFiles) {
  EXPECT_EQ(Request(1, RequestOf(0))["source"], (TestJson{{"from", {"hdfs:///data"}},
                                                          {"format", "parquet"},
                                                          {"columns", {"x", "y"}},
                                                          {"shuffled", true},
                                                          {"seed", 7},
                                                          {"token", kTestToken},
                                                          {"location", "grpc+unix://" + settings.flight_path()},
                                                          {"ca", "CA"},
                                                          {"server_name", "howdah-executor"}}));
  EXPECT_FALSE(Request(2, RequestOf(0)).contains("source"));
  EXPECT_TRUE(Request(3, RequestOf(1)).contains("source"));
  files.OnClosed(1);
  EXPECT_TRUE(Request(4, RequestOf(0)).contains("source")) << "the process that read them is gone";
}

TEST_F(FileSourceTest, FailureIsInTheLogAndReachesTheReaders) {
  Request(1, RequestOf(0));
  const TestJson failed = {{"source_failed", {{"message", "reading a.parquet: it is damaged"}, {"changed", false}}}};
  EXPECT_EQ(Request(1, failed), TestJson::object());
  ASSERT_EQ(am.confirmed.size(), 1U);
  EXPECT_EQ(std::get<SourceFailed>(am.confirmed[0]).message, "reading a.parquet: it is damaged");
  const TestJson next = {{"next", {{"pass", 0}, {"rows", 4}, {"returned", 0}}}};
  EXPECT_EQ(Request(1, next)["error"],
            (TestJson{{"kind", "FeedError"}, {"message", "reading a.parquet: it is damaged"}}));
}

TEST_F(FileSourceTest, QuestionsHaveTheFieldsOfFiles) {
  const auto asked = [this](const std::string& more) {
    EXPECT_TRUE(Ask(more).finished->ok()) << more;
    return am.calls.back().ask();
  };
  EXPECT_FALSE(asked("").has_reader());
  EXPECT_EQ(asked("").near(), 0);
  EXPECT_EQ(asked(R"(, "reader": 1)").reader(), 1);
  EXPECT_EQ(asked(R"(, "near": null)").near(), -1);
  const wire::FeedAsk claim = asked(R"(, "near": 1, "claim": 2, "patient": true)");
  EXPECT_EQ(claim.near(), 1);
  EXPECT_EQ(claim.claim(), 2);
  EXPECT_TRUE(claim.patient());
  for (const char* wrong : {R"(, "reader": -1)", R"(, "reader": "1")", R"(, "near": -1)", R"(, "claim": 1.5)"}) {
    const auto finished = Ask(wrong).finished;
    EXPECT_TRUE(finished && !finished->ok()) << wrong;
  }
}

TEST_F(FileSourceTest, BlockGoesToItsReaderOnly) {
  Request(1, RequestOf(0));
  std::optional<PutAnswer> answer;
  const auto put = [&](int reader) {
    files.FlightHandlers().on_block({"train", 0, 0, reader}, TestSchema(), TestBlock(0, 4, std::string(100, 'x')),
                                    [&answer](const Result<PutAnswer>& result) { answer = result.value(); });
    am.Handle(files);
  };
  put(1);
  EXPECT_EQ(answer, PutAnswer::kAcknowledged);
  ASSERT_FALSE(am.Received<RowsReceived>().empty());
  EXPECT_EQ(am.Received<RowsReceived>().back().reader.rank, 1);
  put(2);
  EXPECT_EQ(answer, PutAnswer::kRefused) << "reader 2 is not in this executor";
}

TEST_F(FileSourceTest, PlanIsAskedFor) {
  Outcome outcome;
  files.FlightHandlers().on_action(
      1, "plan", R"({"feed": "train", "plan": "the files"})",
      {[&outcome](const std::string& reply) { outcome.replies.push_back(TestJson::parse(reply)); },
       [&outcome](const Status& status) { outcome.finished = status; }});
  am.Handle(files);
  ASSERT_EQ(am.calls.size(), 1U);
  EXPECT_EQ(am.calls[0].plan().text(), "the files");
  wire::ToExecutor message;
  message.mutable_feed_reply()->set_id(am.calls[0].id());
  message.mutable_feed_reply()->set_plan("the files");
  files.OnMessage(message);
  ASSERT_EQ(outcome.replies.size(), 1U);
  EXPECT_EQ(outcome.replies[0], TestJson::parse(R"({"plan": "the files"})"));
}

}  // namespace
}  // namespace howdah::feed::server
