// The start order, and failures before the first process.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

jobspec::JobSpec TwoWorkers() { return JobOf({RoleOf("worker", 2)}); }

TEST(JobStart, RoleStartsWhenTheConditionsOfItsAfterKeyAreMet) {
  Reads({JobOf({RoleOf("reader", 1),
                RoleOf("ps", 2,
                       [](auto& role) {
                         role.kind = jobspec::RoleKind::kService;
                         role.after = {{"reader", true}};
                       }),
                RoleOf("worker", 1,
                       [](auto& role) {
                         role.after = {{"ps", false}};
                       })})},
        R"(
0s am
  job am STARTING
  task reader:0 PENDING a0
  task ps:0 PENDING a0
  task ps:1 PENDING a0
  task worker:0 PENDING a0
  ask reader*1 together
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
  ask ps*2 worker*1 together
2s grant c2 ps node1
  task ps:0 ALLOCATED a0 in c2
2s grant c3 ps node1
  task ps:1 ALLOCATED a0 in c3
2s grant c4 worker node1
  task worker:0 ALLOCATED a0 in c4
  launch c2 ps:0
  launch c3 ps:1
  launch c4 worker:0
3s register c4
  task worker:0 READY a0
3s register c3
  task ps:1 READY a0
3s register c2
  task ps:0 READY a0
  start ps:1 a0 g0 in c3
  start ps:0 a0 g0 in c2
3s started c2 a0
  task ps:0 RUNNING a0 g0
3s started c3 a0
  task ps:1 RUNNING a0 g0
  start worker:0 a0 g0 in c4
)");
}

TEST(JobStart, FailedSidecarSatisfiesTheAfterKeyOfAnotherRole) {
  Reads({JobOf({RoleOf("reader", 1, [](auto& role) { role.kind = jobspec::RoleKind::kSidecar; }),
                RoleOf("worker", 1,
                       [](auto& role) {
                         role.after = {{"reader", true}};
                       })})},
        R"(
0s am
  job am STARTING
  task reader:0 PENDING a0
  task worker:0 PENDING a0
  ask reader*1 together
0s grant c1 reader node1
  task reader:0 ALLOCATED a0 in c1
  launch c1 reader:0
1s register c1
  task reader:0 READY a0
  start reader:0 a0 g0 in c1
1s started c1 a0
  task reader:0 RUNNING a0 g0
  job running RUNNING g0
2s exit c1 a0 9
2s ended c1 a0
  task reader:0 FAILED a0 code=9 | reader:0 failed with exit code 9 on node1 after 1.0s, attempt 0
  release c1
  ask worker*1 together
2s grant c2 worker node1
  task worker:0 ALLOCATED a0 in c2
  launch c2 worker:0
3s register c2
  task worker:0 READY a0
  start worker:0 a0 g0 in c2
)");
}

TEST(JobStart, ExecutorThatNeverConnectsIsReplacedTwice) {
  Reads({JobOf({RoleOf("worker", 1)}, [](auto& spec) { spec.timeouts.register_ = seconds(30); })}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
0s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
30s tick
  kill c1
  task worker:0 PENDING a0 | worker:0 did not become ready on node1: its executor did not connect within 30s
      (timeouts.register) of its launch; another container is requested
  ask worker*1
30s gone c1
31s grant c2 worker node2
  task worker:0 ALLOCATED a0 in c2
  launch c2 worker:0
40s gone c2 its executor was killed by signal 9 (SIGKILL)
  task worker:0 PENDING a0 | worker:0 did not become ready on node2: its executor was killed by signal 9 (SIGKILL);
      another container is requested
  ask worker*1
41s grant c3 worker node3
  task worker:0 ALLOCATED a0 in c3
  launch c3 worker:0
71s tick
  kill c3
  task worker:0 FAILED a0 | worker:0 did not become ready on node3: its executor did not connect within 30s
      (timeouts.register) of its launch; 2 earlier containers of the task had failed too
  job stopping | worker:0 did not become ready on node3: its executor did not connect within 30s (timeouts.register)
      of its launch; 2 earlier containers of the task had failed too
71s gone c3
  job finished FAILED exit=1 | worker:0 did not become ready on node3: its executor did not connect within 30s
      (timeouts.register) of its launch; 2 earlier containers of the task had failed too
  finish FAILED 1
)");
}

TEST(JobStart, RefusedContainerIsNotReplaced) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
0s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
1s unstartable c1 its image is not trusted
  task worker:0 FAILED a0 | worker:0 did not become ready on node1: its image is not trusted
  job stopping | worker:0 did not become ready on node1: its image is not trusted
  job finished FAILED exit=1 | worker:0 did not become ready on node1: its image is not trusted
  finish FAILED 1
)");
}

TEST(JobStart, StartupStageIsReported) {
  Reads({JobOf({RoleOf("worker", 1)}, [](auto& spec) { spec.timeouts.register_ = seconds(30); })}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
0s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
5s starting c1 after 5s its files were still being brought to node1
  task worker:0 ALLOCATED a0 in c1 | after 5s its files were still being brought to node1
9s starting c1 after 5s its files were still being brought to node1
9s starting c9 nobody knows it
30s tick
  kill c1
  task worker:0 PENDING a0 | worker:0 did not become ready on node1: its executor did not connect within 30s
      (timeouts.register) of its launch: after 5s its files were still being brought to node1; another container is
      requested
  ask worker*1
31s starting c1 it is killed
)");
}

