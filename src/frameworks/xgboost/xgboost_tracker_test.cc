#include "howdah/frameworks/xgboost/xgboost_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace howdah::frameworks::xgboost {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Print = XgboostTracker::Print;
using Send = XgboostTracker::Send;

const std::string kMagic = {'\x99', '\xff', '\0', '\0'};

// Frames a text as XGBoost does: the little-endian length, then the text.
std::string Framed(const std::string& text) {
  const auto size = text.size();
  return std::string{static_cast<char>(size & 0xff), static_cast<char>(size >> 8 & 0xff), '\0', '\0'} + text;
}

std::string Hello(const std::string& task, int world = -1, int rank = 0) {
  return kMagic + Framed(R"({"rank":)" + std::to_string(rank) + R"(,"task_id":")" + task + R"(","world_size":)" +
                         std::to_string(world) + "}");
}

std::string Start(const std::string& task, int port) {
  return Hello(task) + Framed(R"({"cmd":1,"error_port":9,"port":)" + std::to_string(port) + "}");
}

std::string Next(const std::string& host, int port, int rank) {
  return Framed(R"({"host":")" + host + R"(","port":)" + std::to_string(port) + R"(,"rank":)" + std::to_string(rank) +
                "}");
}

TEST(XgboostTracker, RingIsFormedWhenAllWorkersHaveStarted) {
  XgboostTracker tracker(3);
  for (const uint64_t id : {1, 2, 3}) {
    EXPECT_THAT(tracker.OnOpened(id, "10.0.0." + std::to_string(id)).sends, ElementsAre(Send{id, kMagic}));
  }
  const std::string world = Framed(R"({"world_size":3})");
  EXPECT_THAT(tracker.OnBytes(1, Start("2", 71)).sends, ElementsAre(Send{1, world}));
  EXPECT_THAT(tracker.OnBytes(2, Start("0", 72)).sends, ElementsAre(Send{2, world}));
  EXPECT_TRUE(tracker.IsWaiting(1));
  const auto output = tracker.OnBytes(3, Start("1", 73));
  EXPECT_THAT(output.sends, ElementsAre(Send{3, world}, Send{2, Next("10.0.0.3", 73, 1)},
                                        Send{3, Next("10.0.0.1", 71, 2)}, Send{1, Next("10.0.0.2", 72, 0)}));
  EXPECT_THAT(output.closes, ElementsAre(2, 3, 1));
  EXPECT_FALSE(tracker.IsWaiting(1));
}

TEST(XgboostTracker, SingleProcessIsItsOwnNeighbour) {
  XgboostTracker tracker(1);
  tracker.OnOpened(7, "::1");
  EXPECT_THAT(tracker.OnBytes(7, Start("0", 70)).sends,
              ElementsAre(Send{7, Framed(R"({"world_size":1})")}, Send{7, Next("::1", 70, 0)}));
}

TEST(XgboostTracker, MessageInPiecesIsReassembled) {
  const std::string bytes = Start("0", 70);
  for (size_t cut = 1; cut < bytes.size(); ++cut) {
    XgboostTracker tracker(1);
    tracker.OnOpened(7, "h");
    EXPECT_THAT(tracker.OnBytes(7, bytes.substr(0, cut)).sends, IsEmpty()) << cut;
    EXPECT_EQ(tracker.OnBytes(7, bytes.substr(cut)).sends.size(), 2u) << cut;
  }
}

TEST(XgboostTracker, TaskIdsThatAreNotRanksGetTheRemainingRanks) {
  XgboostTracker tracker(4);
  const char* tasks[] = {"b", "1", "1", "a"};
  XgboostTracker::Output output;
  for (uint64_t id = 0; id < 4; ++id) {
    tracker.OnOpened(id, "h");
    output = tracker.OnBytes(id, Start(tasks[id], 70 + static_cast<int>(id)));
  }
  // The first worker with the task id "1" gets rank 1. The second "1", "a" and "b" get ranks 0, 2 and 3.
  EXPECT_THAT(output.closes, ElementsAre(2, 1, 3, 0));
}

TEST(XgboostTracker, ClosedConnectionIsNotCountedAsStarted) {
  XgboostTracker tracker(2);
  tracker.OnOpened(1, "h");
  tracker.OnBytes(1, Start("0", 70));
  tracker.OnClosed(1);
  tracker.OnOpened(2, "h");
  EXPECT_THAT(tracker.OnBytes(2, Start("1", 71)).closes, IsEmpty());
  tracker.OnOpened(3, "h");
  EXPECT_THAT(tracker.OnBytes(3, Start("0", 72)).closes, ElementsAre(3, 2));
}

