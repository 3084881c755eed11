#include "question_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace howdah::feed::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Why = QuestionQueue::Ended::Why;

constexpr int64_t kBuffer = 10'000, kBytes = 1000;

class QuestionQueueTest : public testing::Test {
 protected:
  // The exchange sends blocks with the numbers 0 …
  void Ask(uint64_t exchange, int blocks) {
    queue.Open(exchange);
    for (int block = 0; block < blocks; ++block) queue.Ask(exchange, block, 100 + block, kBytes, 1);
  }
  void Serve(uint64_t connection, int takes) {
    queue.Serve(connection);
    for (int i = 0; i < takes; ++i) ASSERT_TRUE(queue.Take(connection));
  }
  // "connection: exchange/block" for each question that is given now.
  std::vector<std::string> Give() {
    std::vector<std::string> texts;
    while (const auto given = queue.Give()) {
      ids[{given->question.exchange, given->question.block}] = given->id;
      texts.push_back(std::to_string(given->connection) + ": " + Text(given->question));
    }
    return texts;
  }
  static std::string Text(const Question& question) {
    return std::to_string(question.exchange) + "/" + std::to_string(question.block);
  }
  static std::vector<std::string> Texts(const std::vector<QuestionQueue::Ended>& ended, Why why) {
    std::vector<std::string> texts;
    for (const auto& one : ended) {
      EXPECT_EQ(one.why, why);
      texts.push_back(Text(one.question));
    }
    return texts;
  }
  std::optional<Question> Settle(uint64_t connection, uint64_t exchange, int64_t block) {
    return queue.Settle(connection, ids.at({exchange, block}));
  }

  QuestionQueue queue{kBuffer};
  std::map<std::pair<uint64_t, int64_t>, QuestionId> ids;  // of questions that were given
};

TEST_F(QuestionQueueTest, QuestionsAreGivenInOrder) {
  Ask(1, 3);
  Serve(7, 2);
  EXPECT_THAT(Give(), ElementsAre("7: 1/0", "7: 1/1"));
  ASSERT_TRUE(queue.Take(7));
  EXPECT_THAT(Give(), ElementsAre("7: 1/2"));
  ASSERT_TRUE(queue.Take(7));
  EXPECT_THAT(Give(), IsEmpty());
  queue.Ask(1, 3, 0, kBytes, 1);
  EXPECT_THAT(Give(), ElementsAre("7: 1/3"));
}

TEST_F(QuestionQueueTest, ExchangesTakeTurns) {
  Ask(1, 3);
  Ask(2, 1);
  Ask(3, 2);
  Serve(7, 6);
  EXPECT_THAT(Give(), ElementsAre("7: 1/0", "7: 2/0", "7: 3/0", "7: 1/1", "7: 3/1", "7: 1/2"));
}

TEST_F(QuestionQueueTest, TheConnectionWithTheFewestQuestionsComesFirst) {
  Serve(7, 3);
  Serve(8, 3);
  Ask(1, 5);
  EXPECT_THAT(Give(), ElementsAre("7: 1/0", "8: 1/1", "7: 1/2", "8: 1/3", "7: 1/4"));
  // 8 settles both of its questions, and 7 one of three.
  ASSERT_TRUE(Settle(8, 1, 1) && Settle(8, 1, 3) && Settle(7, 1, 0));
  ASSERT_TRUE(queue.Take(7));
  queue.Ask(1, 5, 0, kBytes, 1);
  EXPECT_THAT(Give(), ElementsAre("8: 1/5"));
}

TEST_F(QuestionQueueTest, ConnectionIsIdleWhileItTakesAndHasNothing) {
  queue.Serve(7);
  EXPECT_EQ(queue.idle(), 0) << "it takes nothing";
  Serve(8, 2);
  EXPECT_EQ(queue.idle(), 1);
  Ask(1, 1);
  EXPECT_THAT(Give(), ElementsAre("8: 1/0"));
  EXPECT_EQ(queue.idle(), 0) << "it works, and takes the next one ahead";
  ASSERT_TRUE(Settle(8, 1, 0));
  EXPECT_EQ(queue.idle(), 1);
}

TEST_F(QuestionQueueTest, AnEqualNumberOfQuestionsGoesByTheOldestTake) {
  queue.Serve(7);
  Serve(8, 1);
  Serve(7, 1);
  Ask(1, 2);
  EXPECT_THAT(Give(), ElementsAre("8: 1/0", "7: 1/1"));
}

TEST_F(QuestionQueueTest, OnlyItsConnectionSettlesAQuestionAndOnlyOnce) {
  Serve(7, 1);
  Serve(8, 1);
  Ask(1, 2);
  EXPECT_THAT(Give(), ElementsAre("7: 1/0", "8: 1/1"));
  EXPECT_FALSE(Settle(8, 1, 0));
  EXPECT_FALSE(Settle(9, 1, 0));
  EXPECT_FALSE(queue.Settle(7, 99));
  const auto settled = Settle(7, 1, 0);
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->block, 0);
  EXPECT_EQ(settled->stored, 100);
  EXPECT_TRUE(settled->wanted);
  EXPECT_FALSE(Settle(7, 1, 0));
  EXPECT_EQ(queue.unanswered(1), 1);
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.bytes(), kBytes + QuestionQueue::kOverhead);
}

TEST_F(QuestionQueueTest, OnlyConnectionsThatServeTakeAndTakesAreLimited) {
  EXPECT_FALSE(queue.Take(7));
  Serve(7, static_cast<int>(QuestionQueue::kMostTakes));
  EXPECT_FALSE(queue.Take(7));
  queue.EndTakes();
  EXPECT_TRUE(queue.Take(7));
  Ask(1, 2);
  EXPECT_THAT(Give(), ElementsAre("7: 1/0"));
}

