// Elastic roles that are scaled while the job runs.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

jobspec::RoleSpec Elastic(int min, int max) {
  return RoleOf("worker", min, [&](auto& role) { role.instances.max = max; });
}

TEST(JobScale, UnrankedTasksScaleUpAndDown) {
  Reads({JobOf({Elastic(2, 4)})}, R"(
0s up
1s scale worker 3
  scaled worker 4->3 by ann
  cancel
  ask worker*1 optional
1s scale worker 5
1s scale worker 1
1s scale ps 3
2s grant c3 worker node3
  task worker:2 PENDING a0
  task worker:2 ALLOCATED a0 in c3
  launch c3 worker:2
2s register c3
  task worker:2 READY a0
  start worker:2 a0 g0 in c3
2s started c3 a0
  task worker:2 RUNNING a0 g0
3s scale worker 2
  scaled worker 3->2 by ann
  stop c3 a0 10s
3s scale worker 4
4s exit c3 a0 SIGTERM
4s ended c3 a0
  task worker:2 STOPPED a0 signal=SIGTERM
  release c3
  removed worker:2 STOPPED a0
  scaled worker 2->4 by ann
  ask worker*2 optional
5s gone c3
5s grant c4 worker node4
  task worker:2 PENDING a1
  task worker:2 ALLOCATED a1 in c4
  launch c4 worker:2
5s register c4
  task worker:2 READY a1
  start worker:2 a1 g0 in c4
)");
}

// The tasks were ordered to start with the old size, so all of them restart.
TEST(JobScale, ScalingDownRestartsRankedTasksThatAreStarting) {
  Reads({JobOf({RoleOf("worker", 3, [](auto& role) { role.instances.min = 1; })}), Ranked(1)}, R"(
0s am 0
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
  ask worker*2 optional
0s grant c0 worker node0
  task worker:0 ALLOCATED a0 in c0
  launch c0 worker:0
0s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
0s grant c2 worker node2
  task worker:2 PENDING a0
  task worker:2 ALLOCATED a0 in c2
  launch c2 worker:2
0s register c0
  task worker:0 READY a0
0s register c1
  task worker:1 READY a0
0s register c2
  task worker:2 READY a0
  start worker:0 a0 g0 in c0
  start worker:1 a0 g0 in c1
  start worker:2 a0 g0 in c2
1s scale worker 2
  scaled worker 3->2 by ann
  stop c2 a0 10s
  stop c0 a0 10s
  stop c1 a0 10s
  job recovering RECOVERING g0 | worker was scaled from 3 to 2; all ranked tasks are restarted
1s started c0 a0
  task worker:0 RUNNING a0 g0
1s ended c0 a0
  task worker:0 STOPPED a0
1s ended c1 a0
  task worker:1 STOPPED a0
1s ended c2 a0
  task worker:2 STOPPED a0
  release c2
  removed worker:2 STOPPED a0
  job recovering RECOVERING g1 | worker was scaled from 3 to 2; all ranked tasks restart as generation 1
  task worker:0 READY a1
  task worker:1 READY a1
  start worker:0 a1 g1 in c0
  start worker:1 a1 g1 in c1
)");
}

