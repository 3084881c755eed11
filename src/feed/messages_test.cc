#include "howdah/feed/messages.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace howdah::feed {
namespace {

const ReaderId kReader{3, 70};

// Decodes what was encoded, and encodes it again.
template <typename Value>
void ExpectRoundTrip(const Value& value, std::string (*encode)(const Value&),
                     Result<Value> (*decode)(std::string_view)) {
  const std::string bytes = encode(value);
  const auto again = decode(bytes);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(encode(*again), bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = decode(bytes.substr(0, size));
    EXPECT_TRUE(!cut.ok() || encode(*cut) != bytes) << size;
  }
  EXPECT_FALSE(decode(bytes + "x").ok());
}

TEST(Messages, EveryEventSurvives) {
  const Event events[] = {GenerationFormed{2, 8},
                          RankLost{kReader, false},
                          RankStarted{3},
                          CheckpointFound{2, 100},
                          PointFound{2, 100, "point"},
                          ReaderLeft{kReader},
                          ReadingStopped{},
                          ReaderSynced{3},
                          ReaderOpened{kReader, 1, 64},
                          KeptRowsOffered{kReader, 1},
                          RowsReceived{kReader, 1, 5, {10, 20}, 640, std::numeric_limits<uint64_t>::max()},
                          RowsReceived{kReader, 1, 5, {10, 20}, 640},
                          RowsMoved{kReader, 1, 40},
                          RowsHandedOut{kReader, 1, 64, true},
                          StepReported{kReader, 1, 64, 7},
                          CheckpointReported{kReader, 7},
                          CommitCalled{kReader, 1, 64, 2},
                          PartitionEnded{1, 5, 20, 1},
                          SourceEnded{6},
                          SourceConnected{"app"},
                          SourceLost{"app"},
                          AmResumed{},
                          Ticked{},
                          SourceFailed{"reading a.parquet: it is damaged", true}};
  for (const Event& event : events) {
    SCOPED_TRACE(event.index());
    ExpectRoundTrip(event, EncodeEvent, DecodeEvent);
  }
}

TEST(Messages, EveryActionSurvives) {
  const Action actions[] = {
      OpenPass{kReader, 1},
      AcceptRows{kReader, 1, 5, {10, 20}, {{40, {10, 12}}, {42, {15, 20}}}, {{12, 14}}, 640},
      GrantCredit{kReader, int64_t{1} << 40},
      Seal{kReader, 1, 40, 64, true},
      Reassign{kReader, 1, 2, 64, 5, {10, 20}, 700, true},
      ClosePass{kReader, 1, 64, 3, 2, true},
      Committed{kReader, 1, 64},
      RequestRows{1, {{0, 5}, {7, kMostPartitions}}},
      EndFeed{},
      FailFeed{FailFeed::Why::kLost, "gone", 7},
  };
  for (const Action& action : actions) {
    SCOPED_TRACE(action.index());
    ExpectRoundTrip(action, EncodeAction, DecodeAction);
  }
  const auto accepted = DecodeAction(EncodeAction(actions[1]));
  const auto& order = std::get<AcceptRows>(*accepted);
  EXPECT_EQ(order.placed, std::get<AcceptRows>(actions[1]).placed);
  EXPECT_EQ(order.received, 640);
}

TEST(Messages, EveryAnswerSurvives) {
  for (const Answer& answer :
       {Answer{Answer::What::kSend, {{4, 8}, {10, kMostRows}}, 7, 16}, Answer{Answer::What::kOver}}) {
    ExpectRoundTrip(answer, EncodeAnswer, DecodeAnswer);
  }
}

TEST(Messages, NumbersOutsideOfTheirRangesAreErrors) {
  const Event events[] = {ReaderSynced{-1},
                          ReaderSynced{kMostRanks},
                          KeptRowsOffered{{kMostRanks, 1}, 0},
                          KeptRowsOffered{kReader, -1},
                          RowsReceived{kReader, 0, -1, {0, 4}},
                          RowsReceived{kReader, 0, kMostPartitions, {0, 4}},
                          RowsReceived{kReader, 0, 0, {4, 0}},
                          RowsReceived{kReader, 0, 0, {0, 4}, -1},
                          RowsHandedOut{kReader, 0, -1},
                          RowsHandedOut{kReader, 0, std::numeric_limits<int64_t>::max()},
                          ReaderOpened{kReader, 0, -1},
                          RowsMoved{kReader, 0, -1},
                          CommitCalled{kReader, 0, 4, -1},
                          SourceEnded{kMostPartitions + 1},
                          GenerationFormed{0, 0}};
  for (const Event& event : events) EXPECT_FALSE(DecodeEvent(EncodeEvent(event)).ok()) << event.index();
  const Action actions[] = {AcceptRows{kReader, 0, 0, {0, 4}, {{-1, {0, 4}}}, {}, 0},
                            GrantCredit{kReader, -1},
                            ClosePass{kReader, 0, 4, -1, 0, false},
                            FailFeed{static_cast<FailFeed::Why>(4), ""},
                            FailFeed{FailFeed::Why::kLost, "", -1},
                            Seal{kReader, 0, -1, 4, false}};
  for (const Action& action : actions) EXPECT_FALSE(DecodeAction(EncodeAction(action)).ok()) << action.index();
  EXPECT_FALSE(DecodeAnswer(EncodeAnswer({.what = static_cast<Answer::What>(4)})).ok());
  EXPECT_FALSE(DecodeAnswer(EncodeAnswer({.rank = -1})).ok());
  EXPECT_FALSE(DecodeAnswer(EncodeAnswer({.limit = -1})).ok());
}

TEST(Messages, UnknownTypesAreErrors) {
  EXPECT_FALSE(DecodeEvent(std::string("\x7e", 1)).ok());
  EXPECT_FALSE(DecodeEvent(std::string("\x01", 1)).ok()) << "a negative number";
  EXPECT_FALSE(DecodeAction(std::string("\x14", 1)).ok());
  EXPECT_FALSE(DecodeEvent("").ok());
}

}  // namespace
}  // namespace howdah::feed
