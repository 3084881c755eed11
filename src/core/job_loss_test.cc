// Containers and executors that are lost, silent, or do not end.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

jobspec::RoleSpec RestartedWorkers(int n, int restarts) {
  return RoleOf("worker", n, [&](auto& role) { role.restart = {restarts, milliseconds(1000)}; });
}

TEST(JobLoss, LostContainerIsReplaced) {
  Reads({JobOf({RestartedWorkers(2, 1)})}, R"(
0s up
3s gone worker:1 its executor was killed by signal 9 (SIGKILL)
  task worker:1 LOST a0 | worker:1 was lost on node1 after 3.0s, attempt 0: its executor was killed by signal 9
      (SIGKILL)
  task worker:1 PENDING a1
  ask worker*1
3.1s grant c2 worker node7
  task worker:1 ALLOCATED a1 in c2
  launch c2 worker:1
3.2s register c2
  task worker:1 READY a1
4s tick
  start worker:1 a1 g0 in c2
4s started c2 a1
  task worker:1 RUNNING a1 g0
5s ended worker:1 a0
)");
}

TEST(JobLoss, SilentExecutorIsLost) {
  Reads({JobOf({RestartedWorkers(1, 1)})}, R"(
0s up
10s heartbeat worker:0
20s disconnected worker:0
25s tick
35s tick
  kill worker:0
36s gone worker:0
  task worker:0 LOST a0 | worker:0 was lost on node0 after 10.0s, attempt 0: no heartbeat for 25.0s
      (timeouts.heartbeat); no restart is charged
  task worker:0 PENDING a1
  ask worker*1
)");
}

TEST(JobLoss, SilentExecutorThatCannotBeKilledIsTreatedAsLost) {
  Reads({JobOf({RestartedWorkers(1, 1)})}, R"(
0s up
25s tick
  kill worker:0
35s tick
  task worker:0 LOST a0 | worker:0 was lost on node0 after 0ms, attempt 0: no heartbeat for 25.0s
      (timeouts.heartbeat); no restart is charged
  task worker:0 PENDING a1
  ask worker*1
36s grant c2 worker node7
  task worker:0 ALLOCATED a1 in c2
  launch c2 worker:0
36s register c2
  task worker:0 READY a1
  start worker:0 a1 g0 in c2
40s exit worker:0 a0 0
)");
}

TEST(JobLoss, RankedTasksWaitForReplacement) {
  Reads({JobOf({RestartedWorkers(2, 1)}), Ranked(1)}, R"(
0s up
3s gone worker:1 its node was lost
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | worker:1 was lost on node1 after 3.0s, attempt 0: its node was lost; all ranked tasks
      are restarted
  task worker:1 LOST a0 | worker:1 was lost on node1 after 3.0s, attempt 0: its node was lost
3s exit worker:0 a0 SIGTERM
3s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGTERM
  job recovering RECOVERING g1 | worker:1 was lost on node1 after 3.0s, attempt 0: its node was lost; all ranked tasks
      restart as generation 1 in 1.0s
  task worker:0 READY a1
  task worker:1 PENDING a1
  ask worker*1
3.5s delayed all GPUs are taken
  job waiting | worker:1 was lost on node1 after 3.0s, attempt 0: its node was lost; all ranked tasks restart as
      generation 1 in 1.0s; all GPUs are taken
4s tick
5s grant c2 worker node7
  task worker:1 ALLOCATED a1 in c2
  launch c2 worker:1
6s register c2
  task worker:1 READY a1
  start worker:0 a1 g1 in worker:0
  start worker:1 a1 g1 in c2
6s started worker:0 a1
  task worker:0 RUNNING a1 g1
  job running RUNNING g1
6s started c2 a1
  task worker:1 RUNNING a1 g1
)");
}

