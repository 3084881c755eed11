#include "howdah/core/heartbeats.h"

#include <gmock/gmock.h>

namespace howdah::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

Instant At(int seconds) { return Instant(std::chrono::seconds(seconds)); }

TEST(Heartbeats, AreTakenBeforeTickAndBeforeContainerExit) {
  const ContainerId a{"a"}, b{"b"}, c{"c"};
  Heartbeats heartbeats;
  heartbeats.Record(b, At(1));
  heartbeats.Record(a, At(2));
  heartbeats.Record(c, At(2));
  heartbeats.Record(b, At(3));
  EXPECT_THAT(heartbeats.TakeBefore(TaskEnded{a, 0, At(4)}), IsEmpty());
  EXPECT_THAT(heartbeats.TakeBefore(ContainerExited{a}), ElementsAre(Pair(At(2), a)));
  EXPECT_THAT(heartbeats.TakeBefore(ContainerExited{a}), IsEmpty());
  EXPECT_THAT(heartbeats.TakeBefore(Ticked{}), ElementsAre(Pair(At(2), c), Pair(At(3), b)));
  EXPECT_THAT(heartbeats.TakeBefore(Ticked{}), IsEmpty());
}

}  // namespace
}  // namespace howdah::core
