// Reported progress, hung tasks, and the grace of a stop.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using std::chrono::seconds;

jobspec::JobSpec Worker(int restarts) {
  return JobOf({RoleOf("worker", 1, [&](auto& role) { role.restart = {restarts, Duration(0)}; })});
}

TEST(JobProgress, ProgressIsRecordedRarelyAndAtTheEnd) {
  Reads({Worker(1)}, R"(
0s up
1s progress worker:0 a0 1
  task worker:0 RUNNING a0 | at step 1
2s progress worker:0 a0 2
10s progress worker:0 a0 10
11s progress worker:0 a0 11 10
  task worker:0 RUNNING a0 | at step 11, checkpoint 10
11s progress worker:0 a0 11 10
30s progress worker:0 a0 30 20
31s progress worker:0 a0 31 20
  task worker:0 RUNNING a0 | at step 31, checkpoint 20
32s progress worker:0 a0 32 30
33s exit worker:0 a0 7
33s ended worker:0 a0
  task worker:0 FAILED a0 code=7 | worker:0 failed with exit code 7 on node0 after 33.0s, attempt 0 | at step 32,
      checkpoint 30
  task worker:0 READY a1
  start worker:0 a1 g0 in worker:0
34s progress worker:0 a0 40
34s progress worker:0 a1 1
34s started worker:0 a1
  task worker:0 RUNNING a1 g0
35s progress worker:0 a1 33
  task worker:0 RUNNING a1 | at step 33
)");
}

TEST(JobProgress, HungTaskRestarts) {
  Reads({Worker(1)}, R"(
0s up
1s progress worker:0 a0 7
  task worker:0 RUNNING a0 | at step 7
61s hung worker:0 a0 at=1s activity=progress stack=main (train.py:3)
  hung worker:0 RUNNING a0 | worker:0 made no progress on node0, attempt 0: its last activity was progress 1m00s ago,
      at step 7; it is at main (train.py:3) | at step 7
  stop worker:0 a0 10s
61s hung worker:0 a0 at=1s activity=progress
62s exit worker:0 a0 SIGTERM
62s ended worker:0 a0
  task worker:0 FAILED a0 signal=SIGTERM | worker:0 made no progress on node0, attempt 0: its last activity was
      progress 1m00s ago, at step 7; it is at main (train.py:3) | at step 7
  task worker:0 READY a1
  start worker:0 a1 g0 in worker:0
63s hung worker:0 a0 at=1s activity=progress
)");
}

TEST(JobProgress, FirstHungRankIsTheReason) {
  Reads({JobOf({RoleOf("worker", 2)}), Ranked(1)}, R"(
0s up
60s hung worker:1 a0 at=0s activity=output
  hung worker:1 RUNNING a0 | worker:1 made no progress on node1, attempt 0: its last activity was output 1m00s ago
  job stopping | worker:1 made no progress on node1, attempt 0: its last activity was output 1m00s ago
  stop worker:0 a0 10s after a probe
  stop worker:1 a0 10s
61s hung worker:0 a0 at=1s activity=output
61s exit worker:0 a0 SIGTERM
61s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGTERM
  release worker:0
)");
}