TEST(JobLoss, TaskThatDoesNotStopInTimeIsKilled) {
  Reads({JobOf({RestartedWorkers(2, 1)}), Ranked(1)}, R"(
0s up
1s exit worker:0 a0 1
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0; all ranked tasks are
      restarted
1s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0
16s tick
  kill worker:1
17s gone worker:1
  task worker:1 STOPPED a0
  job recovering RECOVERING g1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0; all ranked tasks
      restart as generation 1 in 1.0s
  task worker:0 READY a1
  task worker:1 PENDING a1
  ask worker*1
18s tick
19s grant c2 worker node7
  task worker:1 ALLOCATED a1 in c2
  launch c2 worker:1
20s register c2
  task worker:1 READY a1
  start worker:0 a1 g1 in worker:0
  start worker:1 a1 g1 in c2
)");
}

TEST(JobLoss, AttemptWithoutExitStatusFails) {
  Reads({JobOf({RestartedWorkers(2, 0)})}, R"(
0s up
1s ended worker:0 a0
  job stopping | worker:0 ended without an exit status on node0 after 1.0s, attempt 0
  stop worker:1 a0 10s
  task worker:0 FAILED a0 | worker:0 ended without an exit status on node0 after 1.0s, attempt 0
  release worker:0
)");
}

TEST(JobLoss, AttemptThatDoesNotEndIsKilledWithItsContainer) {
  Reads({JobOf({RestartedWorkers(2, 0)})}, R"(
0s up
1s exit worker:0 a0 0
16s tick
  kill worker:0
17s gone worker:0
  task worker:0 SUCCEEDED a0 code=0
)");
}

TEST(JobLoss, LossOfAnIdleRankedTaskRestartsTheOtherRankedTasks) {
  Reads({JobOf({RoleOf("chief", 2, [](auto& role) { role.restart.max = 1; }), RoleOf("worker", 1,
                                                                                     [](auto& role) {
                                                                                       role.after = {{"chief", false}};
                                                                                     })}),
         Ranked(2)},
        R"(
0s am
  job am STARTING
  task chief:0 PENDING a0
  task chief:1 PENDING a0
  task worker:0 PENDING a0
  ask chief*2 worker*1 together
0s grant c1 chief node1
  task chief:0 ALLOCATED a0 in c1
0s grant c2 chief node1
  task chief:1 ALLOCATED a0 in c2
0s grant c3 worker node2
  task worker:0 ALLOCATED a0 in c3
  launch c1 chief:0
  launch c2 chief:1
  launch c3 worker:0
0s register c1
  task chief:0 READY a0
0s register c2
  task chief:1 READY a0
0s register c3
  task worker:0 READY a0
  start chief:0 a0 g0 in c1
  start chief:1 a0 g0 in c2
0s started c1 a0
  task chief:0 RUNNING a0 g0
  job running RUNNING g0
0s gone c3
  task worker:0 LOST a0 | worker:0 was lost on node2, attempt 0: its executor exited
  stop c1 a0 10s
  stop c2 a0 10s
  job recovering RECOVERING g0 | worker:0 was lost on node2, attempt 0: its executor exited; all ranked tasks are
      restarted
0s ended c1 a0
  task chief:0 STOPPED a0
0s ended c2 a0
  task chief:1 STOPPED a0
  job stopping | worker:0 was lost on node2, attempt 0: its executor exited
  release c1
  release c2
1s gone c1
1s gone c2
  job finished FAILED exit=1 | worker:0 was lost on node2, attempt 0: its executor exited
  finish FAILED 1
)");
}

TEST(JobLoss, SilentIdleExecutorIsReplaced) {
  Reads({JobOf({RoleOf("reader", 1), RoleOf("worker", 1,
                                            [](auto& role) {
                                              role.restart = {1, std::chrono::minutes(1)};
                                            })})},
        R"(
0s up
1s exit worker:0 a0 1
1s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node1 after 1.0s, attempt 0
  task worker:0 READY a1
20s heartbeat reader:0
26s tick
  kill worker:0
  task worker:0 PENDING a1 | worker:0 did not become ready on node1: no heartbeat for 25.0s (timeouts.heartbeat);
      another container is requested
  ask worker*1
26s gone worker:0
27s grant c2 worker node7
  task worker:0 ALLOCATED a1 in c2
  launch c2 worker:0
28s register c2
  task worker:0 READY a1
44s heartbeat reader:0
52s heartbeat c2
61s tick
  start worker:0 a1 g0 in c2
)");
}

}  // namespace
}  // namespace howdah::core::testing