// If the count began again, a failing task could be scaled away and added again indefinitely.
TEST(JobScale, NewTaskInheritsChargedRestartsOfItsIndex) {
  Reads({JobOf({RoleOf("worker", 1,
                       [](auto& role) {
                         role.instances.max = 2;
                         role.restart = {1, Duration(0)};
                       })})},
        R"(
0s up
0s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
0s register c1
  task worker:1 READY a0
  start worker:1 a0 g0 in c1
0s started c1 a0
  task worker:1 RUNNING a0 g0
1s exit c1 a0 7
1s ended c1 a0
  task worker:1 FAILED a0 code=7 | worker:1 failed with exit code 7 on node1 after 1.0s, attempt 0
  task worker:1 READY a1
  start worker:1 a1 g0 in c1
1s started c1 a1
  task worker:1 RUNNING a1 g0
2s scale worker 1
  scaled worker 2->1 by ann
  stop c1 a1 10s
2s exit c1 a1 SIGTERM
2s ended c1 a1
  task worker:1 STOPPED a1 signal=SIGTERM
  release c1
  removed worker:1 STOPPED a1
2s gone c1
3s scale worker 2
  scaled worker 1->2 by ann
  ask worker*1 optional
3s grant c2 worker node2
  task worker:1 PENDING a2
  task worker:1 ALLOCATED a2 in c2
  launch c2 worker:1
3s register c2
  task worker:1 READY a2
  start worker:1 a2 g0 in c2
3s started c2 a2
  task worker:1 RUNNING a2 g0
4s exit c2 a2 7
  job stopping | worker:1 failed with exit code 7 on node2 after 1.0s, attempt 2
  stop worker:0 a0 10s
4s ended c2 a2
  task worker:1 FAILED a2 code=7 | worker:1 failed with exit code 7 on node2 after 1.0s, attempt 2
  release c2
)");
}

TEST(JobScale, ScalingDownRemovesAddedTasksBeforeTheyRegister) {
  Reads({JobOf({Elastic(1, 4)})}, R"(
0s up
2s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
3s scale worker 2
  scaled worker 4->2 by ann
  cancel
4s scale worker 1
  scaled worker 2->1 by ann
  task worker:1 STOPPED a0
  release c1
  kill c1
  removed worker:1 STOPPED a0
5s gone c1
)");
}

TEST(JobScale, ScalingRestartsRankedTasksWithTheNewSize) {
  Reads({JobOf({Elastic(2, 4)}), Ranked(1)}, R"(
0s up
1s scale worker 3
  scaled worker 4->3 by ann
  cancel
  ask worker*1 optional
3s grant c2 worker node3
  task worker:2 PENDING a0
  task worker:2 ALLOCATED a0 in c2
  launch c2 worker:2
3s register c2
  task worker:2 READY a0
  stop worker:0 a0 10s
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker grows from 2 to 3; all ranked tasks are restarted
3s ended worker:0 a0
  task worker:0 STOPPED a0
3s ended worker:1 a0
  task worker:1 STOPPED a0
  job recovering RECOVERING g1 | worker grows from 2 to 3; all ranked tasks restart as generation 1
  task worker:0 READY a1
  task worker:1 READY a1
  start worker:0 a1 g1 in worker:0
  start worker:1 a1 g1 in worker:1
  start worker:2 a0 g1 in c2
3s started worker:0 a1
  task worker:0 RUNNING a1 g1
  job running RUNNING g1
4s scale worker 2
  scaled worker 3->2 by ann
  stop c2 a0 10s
  stop worker:0 a1 10s
  stop worker:1 a1 10s
  job recovering RECOVERING g1 | worker was scaled from 3 to 2; all ranked tasks are restarted
4s ended worker:0 a1
  task worker:0 STOPPED a1
4s ended worker:1 a1
  task worker:1 STOPPED a1
4s ended c2 a0
  task worker:2 STOPPED a0
  release c2
  removed worker:2 STOPPED a0
  job recovering RECOVERING g2 | worker was scaled from 3 to 2; all ranked tasks restart as generation 2
  task worker:0 READY a2
  task worker:1 READY a2
  start worker:0 a2 g2 in worker:0
  start worker:1 a2 g2 in worker:1
5s gone c2
5s started worker:0 a2
  task worker:0 RUNNING a2 g2
  job running RUNNING g2
)");
}

