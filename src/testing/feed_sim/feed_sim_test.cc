// Tests of the simulator itself: the properties on which the reliability of its results depends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker.h"
#include "howdah/testing/feed_sim/run_seed.h"
#include "scenario.h"
#include "world.h"

namespace howdah::testing::feed_sim {
namespace {

TEST(RunSeed, RepeatedRunGivesTheSameDigest) {
  std::set<uint64_t> digests;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SeedResult once = RunSeed(seed);
    const SeedResult again = RunSeed(seed);
    EXPECT_EQ(once.digest, again.digest) << seed;
    EXPECT_EQ(once.coverage, again.coverage) << seed;
    digests.insert(once.digest);
  }
  EXPECT_GT(digests.size(), 15u) << "seeds differ";
}

TEST(RunSeed, TraceDoesNotChangeTheDigest) {
  std::vector<std::string> lines;
  const SeedResult traced = RunSeed(5, [&lines](const std::string& line) { lines.push_back(line); });
  EXPECT_EQ(traced.digest, RunSeed(5).digest);
  EXPECT_THAT(lines, ::testing::Contains(::testing::HasSubstr("GenerationFormed")));
}

TEST(Tables, EveryRowHasItsOwnName) {
  std::set<std::string_view> names;
  for (const Faults& faults : FaultProfiles()) EXPECT_TRUE(names.insert(faults.name).second) << faults.name;
  for (size_t i = 0; i < static_cast<size_t>(Situation::kCount); ++i) {
    EXPECT_TRUE(names.insert(ToText(static_cast<Situation>(i))).second) << i;
  }
}

World CalmWorld() {
  return World{.schedule = {},
               .random = Random(3),
               .scenario = {},
               .faults_end = {},
               .trace = nullptr,
               .coverage = {},
               .violation = {}};
}

// The checker must find what it promises to find. Each row hands out rows, and then commits or closes.
TEST(Checker, BrokenRulesAreFound) {
  const ReadRow first{{0, 0, 0}}, second{{0, 1, 0}};
  struct Case {
    const char* what;
    std::string check;
    void (*run)(Checker& checker, const ReadRow& first, const ReadRow& second);
  };
  const Case cases[] = {
      {"nothing", "",
       [](Checker& checker, const ReadRow& one, const ReadRow& two) {
         checker.HandedOut({0, 0}, 0, {one});
         checker.HandedOut({1, 1}, 0, {two});
         checker.Ordered(feed::Committed{{0, 0}, 0, 1});
       }},
      {"the same row twice", "Each row is read once since the commit",
       [](Checker& checker, const ReadRow& one, const ReadRow&) {
         checker.HandedOut({0, 0}, 0, {one});
         checker.HandedOut({1, 1}, 0, {one});
       }},
      {"a committed row again", "A committed row is not read again",
       [](Checker& checker, const ReadRow& one, const ReadRow&) {
         checker.HandedOut({0, 0}, 0, {one});
         checker.Ordered(feed::Committed{{0, 0}, 0, 1});
         checker.NewGeneration(2);
         checker.HandedOut({1, 3}, 0, {one});
       }},
      {"an uncommitted row again", "",
       [](Checker& checker, const ReadRow& one, const ReadRow&) {
         checker.HandedOut({0, 0}, 0, {one});
         checker.NewGeneration(2);
         checker.HandedOut({1, 3}, 0, {one});
       }},
      {"a commit of rows that were not read", "Only rows that were handed out are committed",
       [](Checker& checker, const ReadRow&, const ReadRow&) {
         checker.Ordered(feed::Committed{{0, 0}, 0, 1});
       }},
      {"too many rows left out", "A pass leaves out less than the remainder rule allows",
       [](Checker& checker, const ReadRow&, const ReadRow&) {
         checker.Ordered(feed::ClosePass{.reader = {0, 0}, .left_out = 4});
       }},
      {"a failure without a reason", "A feed fails only for a reason",
       [](Checker& checker, const ReadRow&, const ReadRow&) {
         checker.Ordered(feed::FailFeed{feed::FailFeed::Why::kLost, "gone"});
       }},
      {"a row that is missing at the end", "Each row that is not left out is in the model",
       [](Checker& checker, const ReadRow& one, const ReadRow&) {
         checker.Ordered(feed::ClosePass{.reader = {0, 0}});
         checker.CheckEnd({{KeyOf(0, one.row), 1}}, true);
       }},
      {"a row twice at the end", "Each row is in the model once",
       [](Checker& checker, const ReadRow& one, const ReadRow& two) {
         checker.Ordered(feed::ClosePass{.reader = {0, 0}});
         checker.CheckEnd({{KeyOf(0, one.row), 2}, {KeyOf(0, two.row), 1}}, true);
       }},
  };
  for (const Case& one : cases) {
    World world = CalmWorld();
    world.scenario.rows = {2};
    Checker checker(world);
    checker.NewGeneration(2);
    one.run(checker, first, second);
    EXPECT_EQ(world.violation ? world.violation->check : "", one.check) << one.what;
  }
}

}  // namespace
}  // namespace howdah::testing::feed_sim
