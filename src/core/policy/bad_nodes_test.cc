#include "howdah/core/policy/bad_nodes.h"

#include <gtest/gtest.h>

namespace howdah::core::policy {
namespace {

using namespace std::chrono_literals;

Instant At(Duration since) { return Instant(since); }

BadNodes Used(int nodes) {
  BadNodes made;
  for (int i = 0; i < nodes; ++i) made.Seen("node" + std::to_string(i));
  return made;
}

TEST(BadNodes, NodeIsAvoidedAfterThreeFailuresInTenMinutes) {
  BadNodes nodes = Used(3);
  EXPECT_EQ(nodes.Failed("node1", At(0min)), "");
  EXPECT_EQ(nodes.Failed("node1", At(1min)), "");
  EXPECT_EQ(nodes.Failed("node1", At(11min)), "") << "the first failure is too old";
  EXPECT_EQ(nodes.Failed("node1", At(11min)),
            "node1 is avoided for 10m00s: 3 attempts failed there within 10m00s, at most 0 on any other node");
  EXPECT_EQ(nodes.Failed("node1", At(12min)), "") << "reported once";
  EXPECT_TRUE(nodes.Avoided("node1", At(12min)));
  EXPECT_FALSE(nodes.Avoided("node2", At(12min)));
  ASSERT_EQ(nodes.Avoided(At(12min)).size(), 1u);
  EXPECT_EQ(nodes.Avoided(At(12min)).front().second, 9min);
  EXPECT_FALSE(nodes.Avoided("node1", At(21min)));
}

TEST(BadNodes, ReasonContainsTheEndOfTheAvoidance) {
  BadNodes nodes = Used(3);
  const std::string faulty = nodes.Faulty("node0", At(5min));
  EXPECT_EQ(AvoidedUntil(faulty, At(5min)), At(5min + 24h));
  nodes = Used(3);
  for (int i = 0; i < 2; ++i) nodes.Failed("node1", At(1min));
  const std::string failed = nodes.Failed("node1", At(2min));
  EXPECT_EQ(AvoidedUntil(failed, At(2min)), At(12min));
  for (const char* other : {"", "node1", "node1 is avoided for ", "node1 is avoided for ever: no", "node1 is idle: 1d"})
    EXPECT_EQ(AvoidedUntil(other, At(2min)), std::nullopt) << other;
}

TEST(BadNodes, NoNodeIsAvoidedWhenAllNodesFail) {
  BadNodes nodes = Used(3);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(nodes.Failed("node1", At(1s * i)), "");
    EXPECT_EQ(nodes.Failed("node2", At(1s * i)), "");
  }
}

TEST(BadNodes, AtMostHalfOfTheNodesAreAvoided) {
  BadNodes one = Used(1);
  BadNodes four = Used(4);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(one.Failed("node0", At(1s * i)), "");
  for (int i = 0; i < 3; ++i) four.Failed("node0", At(0s));
  for (int i = 0; i < 6; ++i) four.Failed("node1", At(0s));
  for (int i = 0; i < 12; ++i) four.Failed("node2", At(0s));
  EXPECT_TRUE(four.Avoided("node0", At(1s)) && four.Avoided("node1", At(1s)));
  EXPECT_FALSE(four.Avoided("node2", At(1s)));
}

}  // namespace
}  // namespace howdah::core::policy
