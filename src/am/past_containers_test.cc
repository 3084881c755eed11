#include "past_containers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::am {
namespace {

TEST(PastContainers, HeldContainersAreRebuiltFromEvents) {
  const ContainerId a{"a"}, b{"b"}, c{"c"}, d{"d"};
  PastContainers past;
  past.Replay(core::ContainerGranted{a, 0, "n1"}, {core::LaunchExecutor{a, {0, 3}}});
  past.Replay(core::ContainerGranted{b, 1, "n2"}, {});
  past.Replay(core::ContainerGranted{c, -1, "n1"}, {});
  past.Replay(core::ContainerGranted{d, 0, "n1"}, {});
  past.Replay(core::ExecutorRegistered{.container = a, .callback = "n1:77"}, {});
  past.Replay(core::ReclaimAnnounced{a, "its node is being decommissioned"}, {});
  past.Replay(core::ReclaimAnnounced{b, "the scheduler preempts it", /*preempted=*/true}, {});
  past.Replay(core::ContainerExited{.container = d}, {});
  past.Replay(core::ReclaimAnnounced{d, "its node is being decommissioned"}, {});

  ASSERT_EQ(past.held().size(), 3u);
  const backend::Inherited& first = past.held().at(a);
  EXPECT_EQ(first.role, 0);
  EXPECT_EQ(first.node, "n1");
  EXPECT_EQ(first.task, (TaskId{0, 3}));
  EXPECT_TRUE(first.node_leaves);
  EXPECT_EQ(past.CallbackOf(a), "n1:77");
  EXPECT_FALSE(past.held().at(b).task.has_value());
  EXPECT_FALSE(past.held().at(b).node_leaves) << "the container is preempted, and its node stays";
  EXPECT_EQ(past.CallbackOf(b), "");
  EXPECT_EQ(past.held().at(c).role, -1);
}

}  // namespace
}  // namespace howdah::am