TEST_F(QuestionQueueTest, BufferLimitsAllExchangesTogetherExceptTheirFirstQuestion) {
  queue.Open(1);
  queue.Open(2);
  EXPECT_FALSE(queue.MayAsk(3, 0));
  for (int block = 0; queue.MayAsk(1, 0); ++block) queue.Ask(1, block, 0, kBytes, 1);
  EXPECT_EQ(queue.size(), 7U);  // 6 * 1512 < 10'000
  EXPECT_TRUE(queue.MayAsk(2, 0));
  queue.Ask(2, 0, 0, kBytes, 1);
  EXPECT_FALSE(queue.MayAsk(2, 0));
  Serve(7, 3);
  EXPECT_THAT(Give(), ElementsAre("7: 1/0", "7: 2/0", "7: 1/1"));
  ASSERT_TRUE(Settle(7, 2, 0) && Settle(7, 1, 0));
  EXPECT_TRUE(queue.MayAsk(1, 0));
  EXPECT_FALSE(queue.MayAsk(1, 1000));  // 6 * 1512 + 1000
  EXPECT_TRUE(queue.MayAsk(2, 1000));
}

TEST_F(QuestionQueueTest, AHeldExchangeWaitsWithoutDelayingOthers) {
  Ask(1, 2);
  Ask(2, 1);
  queue.Hold(1, true);
  Serve(7, 3);
  EXPECT_THAT(Give(), ElementsAre("7: 2/0"));
  queue.Hold(1, false);
  queue.Hold(1, false);
  EXPECT_THAT(Give(), ElementsAre("7: 1/0", "7: 1/1"));
  queue.Hold(5, true);  // without effect
}

TEST_F(QuestionQueueTest, ClosedExchangeLosesItsQuestions) {
  Ask(1, 3);
  Ask(2, 1);
  Serve(7, 1);
  EXPECT_THAT(Give(), ElementsAre("7: 1/0"));
  std::vector<std::string> ended;
  for (const Question& question : queue.Close(1)) ended.push_back(Text(question));
  EXPECT_THAT(ended, ElementsAre("1/1", "1/2"));
  EXPECT_THAT(queue.Close(1), IsEmpty());
  EXPECT_EQ(queue.size(), 2U);
  const auto settled = Settle(7, 1, 0);
  ASSERT_TRUE(settled);
  EXPECT_FALSE(settled->wanted);
  ASSERT_TRUE(queue.Take(7));
  EXPECT_THAT(Give(), ElementsAre("7: 2/0"));
  // A leased question of a closed exchange ends with its connection.
  queue.Close(2);
  EXPECT_THAT(Texts(queue.Leave(7), Why::kUnwanted), ElementsAre("2/0"));
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.bytes(), 0);
}

TEST_F(QuestionQueueTest, QuestionsOfAClosedConnectionGoToAnotherOneInTheirOrder) {
  Serve(7, 2);
  Ask(1, 4);
  EXPECT_THAT(Give(), ElementsAre("7: 1/0", "7: 1/1"));
  Serve(8, 0);
  EXPECT_THAT(queue.Leave(7), IsEmpty());
  EXPECT_EQ(queue.unanswered(1), 4);
  Serve(8, 4);
  EXPECT_THAT(Give(), ElementsAre("8: 1/0", "8: 1/1", "8: 1/2", "8: 1/3"));
  EXPECT_FALSE(Settle(7, 1, 0));
  EXPECT_TRUE(Settle(8, 1, 0));
}

TEST_F(QuestionQueueTest, WithoutAConnectionAllQuestionsAreLost) {
  Serve(7, 1);
  Ask(1, 2);
  Ask(2, 1);
  EXPECT_THAT(Give(), ElementsAre("7: 1/0"));
  EXPECT_THAT(Texts(queue.Leave(7), Why::kLost), ElementsAre("1/0", "1/1", "2/0"));
  EXPECT_THAT(queue.Leave(7), IsEmpty());
  EXPECT_EQ(queue.unanswered(1), 0);
  // The exchanges are still open, and a new connection serves them.
  queue.Ask(1, 2, 0, kBytes, 1);
  Serve(8, 1);
  EXPECT_THAT(Give(), ElementsAre("8: 1/2"));
}

TEST_F(QuestionQueueTest, TheOldestQuestionOfThreeClosedConnectionsIsDeadly) {
  Ask(1, 3);
  queue.Serve(100);  // keeps the questions
  for (uint64_t connection = 1; connection <= 2; ++connection) {
    Serve(connection, 2);
    const std::string to = std::to_string(connection);
    EXPECT_THAT(Give(), ElementsAre(to + ": 1/0", to + ": 1/1"));
    EXPECT_THAT(queue.Leave(connection), IsEmpty());
  }
  Serve(3, 2);
  EXPECT_THAT(Give(), ElementsAre("3: 1/0", "3: 1/1"));
  EXPECT_THAT(Texts(queue.Leave(3), Why::kDeadly), ElementsAre("1/0"));
  // The other question was never the oldest one.
  Serve(4, 1);
  EXPECT_THAT(Give(), ElementsAre("4: 1/1"));
  EXPECT_THAT(queue.Leave(4), IsEmpty());
  EXPECT_EQ(queue.unanswered(1), 2);
}

}  // namespace
}  // namespace howdah::feed::server