TEST(JobStart, RefusedExecutorIsReplacedAtOnce) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
0s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
1s rejected c1 the application master is Howdah 1.2, its executor is 1.1
  kill c1
  task worker:0 PENDING a0 | worker:0 did not become ready on node1: the application master is Howdah 1.2, its
      executor is 1.1; another container is requested
  ask worker*1
1s rejected c1 again
)");
}

TEST(JobStart, SidecarThatNeverConnectsIsOnlyReported) {
  Reads(
      {JobOf({RoleOf("worker", 1), RoleOf("watcher", 1, [](auto& role) { role.kind = jobspec::RoleKind::kSidecar; })})},
      R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task watcher:0 PENDING a0
  ask worker*1 watcher*1 together
0s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
0s grant c2 watcher node1
  task watcher:0 ALLOCATED a0 in c2
  launch c1 worker:0
  launch c2 watcher:0
0s register c1
  task worker:0 READY a0
1s gone c2
  task watcher:0 PENDING a0 | watcher:0 did not become ready on node1: its executor exited; another container is
      requested
  ask watcher*1
1s grant c3 watcher node1
  task watcher:0 ALLOCATED a0 in c3
  launch c3 watcher:0
2s gone c3
  task watcher:0 PENDING a0 | watcher:0 did not become ready on node1: its executor exited; another container is
      requested
  ask watcher*1
2s grant c4 watcher node1
  task watcher:0 ALLOCATED a0 in c4
  launch c4 watcher:0
3s gone c4 its executor exited with code 2
  task watcher:0 FAILED a0 | watcher:0 did not become ready on node1: its executor exited with code 2; 2 earlier
      containers of the task had failed too
  start worker:0 a0 g0 in c1
)");
}

TEST(JobStart, WaitReasonIsReported) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
1s delayed queue ml is full
  job waiting | queue ml is full
2s delayed queue ml is full
3s delayed
  job waiting
4s delayed queue ml is full
  job waiting | queue ml is full
5s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  job waiting
  launch c1 worker:0
6s register c1
  task worker:0 READY a0
  start worker:0 a0 g0 in c1
6s started c1 a0
  task worker:0 RUNNING a0 g0
  job running RUNNING g0
7s delayed something else
)");
}

TEST(JobStart, ImpossibleRequestFailsTheJob) {
  Reads({JobOf({RoleOf("worker", 1)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
0s refused worker asks for 9 TiB, the largest node has 64 GiB
  job stopping | worker asks for 9 TiB, the largest node has 64 GiB
  cancel
  task worker:0 STOPPED a0
  job finished FAILED exit=3 | worker asks for 9 TiB, the largest node has 64 GiB
  finish FAILED 3
)");
}

TEST(JobStart, CommandThatCannotBeStartedFailsTheTask) {
  Reads({TwoWorkers()}, R"(
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
1s register c2
  task worker:1 READY a0
  start worker:0 a0 g0 in c1
  start worker:1 a0 g0 in c2
1s startfail c1 a0 127 cause=trian.py was not found in PATH (/bin) advice=write train.py
  job stopping | worker:0 could not be started on node1 (exit code 127): trian.py was not found in PATH (/bin) | write
      train.py
  stop c2 a0 10s
  task worker:0 FAILED a0 code=127 | worker:0 could not be started on node1 (exit code 127): trian.py was not found in
      PATH (/bin) | write train.py
  release c1
1s started c2 a0
  task worker:1 RUNNING a0 g0
2s gone c1
2s ended c2 a0
  task worker:1 STOPPED a0
  release c2
2s gone c2
  job finished FAILED exit=1 | worker:0 could not be started on node1 (exit code 127): trian.py was not found in PATH
      (/bin) | write train.py
  finish FAILED 1
)");
}

TEST(JobStart, StaleAndRepeatedEventsChangeNothing) {
  Reads({JobOf({RoleOf("worker", 1,
                       [](auto& role) {
                         role.restart.max = 1;
                         role.restart.backoff = milliseconds(0);
                       })})},
        R"(
0s up
1s am
1s started worker:0 a0
1s exit worker:0 a1 7
1s exit worker:0 a0 7 rank=1
2s exit worker:0 a0 7
2s exit worker:0 a0 8
2s ended worker:0 a0
  task worker:0 FAILED a0 code=7 | worker:0 failed with exit code 7 on node0 after 2.0s, attempt 0
  task worker:0 READY a1
  start worker:0 a1 g0 in worker:0
2s ended worker:0 a0
2s exit worker:0 a0 0
2s started worker:0 a0
3s started worker:0 a1
  task worker:0 RUNNING a1 g0
3s startfail worker:0 a1 127
)");
}

// A new AM continues the journal of the previous AM in the next generation, with unused attempt numbers. The restart
// budgets begin again.
TEST(JobStart, LaterAmContinuesAttemptNumbers) {
  Reads({JobOf({RoleOf("worker", 1,
                       [](auto& role) {
                         role.instances = {1, 2};
                       })})},
        R"(
0s am 1 2 5
  job am STARTING g2
  task worker:0 PENDING a5
  ask worker*1 together
  ask worker*1 optional
0s grant c1 worker node1
  task worker:0 ALLOCATED a5 in c1
  launch c1 worker:0
1s register c1
  task worker:0 READY a5
  start worker:0 a5 g2 in c1
1s started c1 a5
  task worker:0 RUNNING a5 g2
  job running RUNNING g2
2s grant c2 worker node2
  task worker:1 PENDING a5
  task worker:1 ALLOCATED a5 in c2
  launch c2 worker:1
)");
}

}  // namespace
}  // namespace howdah::core::testing
