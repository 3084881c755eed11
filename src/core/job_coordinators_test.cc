// Coordinators: tasks that read the addresses of the other tasks only when they start, like TensorFlow's chief.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using std::chrono::seconds;

Story Directed(bool saves) {
  Story story{JobOf({RoleOf("chief", 1), RoleOf("worker", 2, [](auto& role) { role.restart.max = 1; })})};
  story.rules.coordinators = {true, false};
  if (saves) story.spec.checkpoint.dir = "/checkpoints";
  return story;
}

TEST(JobCoordinators, CoordinatorRestartsWhenTaskMoved) {
  Reads(Directed(true), R"(
0s up
5s gone worker:1 its node was lost
  task worker:1 LOST a0 | worker:1 was lost on node2 after 5.0s, attempt 0: its node was lost
  task worker:1 PENDING a1
  ask worker*1
6s grant c4 worker node4
  task worker:1 ALLOCATED a1 in c4
  launch c4 worker:1
7s register c4
  task worker:1 READY a1
  stop chief:0 a0 10s
8s exit chief:0 a0 SIGTERM
8s ended chief:0 a0
  task chief:0 STOPPED a0 signal=SIGTERM | chief:0 was stopped for a restart on node0, attempt 0: worker:1 moved to
      node4
  task chief:0 READY a1
  start chief:0 a1 g0 in chief:0
)");
}

TEST(JobCoordinators, CoordinatorStartsWhenAllOtherTasksAreRegistered) {
  Story story = Directed(true);
  story.spec.roles[0].restart.max = 1;
  story.spec.roles[0].restart.backoff = seconds(0);
  Reads(story, R"(
0s up
5s gone worker:1 its node was lost
  task worker:1 LOST a0 | worker:1 was lost on node2 after 5.0s, attempt 0: its node was lost
  task worker:1 PENDING a1
  ask worker*1
5s exit chief:0 a0 1
5s ended chief:0 a0
  task chief:0 FAILED a0 code=1 | chief:0 failed with exit code 1 on node0 after 5.0s, attempt 0
  task chief:0 READY a1
6s grant c4 worker node4
  task worker:1 ALLOCATED a1 in c4
  launch c4 worker:1
7s register c4
  task worker:1 READY a1
  start chief:0 a1 g0 in chief:0
)");
}

TEST(JobCoordinators, CoordinatorWithoutCheckpointKeepsRunning) {
  Reads(Directed(false), R"(
0s up
5s gone worker:1 its node was lost
  task worker:1 LOST a0 | worker:1 was lost on node2 after 5.0s, attempt 0: its node was lost
  task worker:1 PENDING a1
  ask worker*1
6s grant c4 worker node4
  task worker:1 ALLOCATED a1 in c4
  launch c4 worker:1
7s register c4
  task worker:1 READY a1
)");
}

// Several joining tasks cause only one restart: when all requested tasks have joined, or after timeouts.settle.
TEST(JobCoordinators, CoordinatorRestartsWhenTaskJoins) {
  Story story = Directed(true);
  story.spec.roles[1].instances = {1, 4};
  story.spec.timeouts.settle = seconds(5);
  Reads(story, R"(
0s up
5s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
6s register c1
  task worker:1 READY a0
  start worker:1 a0 g0 in c1
7s grant c2 worker node2
  task worker:2 PENDING a0
  task worker:2 ALLOCATED a0 in c2
  launch c2 worker:2
8s register c2
  task worker:2 READY a0
  start worker:2 a0 g0 in c2
11s tick
  stop chief:0 a0 10s
12s exit chief:0 a0 SIGTERM
12s ended chief:0 a0
  task chief:0 STOPPED a0 signal=SIGTERM | chief:0 was stopped for a restart on node0, attempt 0: worker:1 was added
      on node1, worker:2 was added on node2
  task chief:0 READY a1
  start chief:0 a1 g0 in chief:0
)");
}

TEST(JobCoordinators, CoordinatorThatSucceededBeforeItsStopOrderIsNotRestarted) {
  Reads(Directed(true), R"(
0s up
5s gone worker:1 its node was lost
  task worker:1 LOST a0 | worker:1 was lost on node2 after 5.0s, attempt 0: its node was lost
  task worker:1 PENDING a1
  ask worker*1
6s grant c4 worker node4
  task worker:1 ALLOCATED a1 in c4
  launch c4 worker:1
7s register c4
  task worker:1 READY a1
  stop chief:0 a0 10s
7s exit chief:0 a0 0 at=6.9s
7s ended chief:0 a0
  task chief:0 SUCCEEDED a0 code=0
  release chief:0
)");
}

}  // namespace
}  // namespace howdah::core::testing