TEST(JobScale, ScalingDownToTheNumberOfRunningTasksStopsNoTask) {
  Reads({JobOf({Elastic(1, 4)})}, R"(
0s up
1s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
1s grant c2 worker node2
  task worker:2 PENDING a0
  task worker:2 ALLOCATED a0 in c2
  launch c2 worker:2
1s register c1
  task worker:1 READY a0
  start worker:1 a0 g0 in c1
1s register c2
  task worker:2 READY a0
  start worker:2 a0 g0 in c2
2s started c1 a0
  task worker:1 RUNNING a0 g0
2s started c2 a0
  task worker:2 RUNNING a0 g0
3s preempted c1 it was preempted
  task worker:1 LOST a0 | worker:1 was lost on node1 after 1.0s, attempt 0: it was preempted; no restart is charged
  task worker:1 PENDING a1
  ask worker*1
3s tick
  task worker:1 STOPPED a1 | its container was preempted; the job continues with the other 2 of its role
  removed worker:1 STOPPED a1
4s scale worker 2
  scaled worker 4->2 by ann
  cancel
5s scale worker 3
  scaled worker 2->3 by ann
  ask worker*1 optional
6s grant c5 worker node5
  task worker:1 PENDING a1
  task worker:1 ALLOCATED a1 in c5
  launch c5 worker:1
)");
}

// The first failure is certain only when all attempts have ended, and it may be the failure of a task that is to leave.
TEST(JobScale, ScalingWaitsForTheEndOfADrain) {
  Story story{JobOf({Elastic(1, 3)}), Ranked(1)};
  story.spec.roles[0].restart.max = 1;
  Reads(story, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
  ask worker*2 optional
0s grant c0 worker node0
  task worker:0 ALLOCATED a0 in c0
  launch c0 worker:0
0s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
0s grant c2 worker node2
  task worker:2 PENDING a0
  task worker:2 ALLOCATED a0 in c2
  launch c2 worker:2
1s register c1
  task worker:1 READY a0
1s register c2
  task worker:2 READY a0
1s register c0
  task worker:0 READY a0
  start worker:0 a0 g0 in c0
  start worker:1 a0 g0 in c1
  start worker:2 a0 g0 in c2
1s started c0 a0
  task worker:0 RUNNING a0 g0
  job running RUNNING g0
1s started c1 a0
  task worker:1 RUNNING a0 g0
1s started c2 a0
  task worker:2 RUNNING a0 g0
5s exit c0 a0 1
  stop c1 a0 10s
  stop c2 a0 10s
  job recovering RECOVERING g0 | worker:0 failed with exit code 1 on node0 after 4.0s, attempt 0; all ranked tasks are
      restarted
5s ended c0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 4.0s, attempt 0
5s scale worker 1
5s exit c2 a0 137 at=4s
5s ended c2 a0
  task worker:2 FAILED a0 code=137 | worker:2 failed with exit code 137 on node2 after 3.0s, attempt 0
5s exit c1 a0 1
5s ended c1 a0
  task worker:1 STOPPED a0 code=1
  job recovering RECOVERING g1 | worker:2 failed with exit code 137 on node2 after 3.0s, attempt 0; all ranked tasks
      restart as generation 1 in 1.0s
  task worker:0 READY a1
  task worker:1 READY a1
  task worker:2 READY a1
  scaled worker 3->1 by ann
  task worker:2 STOPPED a1
  release c2
  removed worker:2 STOPPED a1
  task worker:1 STOPPED a1
  release c1
  removed worker:1 STOPPED a1
6s tick
  start worker:0 a1 g1 in c0
)");
}

TEST(JobScale, ScalingBeforeTheStartChangesTheNumberOfOptionalTasks) {
  Reads({JobOf({Elastic(1, 4)}), Ranked(1)}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
  ask worker*3 optional
0s scale worker 2
  scaled worker 4->2 by ann
  cancel
  ask worker*1 together
  ask worker*1 optional
1s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
1s register c1
  task worker:0 READY a0
  start worker:0 a0 g0 in c1
)");
}

TEST(JobScale, RoleThatIsNotElasticKeepsItsSize) {
  Reads({JobOf({Elastic(2, 2)})}, R"(
0s up
1s scale worker 1
)");
}

}  // namespace
}  // namespace howdah::core::testing
