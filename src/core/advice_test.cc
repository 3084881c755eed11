// What is advised of a job that works: a rank that is slow, resources that nobody used.
#include <gtest/gtest.h>

#include "howdah/core/waste.h"
#include "pace.h"
#include "transcript.h"

namespace howdah::core::testing {
namespace {

using namespace std::chrono_literals;

TEST(Pace, IsMeasuredByWindows) {
  Pace pace;
  EXPECT_FALSE(pace.Take(100, At(0s)));
  EXPECT_FALSE(pace.Take(120, At(20s)));
  EXPECT_EQ(pace.steps_per_second(), std::nullopt);
  EXPECT_TRUE(pace.Take(160, At(30s)));
  EXPECT_EQ(pace.steps_per_second(), 2.0);
  EXPECT_TRUE(pace.Take(160, At(60s)));
  EXPECT_EQ(pace.steps_per_second(), std::nullopt);
  EXPECT_FALSE(pace.Take(5, At(100s))) << "it counts anew";
  EXPECT_TRUE(pace.Take(35, At(130s)));
  EXPECT_EQ(pace.steps_per_second(), 1.0);
}

TEST(Pace, WhoIsSlowerThanHalfOfThemByFar) {
  EXPECT_EQ(SlowerBy(1, {1, 2}), std::nullopt);
  EXPECT_EQ(SlowerBy(1, {1, 1.9, 1.9, 1.9}), std::nullopt);
  EXPECT_EQ(SlowerBy(1, {2, 1, 2}), 2.0);
  EXPECT_EQ(SlowerBy(1, {4, 4, 1, 1, 4}), 4.0);
  EXPECT_EQ(SlowerBy(0, {4, 4, 0}), std::nullopt);
}

TEST(JobProgress, ARankThatIsSlowForLongIsNamedOnce) {
  Story story{JobOf({RoleOf("worker", 3)}), Ranked(1)};
  std::string events = "\n0s up\n";
  for (int second = 0; second <= 300; second += 10) {
    const std::string at = std::to_string(second) + "s progress worker:";
    for (const char* quick : {"0", "1"}) events += at + quick + " a0 " + std::to_string(second * 4) + "\n";
    events += at + "2 a0 " + std::to_string(second) + "\n";
  }
  const std::string played = Play(story, events);
  const std::string advice =
      "  job running | worker:2 (rank 2) on node2 is slow: a step takes it 4.0 times as long as the others (1 steps a "
      "second)\n";
  const size_t first = played.find(advice);
  ASSERT_NE(first, std::string::npos) << played;
  EXPECT_EQ(played.find("is slow", first + advice.size()), std::string::npos) << played;
}

TEST(Waste, IsSaidWhereMuchLessWouldDo) {
  constexpr int64_t kGiB = int64_t{1} << 30;
  const auto text = [](int64_t asked, int vcores, const RoleUse& use) {
    spec::RoleSpec role;
    role.name = "worker";
    role.memory_bytes = asked;
    role.vcores = vcores;
    return WasteText(role, use);
  };
  EXPECT_EQ(text(8 * kGiB, 1, {4, 10min, kGiB, 600}),
            "worker: of 8 GiB memory at most 1 GiB were used: `memory: 1536MiB` would do and free 26 GiB");
  EXPECT_EQ(text(kGiB, 8, {2, 100s, kGiB, 150}),
            "worker: of 8 vcores 1.5 were used on average: `vcores: 2` would do and free 12");
  EXPECT_EQ(text(8 * kGiB, 8, {2, 59s, kGiB / 2, 1}), "") << "it may just have begun";
  EXPECT_EQ(text(3 * kGiB, 4, {1, 10min, kGiB, 1500}), "");
  EXPECT_EQ(text(kGiB, 1, {1, 10min, kGiB / 10, 1}), "") << "too little to speak of";
  EXPECT_EQ(text(8 * kGiB, 8, {1, 10min, 0, 0}), "") << "nothing was measured";
}

}  // namespace
}  // namespace howdah::core::testing
