// Recorded traffic of real Hadoop programs. The client must send identical bytes. It must also parse the recorded
// answers, however they are split.
#include <gtest/gtest.h>

#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/sasl/digest.h"
#include "test_recording.h"

namespace howdah::hadoop::rpc {
namespace {

class GoldenTest : public testing::TestWithParam<std::tuple<const char*, size_t>> {};

TEST_P(GoldenTest, RecordedConversationIsReproduced) {
  const auto [name, piece] = GetParam();
  const Recording recording = ReadRecording(name);
  Connection connection(recording.options);
  std::vector<Answer> answers;
  int checked = 0;
  for (const auto& step : recording.steps) {
    std::istringstream words(step.rest);
    int32_t id = 0;
    std::string first, text;
    if (step.word == "call") {
      StartCall(connection, step);
    } else if (step.word == "client") {
      EXPECT_EQ(sasl::Hex(connection.TakeOutput()), sasl::Hex(step.bytes));
    } else if (step.word == "server") {
      FeedInPieces(connection, step.bytes, piece);
      for (Answer& answer : connection.TakeAnswers()) answers.push_back(std::move(answer));
    } else if (step.word == "answer") {
      words >> id >> first;
      ASSERT_EQ(answers.size(), 1U);
      EXPECT_EQ(answers[0].call_id, id);
      ASSERT_TRUE(answers[0].response) << answers[0].response.error().message;
      EXPECT_EQ(sasl::Hex(*answers[0].response), first);
      ++checked;
    } else if (step.word == "error") {
      words >> id >> first >> std::ws;
      std::getline(words, text);
      ASSERT_EQ(answers.size(), 1U);
      EXPECT_EQ(answers[0].call_id, id);
      ASSERT_FALSE(answers[0].response);
      EXPECT_EQ(answers[0].response.error(), (Error{ErrorCode::kFailed, text, first}));
      ++checked;
    } else if (step.word == "failure") {
      words >> first >> std::ws;
      std::getline(words, text);
      ASSERT_TRUE(connection.failure());
      EXPECT_EQ(connection.failure()->kind, FailureKind::kRemote);
      EXPECT_EQ(connection.failure()->error, (Error{ErrorCode::kFailed, text, first}));
      ++checked;
    } else {
      FAIL() << step.word;
    }
    if (step.word != "failure" && step.word != "server") {
      EXPECT_FALSE(connection.failure()) << connection.failure()->error.message;
    }
  }
  EXPECT_EQ(checked, 1) << name << " has no expected outcome";
}

INSTANTIATE_TEST_SUITE_P(Recorded, GoldenTest,
                         testing::Combine(testing::Values("simple.txt", "error.txt", "fatal.txt", "token.txt",
                                                          "privacy.txt"),
                                          testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 16, 31, size_t{1} << 20)),
                         [](const auto& info) {
                           const std::string name = std::get<0>(info.param);
                           return name.substr(0, name.find('.')) + std::to_string(std::get<1>(info.param));
                         });

TEST(GoldenTokenFile, RecordedFileIsParsedAndWritten) {
  std::string bytes;
  std::istringstream lines(TestData("container_tokens.txt"));
  for (std::string line; std::getline(lines, line);) bytes += line[0] == ' ' ? FromHex(line.substr(2)) : "";
  const auto credentials = ParseCredentials(bytes);
  ASSERT_TRUE(credentials) << credentials.error().message;
  const Token* token = credentials->Find("YARN_AM_RM_TOKEN");
  ASSERT_TRUE(token);
  EXPECT_EQ(token->service, "");
  EXPECT_EQ(sasl::Hex(token->identifier), "0a0d0a09080310e6d88bfb9f34100110c690e5c0fdffffffff01");
  EXPECT_EQ(sasl::Hex(token->password), "ba2740ff2fd74557432ab5770b9aa9d53a2b00bd");
  EXPECT_EQ(WriteCredentials(*credentials), bytes);
}

}  // namespace
}  // namespace howdah::hadoop::rpc
