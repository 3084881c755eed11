// The journal's entries about containers.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

TEST(JobContainers, GrantAndReleaseOfEachContainerAreRecorded) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
0s amcontainer am1 node9 vcores=1 at=0s
  container am1 of the AM granted on node9 vcores=1 since 00s
1s grant c1 worker node1 vcores=2
  container c1 granted on node1 vcores=2
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
1s grant c2 worker node2 vcores=3
  container c2 granted on node2 vcores=3
  release c2
1s grant c2 worker node2 vcores=3
2s gone c2
  container c2 released
2s gone c2
3s grant c3 -1 node2 vcores=4
  container c3 granted on node2 vcores=4
  release c3
3s gone c3
  container c3 released
)");
}

// The journal records the end of the attempt before the release, because the attempt ended in the container.
TEST(JobContainers, ReleaseFollowsTheEndOfTheAttempt) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
0s grant c worker node0 vcores=1
  container c granted on node0 vcores=1
  task worker:0 ALLOCATED a0 in c
  launch c worker:0
0s register c
  task worker:0 READY a0
  start worker:0 a0 g0 in c
0s started c a0
  task worker:0 RUNNING a0 g0
  job running RUNNING g0
5s lost c its node was lost
  task worker:0 LOST a0 | worker:0 was lost on node0 after 5.0s, attempt 0: its node was lost (last heartbeat 5.0s
      earlier); no restart is charged
  task worker:0 PENDING a1
  container c released
  ask worker*1
)");
}

// After the second limit the core records the release, although the container has not exited.
TEST(JobContainers, ContainerThatDoesNotExitIsReleasedAfterItsLimit) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
1s grant c9 -1 node1 vcores=1
  container c9 granted on node1 vcores=1
  release c9
11s tick
  kill c9
21s tick
  container c9 released
25s gone c9
)");
}

// The executor of the last task uploads the outputs, which takes longer than an ordinary exit.
TEST(JobContainers, ContainerWhoseExecutorStoresFilesHasTenMinutes) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s up
5s exit worker:0 a0 0
5s ended worker:0 a0
  task worker:0 SUCCEEDED a0 code=0
  release worker:0
  job stopping
6s storing worker:0
60s tick
605s storing worker:0
606s tick
  kill worker:0
607s gone worker:0
  job finished SUCCEEDED exit=0
  finish SUCCEEDED 0
)");
}

// The next AM does not reach the executor, because an executor that leaves does not reconnect.
TEST(JobContainers, NextAmWaitsForAnExecutorThatStoresFiles) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s up
5s exit worker:0 a0 0
5s ended worker:0 a0
  task worker:0 SUCCEEDED a0 code=0
  release worker:0
  job stopping
6s storing worker:0
8s resumed 1
  job am
  release worker:0
60s tick
90s gone worker:0
  job finished SUCCEEDED exit=0
  finish SUCCEEDED 0
)");
}

TEST(JobContainers, ExecutorThatWasNotConnectedAtTheReleaseGetsTheOrderLater) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s up
5s exit worker:0 a0 0
5s disconnected worker:0
5s ended worker:0 a0
  task worker:0 SUCCEEDED a0 code=0
  release worker:0
  job stopping
9s register worker:0 a0
  release worker:0
10s storing worker:0
90s gone worker:0
  job finished SUCCEEDED exit=0
  finish SUCCEEDED 0
)");
}

// The previous AM released the container, and the record of this was lost with the AM's node.
TEST(JobContainers, TaskOfAnExecutorThatLeavesByAnUnknownOrderMoves) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s up
5s resumed 1
  job am | the application master (attempt 0) died; attempt 1 continues and has adopted 1 container
5s register worker:0 a0
  start worker:0 a0 g0 in worker:0
5s storing worker:0
  release worker:0
  task worker:0 LOST a0 | worker:0 was lost on node0 after 5.0s, attempt 0: the application master died before it had
      recorded that it had released its container; no restart is charged
  task worker:0 PENDING a1
  ask worker*1
9s gone worker:0
)");
}

TEST(JobContainers, AttemptThatEndsByAnUnknownOrderKeepsItsUsage) {
  Job job(JobOf({RoleOf("worker", 1)}), {}, At(Duration(0)), 1);
  job.Step(AmStarted{"node0", 0}, At(Duration(0)));
  job.Step(ContainerGranted{{"c"}, 0, "node1"}, At(Duration(1)));
  job.Step(ExecutorRegistered{{"c"}, {"node1", 4000}}, At(Duration(2)));
  job.Step(TaskStarted{{"c"}, 0, {100}, At(Duration(3))}, At(Duration(3)));
  job.Step(HeartbeatReceived{{"c"}, Usage{.memory_bytes = 7}}, At(Duration(4)));
  std::optional<Usage> recorded;
  for (const Action& action : job.Step(ExecutorStoring{{"c"}}, At(Duration(5))).actions) {
    const auto* record = std::get_if<Record>(&action);
    const auto* ended = record != nullptr ? std::get_if<TaskChanged>(&record->change) : nullptr;
    if (ended != nullptr && ended->state == TaskState::kLost) recorded = ended->usage;
  }
  ASSERT_TRUE(recorded);
  EXPECT_EQ(recorded->memory_bytes, 7);
}

// An executor that is not connected cannot be ordered to exit.
TEST(JobContainers, ContainerWhoseExecutorHasNotConnectedIsKilled) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
0s grant c worker node0
  task worker:0 ALLOCATED a0 in c
  launch c worker:0
2s kill - ann
  job stop-requested | killed by ann before any task ran, 2.0s after it was submitted
  job stopping | killed by ann before any task ran, 2.0s after it was submitted
  task worker:0 STOPPED a0
  release c
  kill c
2s storing c
12s tick
  job finished KILLED exit=4 | killed by ann before any task ran, 2.0s after it was submitted; container c on node0
      did not exit when it was killed
  finish KILLED 4
)");
}

// An event log of a version that did not record resources leads to the journal that this version wrote.
TEST(JobContainers, GrantWithoutResourcesIsNotRecorded) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
1s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
1s grant c2 worker node1
  release c2
2s gone c2
)");
}

}  // namespace
}  // namespace howdah::core::testing