TEST(XgboostTracker, WorkersCanStartAgainAfterShutdown) {
  XgboostTracker tracker(1);
  for (const uint64_t id : {1, 2}) {
    tracker.OnOpened(id, "h");
    EXPECT_THAT(tracker.OnBytes(id, Start("0", 70)).closes, ElementsAre(id));
    tracker.OnClosed(id);
    tracker.OnOpened(id + 10, "h");
    EXPECT_THAT(tracker.OnBytes(id + 10, Hello("0", 1, 0) + Framed(R"({"cmd":2})")).closes, ElementsAre(id + 10));
  }
}

TEST(XgboostTracker, PrintRequestPrintsTheMessageOfTheRank) {
  XgboostTracker tracker(4);
  tracker.OnOpened(1, "h");
  const auto output = tracker.OnBytes(1, Hello("3", 4, 3) + Framed(R"({"cmd":4,"msg":"[0]\ttrain:0.5\n"})"));
  EXPECT_THAT(output.prints, ElementsAre(Print{3, "[0]\ttrain:0.5\n"}));
  EXPECT_THAT(output.closes, ElementsAre(1));
}

TEST(XgboostTracker, ProtocolViolationClosesTheConnection) {
  const std::string bad[] = {
      "GET / HTTP/1.1\r\n\r\n",
      kMagic + "\xff\xff\xff\xff",                     // a negative length; XGBoost before 2.1 sends its rank here
      kMagic + std::string{'\0', '\0', '\x02', '\0'},  // 128 KiB
      kMagic + Framed("{}"),
      kMagic + Framed("[1]"),
      kMagic + Framed(R"({"rank":1e99,"task_id":"0","world_size":-1})"),
      kMagic + Framed(R"({"rank":0,"task_id":0,"world_size":-1})"),
      Hello("0") + Framed("no JSON"),
      Hello("0") + Framed(R"({"cmd":5})"),
      Hello("0") + Framed(R"({"cmd":1,"port":0})"),
      Hello("0") + Framed(R"({"cmd":1,"port":65536})"),
      Hello("0", 2) + Framed(R"({"cmd":1,"port":70})"),
      Hello("0", 2, 2) + Framed(R"({"cmd":4,"msg":"of whom?"})"),
      Hello("0", 2, -1) + Framed(R"({"cmd":4,"msg":"of whom?"})"),
      Hello("0", 2, 0) + Framed(R"({"cmd":4,"msg":7})"),
      Start("0", 70) + "more",
  };
  for (const std::string& bytes : bad) {
    XgboostTracker tracker(2);
    tracker.OnOpened(1, "h");
    const auto output = tracker.OnBytes(1, bytes);
    EXPECT_THAT(output.closes, ElementsAre(1)) << bytes;
    EXPECT_THAT(output.prints, IsEmpty()) << bytes;
    EXPECT_THAT(tracker.OnBytes(1, Start("0", 70)).sends, IsEmpty()) << bytes;
  }
}

TEST(XgboostTracker, MutatedBytesAffectNoOtherConnection) {
  const std::string good = Start("1", 71), print = Hello("0", 2, 0) + Framed(R"({"cmd":4,"msg":"x"})");
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    XgboostTracker tracker(2);
    tracker.OnOpened(1, "a");
    tracker.OnBytes(1, Start("0", 70));
    std::string bytes = random() % 2 == 0 ? good : print;
    for (int change = 1 + static_cast<int>(random() % 4); change > 0; --change) {
      const size_t at = random() % bytes.size();
      if (random() % 3 == 0) {
        bytes.insert(at, 1, static_cast<char>(random()));
      } else {
        bytes[at] = static_cast<char>(random());
      }
    }
    tracker.OnOpened(2, "b");
    const size_t cut = random() % bytes.size();
    const bool begun = !tracker.OnBytes(2, bytes.substr(0, cut)).closes.empty() ||
                       !tracker.OnBytes(2, bytes.substr(cut)).closes.empty();
    tracker.OnClosed(2);
    if (begun && !tracker.IsWaiting(1)) continue;  // the mutated bytes are still a valid `start`
    tracker.OnOpened(3, "c");
    const auto output = tracker.OnBytes(3, good);
    EXPECT_THAT(output.closes, ElementsAre(1, 3)) << round;
  }
}

}  // namespace
}  // namespace howdah::frameworks::xgboost
