#include "howdah/admission/gang_tag.h"

#include <gtest/gtest.h>

#include <random>

namespace howdah::admission {
namespace {

using std::chrono::seconds;

TEST(GangTag, DemandsAreWrittenAndRead) {
  const struct {
    Demand demand;
    const char* tag;
  } cases[] = {
      {{{{2, {4096, 1, 0, {}}}, {1, {2048, 1, 0, {}}}}, seconds(3600)}, "howdah-gang:2x4096m1c+1x2048m1c;run=3600"},
      {{{{4, {16384, 2, 1, {}}}}, std::nullopt}, "howdah-gang:4x16384m2c1g"},
      {{{{1, {512, 0, 0, {{"fpga", 2}, {"example.com/nic", 1}}}}}, std::nullopt},
       "howdah-gang:1x512mr.example.com/nic=1r.fpga=2"},
      {{{{1, {512, 1, 0, {{"fpga", 2}}}}, {3, {64, 1, 0, {}}}}, seconds(1)},
       "howdah-gang:1x512m1cr.fpga=2+3x64m1c;run=1"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ToTag(c.demand), c.tag);
    EXPECT_EQ(ParseTag(c.tag), c.demand) << c.tag;
  }
}

TEST(GangTag, LongDemandsArePublishedAsTheirSum) {
  Demand demand;
  for (int64_t i = 1; i <= 20; ++i) demand.tasks.push_back({i, {1000 + i, 1, 0, {}}});
  demand.run = seconds(60);
  const std::string tag = ToTag(demand);
  EXPECT_EQ(tag, "howdah-gang:sum:210x212870m210c;run=60");
  const auto read = ParseTag(tag);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->tasks, (std::vector<Tasks>{{210, {1014, 1, 0, {}}}})) << "1013.67 MiB each, rounded up";
  EXPECT_EQ(read->run, seconds(60));
}

TEST(GangTag, NamesThatAreTooLongAreLeftOut) {
  const std::string name(2 * kTagLimit, 'x');
  EXPECT_EQ(ToTag({{{2, {1024, 1, 0, {{name, 1}}}}}, {}}), "howdah-gang:sum:2x2048m2c");
}

TEST(GangTag, SumIsAtMostTheLargestAmountOfATag) {
  Demand demand;
  for (int i = 0; i < 20; ++i) demand.Add(11, {209'444'444'496 + i, 1, 0, {{"fpga", 999'999'999'999}}});
  const std::string tag = ToTag(demand);
  EXPECT_EQ(tag, "howdah-gang:sum:220x1000000000000m220cr.fpga=1000000000000");
  EXPECT_TRUE(ParseTag(tag));
}

TEST(GangTag, OtherTextsAreNoDemands) {
  for (const char* tag :
       {"", "howdah-gang:", "howdah-gang:2x", "howdah-gang:2x1c", "howdah-gang:0x1m", "howdah-gang:-1x1m",
        "howdah-gang:1x1m;run=", "howdah-gang:1x1m;run=-1", "howdah-gang:1x1m+", "howdah-gang:1x1m1c1c",
        "howdah-gang:1x1mr.=1", "howdah-gang:1x1mr.a=1r.a=2", "howdah-gang:1x9999999999999m", "howdah-gang:100001x1m",
        "howdah-gang:60000x1m+60000x1m", "howdah-gang:sum:1x1m+1x1m", "howdah-gang:1x1m ", "team-a"}) {
    EXPECT_FALSE(ParseTag(tag)) << tag;
  }
}

TEST(GangTag, OptionalTasksHaveATagOfTheirOwn) {
  const std::vector<Tasks> tasks = {{6, {4096, 1, 1, {}}}, {2, {1024, 1, 0, {}}}};
  const std::string tag = ToOptionalTag(tasks);
  EXPECT_EQ(tag, "howdah-gang:optional:6x4096m1c1g+2x1024m1c");
  EXPECT_EQ(ParseOptionalTag(tag), tasks);
  EXPECT_EQ(ParseTag(tag), std::nullopt);
  EXPECT_EQ(ParseOptionalTag("howdah-gang:2x1024m1c"), std::nullopt);
}

TEST(GangTag, AnyTextIsSafe) {
  std::mt19937 random(1);
  const std::string_view pieces[] = {
      "howdah-gang:", "sum:", "1", "99999999999999999999", "x", "m", "c", "g", "r.", "=", "+", ";run=", "a", "\xff"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "howdah-gang:";
    for (size_t count = random() % 12; count > 0; --count) text += pieces[random() % std::size(pieces)];
    if (const auto demand = ParseTag(text)) {
      EXPECT_TRUE(ParseTag(ToTag(*demand))) << text;
    }
  }
}

TEST(GangTag, EqualTasksAreOneEntry) {
  Demand demand;
  demand.Add(2, {1024, 1, 0, {}});
  demand.Add(1, {2048, 1, 1, {}});
  demand.Add(3, {1024, 1, 0, {}});
  EXPECT_EQ(demand.tasks, (std::vector<Tasks>{{5, {1024, 1, 0, {}}}, {1, {2048, 1, 1, {}}}}));
  EXPECT_EQ(ToText(demand.tasks), "5 × 1 GiB, 1 vcore + 2 GiB, 1 vcore, 1 GPU");
}

}  // namespace
}  // namespace howdah::admission