// The stacks of the other tasks show which task they wait for.
TEST(JobProgress, ReasonOfHangContainsStackLocationsOfOtherTasks) {
  Reads({JobOf({RoleOf("worker", 4,
                       [](auto& role) {
                         role.restart = {1, Duration(0)};
                       }),
                RoleOf("ps", 1)}),
         Ranked(1)},
        R"(
0s up
60s hung worker:1 a0 at=0s activity=progress stack=all_reduce (train.py:40)
  hung worker:1 RUNNING a0 | worker:1 made no progress on node1, attempt 0: its last activity was progress 1m00s ago;
      it is at all_reduce (train.py:40)
  stop worker:0 a0 10s after a probe
  stop worker:1 a0 10s
  stop worker:2 a0 10s after a probe
  stop worker:3 a0 10s after a probe
  job recovering RECOVERING g0 | worker:1 made no progress on node1, attempt 0: its last activity was progress 1m00s
      ago; it is at all_reduce (train.py:40); all ranked tasks are restarted
60s sampled worker:2 a0 stack=
60s hung worker:0 a0 at=0s activity=progress stack=all_reduce (train.py:40)
  sampled worker:0 RUNNING a0 | worker:0 is at all_reduce (train.py:40)
61s sampled worker:3 a0 stack=load (train.py:9)
  sampled worker:3 RUNNING a0 | worker:3 is at load (train.py:9)
61s sampled worker:3 a0 stack=main (train.py:1)
62s exit worker:0 a0 SIGTERM
62s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGTERM
62s exit worker:1 a0 SIGTERM
62s ended worker:1 a0
  task worker:1 FAILED a0 signal=SIGTERM | worker:1 made no progress on node1, attempt 0: its last activity was
      progress 1m00s ago; it is at all_reduce (train.py:40)
62s exit worker:2 a0 SIGTERM
62s ended worker:2 a0
  task worker:2 STOPPED a0 signal=SIGTERM
62s exit worker:3 a0 SIGTERM
62s sampled worker:3 a0 stack=all_reduce (train.py:40)
62s ended worker:3 a0
  task worker:3 STOPPED a0 signal=SIGTERM
  job recovering RECOVERING g1 | worker:1 made no progress on node1, attempt 0: its last activity was progress 1m00s
      ago; it is at all_reduce (train.py:40); worker:0 is there too; worker:3 is at load (train.py:9); all ranked
      tasks restart as generation 1
  task worker:0 READY a1
  task worker:1 READY a1
  task worker:2 READY a1
  task worker:3 READY a1
  start worker:0 a1 g1 in worker:0
  start worker:1 a1 g1 in worker:1
  start worker:2 a1 g1 in worker:2
  start worker:3 a1 g1 in worker:3
70s exit worker:0 a1 7
  stop worker:1 a1 10s
  stop worker:2 a1 10s
  stop worker:3 a1 10s
  job recovering RECOVERING g1 | worker:0 failed with exit code 7 on node0, attempt 1; all ranked tasks are restarted
70s sampled worker:1 a1 stack=load (train.py:9)
  sampled worker:1 READY a1 | worker:1 is at load (train.py:9)
)");
}

TEST(JobProgress, SavingExtendsGraceWithinTheGraceOfTheKillRequest) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s up
1s kill - ann
  job stop-requested | killed by ann after 1.0s
  job stopping | killed by ann after 1.0s
  stop worker:0 a0 10s
2s kill 20 ann
  stop worker:0 a0 20s
9s saving worker:0 a0
23.9s tick
24.1s tick
  kill worker:0
)");
}

TEST(JobProgress, SavingExtendsGraceUpToLimit) {
  Reads({JobOf({RoleOf("worker", 1)}, [](auto& spec) { spec.checkpoint.max_grace = seconds(30); })}, R"(
0s up
0s saving worker:0 a0
1s kill - ann
  job stop-requested | killed by ann after 1.0s
  job stopping | killed by ann after 1.0s
  stop worker:0 a0 10s
9s saving worker:0 a0
16.1s tick
18s saving worker:0 a0
27s saving worker:0 a0
27s saving worker:0 a1
35.9s tick
36.1s tick
  kill worker:0
)");
}

TEST(JobProgress, ContainerIsKilledFiveSecondsAfterTheGrace) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s up
1s kill - ann
  job stop-requested | killed by ann after 1.0s
  job stopping | killed by ann after 1.0s
  stop worker:0 a0 10s
15.9s tick
16.1s tick
  kill worker:0
)");
}

TEST(JobProgress, TimeLimitNamesLastCheckpoint) {
  const jobspec::JobSpec spec =
      JobOf({RoleOf("worker", 2)}, [](auto& job) { job.timeouts.run = std::chrono::seconds(20); });
  const std::string played = Play({spec}, R"(
0s up
5s progress worker:0 a0 120 100
8s progress worker:1 a0 110 100
20s tick
)");
  EXPECT_NE(
      played.find("after 20.0s of running; the last checkpoint was of\n      step 100 (worker:1), 12.0s before\n"),
      std::string::npos)
      << played;
}

}  // namespace
}  // namespace howdah::core::testing
