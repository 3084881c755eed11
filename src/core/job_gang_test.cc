// Gang scheduling: complete and incomplete gangs.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using std::chrono::seconds;

jobspec::JobSpec TwoWorkers() { return JobOf({RoleOf("worker", 2)}); }

TEST(JobGang, IncompleteGangReleasesContainersAndRequestsThemAgain) {
  Reads({TwoWorkers()}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  ask worker*2 together
0s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
1s delayed all GPUs are taken
  job waiting | all GPUs are taken
8s tick
  job waiting | 1 of 2 containers are held, no more were granted for 8.0s; they are released in 2.6s unless more are
      granted; all GPUs are taken
16s tick
  cancel
  release c1 replaced
  task worker:0 PENDING a0
  job waiting | 1 of 2 containers were held and no more were granted for 16.0s; they were released to avoid a deadlock
      with another job and are requested again in 1.2s; all GPUs are taken
16s gone c1
16.1s grant c9 worker node9
  release c9
18s tick
  job waiting | all GPUs are taken
  ask worker*2 together
34s grant c2 worker node2
  task worker:0 ALLOCATED a0 in c2
34s grant c3 worker node3
  task worker:1 ALLOCATED a0 in c3
  job waiting
  launch c2 worker:0
  launch c3 worker:1
)");
}

TEST(JobGang, AllocationTimeoutBeginsWhenNoJobIsAheadAnyMore) {
  Reads({JobOf({RoleOf("worker", 2)}, [](auto& spec) { spec.timeouts.gang = seconds(60); })}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  ask worker*2 together
1s queued 2 jobs are ahead
  job waiting | 2 jobs are ahead
500s queued 1 job is ahead
  job waiting | 1 job is ahead
600s delayed
  job waiting
659s tick
660s tick
  job stopping | gang allocation timed out after 1m (timeouts.gang): 0 of 2 tasks ready, 2 without a container
      (worker:0, worker:1)
  cancel
  task worker:0 STOPPED a0
  task worker:1 STOPPED a0
  job finished FAILED exit=3 | gang allocation timed out after 1m (timeouts.gang): 0 of 2 tasks ready, 2 without a
      container (worker:0, worker:1)
  finish FAILED 3
)");
}

TEST(JobGang, GangAllocationTimesOut) {
  Reads({JobOf({RoleOf("ps", 1), RoleOf("worker", 3)},
               [](auto& spec) {
                 spec.timeouts.gang = seconds(60);
                 spec.timeouts.hold = seconds(600);
               })},
        R"(
0s am
  job am STARTING
  task ps:0 PENDING a0
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  task worker:2 PENDING a0
  ask ps*1 worker*3 together
1s grant c1 ps node1
  task ps:0 ALLOCATED a0 in c1
1s grant c2 worker node2
  task worker:0 ALLOCATED a0 in c2
1s delayed queue ml is full
  job waiting | queue ml is full
61s tick
  job stopping | gang allocation timed out after 1m (timeouts.gang): 0 of 4 tasks ready, 2 of 4 containers granted, 2
      without a container (worker:1, worker:2); queue ml is full
  cancel
  task ps:0 STOPPED a0
  release c1
  task worker:0 STOPPED a0
  release c2
  task worker:1 STOPPED a0
  task worker:2 STOPPED a0
61s gone c1
62s gone c2
  job finished FAILED exit=3 | gang allocation timed out after 1m (timeouts.gang): 0 of 4 tasks ready, 2 of 4
      containers granted, 2 without a container (worker:1, worker:2); queue ml is full
  finish FAILED 3
)");
}

TEST(JobGang, LaunchedGangTimesOutIfATaskDoesNotRegister) {
  Reads({JobOf({RoleOf("worker", 2)}, [](auto& spec) { spec.timeouts.gang = seconds(60); })}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  ask worker*2 together
1s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
1s grant c2 worker node2
  task worker:1 ALLOCATED a0 in c2
  launch c1 worker:0
  launch c2 worker:1
2s register c1
  task worker:0 READY a0
50s heartbeat c1
60s tick
  job stopping | gang allocation timed out after 1m (timeouts.gang): 1 of 2 tasks ready, 1 not connected (worker:1 on
      node2)
  task worker:0 STOPPED a0
  release c1
  task worker:1 STOPPED a0
  release c2
  kill c2
61s gone c1
61s gone c2
  job finished FAILED exit=3 | gang allocation timed out after 1m (timeouts.gang): 1 of 2 tasks ready, 1 not connected
      (worker:1 on node2)
  finish FAILED 3
)");
}

TEST(JobGang, RoleWithFreeStartRequestsContainersWhenItMayStart) {
  Reads({JobOf({RoleOf("reader", 1), RoleOf("worker", 1,
                                            [](auto& role) {
                                              role.after = {{"reader", true}};
                                            })},
               [](auto& spec) { spec.start = jobspec::StartMode::kFree; })},
        R"(
0s am
  job am STARTING
  task reader:0 PENDING a0
  task worker:0 PENDING a0
  ask reader*1
0s grant c1 reader node1
  task reader:0 ALLOCATED a0 in c1
  launch c1 reader:0
1s register c1
  task reader:0 READY a0
  start reader:0 a0 g0 in c1
1s started c1 a0
  task reader:0 RUNNING a0 g0
  job running RUNNING g0
2s exit c1 a0 0
2s ended c1 a0
  task reader:0 SUCCEEDED a0 code=0
  release c1
  ask worker*1
)");
}

TEST(JobGang, TaskWithFreeStartRunsAsSoonAsItIsRegistered) {
  Reads({JobOf({RoleOf("worker", 2)}, [](auto& spec) { spec.start = jobspec::StartMode::kFree; })}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  ask worker*2
0s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
1s register c1
  task worker:0 READY a0
  start worker:0 a0 g0 in c1
1s started c1 a0
  task worker:0 RUNNING a0 g0
  job running RUNNING g0
2s grant c2 worker node2
  task worker:1 ALLOCATED a0 in c2
  launch c2 worker:1
3s register c2
  task worker:1 READY a0
  start worker:1 a0 g0 in c2
)");
}

TEST(JobGang, TasksWithFreeStartWaitForEachOtherIfTheFrameworkNeedsAllAddresses) {
  Reads({JobOf({RoleOf("worker", 2)}, [](auto& spec) { spec.start = jobspec::StartMode::kFree; }), {{}, true}}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  ask worker*2
0s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
1s register c1
  task worker:0 READY a0
2s grant c2 worker node2
  task worker:1 ALLOCATED a0 in c2
  launch c2 worker:1
3s register c2
  task worker:1 READY a0
  start worker:0 a0 g0 in c1
  start worker:1 a0 g0 in c2
)");
}

TEST(JobGang, SurplusContainerIsReleased) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s grant c0 worker node0
  release c0
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
1s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
1s grant c2 worker node2
  release c2
1s grant c3 chief node2
  release c3
1s grant c1 worker node1
2s gone c2 whatever
2s gone c7 whatever
2s register c3
  release c3
12s tick
  kill c0
  kill c3
22s tick
)");
}

TEST(JobGang, ContainerLostDuringAssemblyIsRequestedAgain) {
  Reads({TwoWorkers()}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  ask worker*2 together
1s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
2s gone c1 its node was lost
  task worker:0 PENDING a0
  ask worker*1 together
3s grant c2 worker node2
  task worker:0 ALLOCATED a0 in c2
3s grant c3 worker node3
  task worker:1 ALLOCATED a0 in c3
  launch c2 worker:0
  launch c3 worker:1
)");
}

// Without the release, two gangs that each lost a container would block each other until both reach their limit.
TEST(JobGang, GangThatLostContainerBeforeStartReleasesItsOtherContainers) {
  const Story story{JobOf({RoleOf("worker", 2)})};
  Reads(story, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  ask worker*2 together
0s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
0s grant c2 worker node2
  task worker:1 ALLOCATED a0 in c2
  launch c1 worker:0
  launch c2 worker:1
1s register c1
  task worker:0 READY a0
2s gone c2 its node was lost
  task worker:1 PENDING a0 | worker:1 did not become ready on node2: its node was lost; another container is requested
  ask worker*1
20s tick
  cancel
  release c1 replaced
  task worker:0 PENDING a0
  job waiting | 1 of 2 containers were held and no more were granted for 18.0s; they were released to avoid a deadlock
      with another job and are requested again in 1.2s
)");
}

// Only a gang without a running task releases its containers. Here one ranked task runs again while the other is
// replaced.
TEST(JobGang, GangWithARunningTaskKeepsItsContainers) {
  Reads({JobOf({RoleOf("worker", 1, [](auto& role) { role.restart.max = 1; }),
                RoleOf("other", 1, [](auto& role) { role.restart.max = 1; })}),
         {{true, false}, false}},
        R"(
0s up
1s exit worker:0 a0 1
  job recovering RECOVERING g0 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0; all ranked tasks are
      restarted
1s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0
  job recovering RECOVERING g1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0; all ranked tasks
      restart as generation 1 in 1.0s
  task worker:0 READY a1
1.2s exit other:0 a0 1
1.2s ended other:0 a0
  task other:0 FAILED a0 code=1 | other:0 failed with exit code 1 on node1 after 1.2s, attempt 0
  task other:0 READY a1
1.5s gone other:0 its node was lost
  task other:0 PENDING a1 | other:0 did not become ready on node1: its node was lost; another container is requested
  ask other*1
2s tick
  start worker:0 a1 g1 in worker:0
3s started worker:0 a1
  task worker:0 RUNNING a1 g1
  job running RUNNING g1
20s heartbeat worker:0
30s tick
)");
}

}  // namespace
}  // namespace howdah::core::testing
