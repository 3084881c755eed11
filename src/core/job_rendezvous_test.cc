// Ranked tasks that continue in another generation without a restart.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

jobspec::JobSpec ElasticWorkers(int min, int max, int restarts = 0) {
  return JobOf({RoleOf("worker", min, [&](auto& role) {
    role.instances.max = max;
    role.restart = {.max = restarts, .backoff = seconds(0)};
  })});
}

TEST(JobRendezvous, OtherRankedTasksRejoinWhenOneIsKilled) {
  Reads({ElasticWorkers(3, 3, 1), Ranked(1)}, R"(
0s up
1s rendezvous worker:0 a0 ready
1s rendezvous worker:1 a0 ready
1s rendezvous worker:2 a0 ready
1s rendezvous worker:0 a0 joined
1s rendezvous worker:1 a0 joined
1s rendezvous worker:2 a0 joined
5s exit worker:0 a0 SIGKILL
  job recovering RECOVERING g0 | worker:0 was killed by signal 9 (SIGKILL) on node0 after 5.0s, attempt 0; the ranked
      tasks that can continue repeat the rendezvous
5s rendezvous worker:2 a0 rejoining
5s ended worker:0 a0
  task worker:0 FAILED a0 signal=SIGKILL | worker:0 was killed by signal 9 (SIGKILL) on node0 after 5.0s, attempt 0
6s rendezvous worker:1 a0 rejoining
  job recovering RECOVERING g1 | worker:0 was killed by signal 9 (SIGKILL) on node0 after 5.0s, attempt 0; 2 of 3
      ranked tasks continue without a restart, as generation 1
  task worker:0 READY a1
  start worker:0 a1 g1 in worker:0 as 2
6s started worker:0 a1
  task worker:0 RUNNING a1 g1
8s rendezvous worker:0 a1 ready
  rejoin worker:1 a0 g1 as 0
  rejoin worker:2 a0 g1 as 1
8s rendezvous worker:2 a0 joined
  rejoined worker:2 RUNNING a0 g1 rank 1
  job running RUNNING g1
8s rendezvous worker:1 a0 joined
  rejoined worker:1 RUNNING a0 g1 rank 0
8s rendezvous worker:0 a1 joined
)");
}

TEST(JobRendezvous, LostTaskIsLeftOutOfTheNextGenerationAndJoinsLater) {
  Reads({ElasticWorkers(1, 2), Ranked(1)}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
  ask worker*1 optional
0s grant c0 worker node0
  task worker:0 ALLOCATED a0 in c0
  launch c0 worker:0
0s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
1s register c1
  task worker:1 READY a0
1s register c0
  task worker:0 READY a0
  start worker:0 a0 g0 in c0
  start worker:1 a0 g0 in c1
1s started c0 a0
  task worker:0 RUNNING a0 g0
  job running RUNNING g0
1s started c1 a0
  task worker:1 RUNNING a0 g0
2s rendezvous worker:0 a0 joined
2s rendezvous worker:1 a0 joined
9s lost c0 its node node0 was lost
  job recovering RECOVERING g0 | worker:0 was lost on node0 after 8.0s, attempt 0: its node node0 was lost (last
      heartbeat 8.0s earlier); no restart is charged; the ranked tasks that can continue repeat the rendezvous
  task worker:0 LOST a0 | worker:0 was lost on node0 after 8.0s, attempt 0: its node node0 was lost (last heartbeat
      8.0s earlier); no restart is charged
9s rendezvous worker:1 a0 rejoining
  job recovering RECOVERING g1 | worker:0 was lost on node0 after 8.0s, attempt 0: its node node0 was lost (last
      heartbeat 8.0s earlier); no restart is charged; 1 of 2 ranked tasks continue without a restart, as generation 1
  task worker:0 PENDING a1
  ask worker*1
9s tick
  task worker:0 STOPPED a1 | no replacement container was available at once; the job continues with the other 1 of its
      role
  removed worker:0 STOPPED a1
  rejoin worker:1 a0 g1 as 0
9.1s rendezvous worker:1 a0 joined
  rejoined worker:1 RUNNING a0 g1 rank 0
  job running RUNNING g1
20s grant c2 worker node2
  task worker:0 PENDING a1
  task worker:0 ALLOCATED a1 in c2
  launch c2 worker:0
21s register c2
  task worker:0 READY a1
  request-rendezvous worker:1 a0
30s rendezvous worker:1 a0 rejoining
  job recovering RECOVERING g1 | worker grows from 1 to 2; the ranked tasks that can continue repeat the rendezvous
  job recovering RECOVERING g2 | worker grows from 1 to 2; 1 of 1 ranked tasks continue without a restart, as
      generation 2
  start worker:0 a1 g2 in c2 as 1
30s started c2 a1
  task worker:0 RUNNING a1 g2
32s rendezvous worker:0 a1 ready
  rejoin worker:1 a0 g2 as 0
32s rendezvous worker:0 a1 joined
  job running RUNNING g2
32s rendezvous worker:1 a0 joined
  rejoined worker:1 RUNNING a0 g2 rank 0
)");
}

TEST(JobRendezvous, TaskThatCannotRejoinIsStopped) {
  jobspec::JobSpec spec = ElasticWorkers(3, 3, 1);
  spec.timeouts.heartbeat = minutes(2);
  Reads({spec, Ranked(1)}, R"(
0s up
1s rendezvous worker:0 a0 joined
1s rendezvous worker:1 a0 ready
1s rendezvous worker:2 a0 joined
5s exit worker:1 a0 1
  job recovering RECOVERING g0 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0; the ranked tasks
      that can continue repeat the rendezvous
5s rendezvous worker:2 a0 rejoining
5s ended worker:1 a0
  task worker:1 FAILED a0 code=1 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0
65s tick
  stop worker:0 a0 10s
66s exit worker:0 a0 SIGTERM
66s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGTERM
  job recovering RECOVERING g1 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0; 1 of 3 ranked tasks
      continue without a restart, as generation 1
  task worker:0 READY a1
  task worker:1 READY a1
  start worker:0 a1 g1 in worker:0 as 1
  start worker:1 a1 g1 in worker:1 as 2
)");
}

// The task with rank 0 sends the state in its memory to the other tasks. A task that has just started has no state, so
// it must not get rank 0.
TEST(JobRendezvous, AllRestartWhenNoTaskOfFirstRoleRejoins) {
  const jobspec::JobSpec spec = JobOf({RoleOf("chief", 1,
                                              [](auto& role) {
                                                role.chief = true;
                                                role.restart = {.max = 1, .backoff = seconds(0)};
                                              }),
                                       RoleOf("worker", 1)});
  Reads({spec, Ranked(2)}, R"(
0s up
1s rendezvous chief:0 a0 joined
1s rendezvous worker:0 a0 joined
5s exit chief:0 a0 SIGKILL
  job recovering RECOVERING g0 | chief:0 was killed by signal 9 (SIGKILL) on node0 after 5.0s, attempt 0; the ranked
      tasks that can continue repeat the rendezvous
5s rendezvous worker:0 a0 rejoining
6s ended chief:0 a0
  task chief:0 FAILED a0 signal=SIGKILL | chief:0 was killed by signal 9 (SIGKILL) on node0 after 5.0s, attempt 0
  stop worker:0 a0 10s
7s exit worker:0 a0 SIGTERM
7s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGTERM
  job recovering RECOVERING g1 | chief:0 was killed by signal 9 (SIGKILL) on node0 after 5.0s, attempt 0; all ranked
      tasks restart as generation 1
  task chief:0 READY a1
  task worker:0 READY a1
  start chief:0 a1 g1 in chief:0
  start worker:0 a1 g1 in worker:0
)");
}

TEST(JobRendezvous, TaskThatFailsBeforeItIsReadyRestartsNoOtherTask) {
  Reads({ElasticWorkers(2, 2, 2), Ranked(1)}, R"(
0s up
1s rendezvous worker:0 a0 joined
1s rendezvous worker:1 a0 joined
5s exit worker:1 a0 1
  job recovering RECOVERING g0 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0; the ranked tasks
      that can continue repeat the rendezvous
5s ended worker:1 a0
  task worker:1 FAILED a0 code=1 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0
5s rendezvous worker:0 a0 rejoining
  job recovering RECOVERING g1 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0; 1 of 2 ranked tasks
      continue without a restart, as generation 1
  task worker:1 READY a1
  start worker:1 a1 g1 in worker:1
5s started worker:1 a1
  task worker:1 RUNNING a1 g1
6s exit worker:1 a1 1
  job recovering RECOVERING g1 | worker:1 failed with exit code 1 on node1 after 1.0s, attempt 1; the ranked tasks
      that can continue repeat the rendezvous
6s ended worker:1 a1
  task worker:1 FAILED a1 code=1 | worker:1 failed with exit code 1 on node1 after 1.0s, attempt 1
  job recovering RECOVERING g2 | worker:1 failed with exit code 1 on node1 after 1.0s, attempt 1; 1 of 2 ranked tasks
      continue without a restart, as generation 2
  task worker:1 READY a2
  start worker:1 a2 g2 in worker:1
6s started worker:1 a2
  task worker:1 RUNNING a2 g2
7s rendezvous worker:1 a2 ready
  rejoin worker:0 a0 g2 as 0
7s exit worker:1 a2 1
  stop worker:0 a0 10s
  job recovering RECOVERING g2 | worker:1 failed with exit code 1 on node1 after 1.0s, attempt 2; all ranked tasks are
      restarted
7s ended worker:1 a2
  task worker:1 FAILED a2 code=1 | worker:1 failed with exit code 1 on node1 after 1.0s, attempt 2
7s ended worker:0 a0
  task worker:0 STOPPED a0
  job stopping | worker:1 failed with exit code 1 on node1 after 1.0s, attempt 2
  release worker:0
  release worker:1
)");
}

// A rank that exits with 0 while other ranks wait for it has failed. If it counted as successful, the other ranks would
// wait for it again in every later generation.
TEST(JobRendezvous, ExitWithCodeZeroWhileOtherTasksWaitIsAFailure) {
  Reads({ElasticWorkers(2, 2, 1), Ranked(1)}, R"(
0s up
1s rendezvous worker:0 a0 joined
1s rendezvous worker:1 a0 joined
5s exit worker:1 a0 1
  job recovering RECOVERING g0 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0; the ranked tasks
      that can continue repeat the rendezvous
5s ended worker:1 a0
  task worker:1 FAILED a0 code=1 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0
5s rendezvous worker:0 a0 rejoining
  job recovering RECOVERING g1 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0; 1 of 2 ranked tasks
      continue without a restart, as generation 1
  task worker:1 READY a1
  start worker:1 a1 g1 in worker:1
5s started worker:1 a1
  task worker:1 RUNNING a1 g1
6s exit worker:1 a1 0
  job recovering RECOVERING g1 | worker:1 failed with exit code 0 on node1 after 1.0s, attempt 1: it ended while the
      other ranked tasks waited for it; the ranked tasks that can continue repeat the rendezvous
6s ended worker:1 a1
  task worker:1 FAILED a1 code=0 | worker:1 failed with exit code 0 on node1 after 1.0s, attempt 1: it ended while the
      other ranked tasks waited for it
  job stopping | worker:1 failed with exit code 0 on node1 after 1.0s, attempt 1: it ended while the other ranked
      tasks waited for it
  stop worker:0 a0 10s
  release worker:1
)");
}

// All processes of a task must rejoin together, because the rendezvous waits for each of them.
TEST(JobRendezvous, TaskWithExitedProcessDoesNotRejoin) {
  jobspec::JobSpec job = ElasticWorkers(2, 2, 1);
  job.roles[0].processes = 2;
  Reads({job, Ranked(1)}, R"(
0s up
1s rendezvous worker:0 a0 joined
1s rendezvous worker:1 a0 joined
5s exit worker:1 a0 SIGSEGV rank=0
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker:1 was killed by signal 11 (SIGSEGV) on node1 after 5.0s, attempt 0; the ranked
      tasks that can continue repeat the rendezvous
5s exit worker:1 a0 SIGKILL rank=1
5s ended worker:1 a0
  task worker:1 FAILED a0 signal=SIGSEGV | worker:1 was killed by signal 11 (SIGSEGV) on node1 after 5.0s, attempt 0
6s exit worker:0 a0 0 rank=1
  stop worker:0 a0 10s
8s exit worker:0 a0 SIGKILL rank=0
8s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGKILL
  job recovering RECOVERING g1 | worker:1 was killed by signal 11 (SIGSEGV) on node1 after 5.0s, attempt 0; all ranked
      tasks restart as generation 1
  task worker:0 READY a1
  task worker:1 READY a1
  start worker:0 a1 g1 in worker:0
  start worker:1 a1 g1 in worker:1
)");
}

TEST(JobRendezvous, UnreachableTaskIsStoppedAndOtherTasksRejoin) {
  Reads({ElasticWorkers(2, 3), Ranked(1)}, R"(
0s up
1s rendezvous worker:0 a0 joined
1s rendezvous worker:1 a0 joined
20s grant c2 worker node2
  task worker:2 PENDING a0
  task worker:2 ALLOCATED a0 in c2
  launch c2 worker:2
21s register c2
  task worker:2 READY a0
  request-rendezvous worker:0 a0
22s rendezvous worker:0 a0 unreachable
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | worker grows from 2 to 3; the ranked tasks that can continue repeat the rendezvous
23s rendezvous worker:1 a0 rejoining
23s ended worker:0 a0
  task worker:0 STOPPED a0
  job recovering RECOVERING g1 | worker grows from 2 to 3; 1 of 2 ranked tasks continue without a restart, as
      generation 1
  task worker:0 READY a1
  start worker:0 a1 g1 in worker:0 as 1
  start worker:2 a0 g1 in c2
)");
}

TEST(JobRendezvous, TasksThatWaitToRejoinAreStoppedAfterHalfTheGangLimit) {
  jobspec::JobSpec spec = ElasticWorkers(2, 2);
  spec.timeouts.gang = seconds(20);
  Reads({spec, Ranked(1)}, R"(
0s up
1s rendezvous worker:0 a0 joined
1s rendezvous worker:1 a0 joined
5s preempted worker:1 it is preempted
  job recovering RECOVERING g0 | worker:1 was lost on node1 after 5.0s, attempt 0: it is preempted; no restart is
      charged; the ranked tasks that can continue repeat the rendezvous
  task worker:1 LOST a0 | worker:1 was lost on node1 after 5.0s, attempt 0: it is preempted; no restart is charged
6s rendezvous worker:0 a0 rejoining
  job recovering RECOVERING g1 | worker:1 was lost on node1 after 5.0s, attempt 0: it is preempted; no restart is
      charged; 1 of 2 ranked tasks continue without a restart, as generation 1
  task worker:1 PENDING a1
  ask worker*1
21s heartbeat worker:0
22s tick
  stop worker:0 a0 10s
  job recovering RECOVERING g1 | the ranked tasks got no replacement containers; all ranked tasks are restarted
23s ended worker:0 a0
  task worker:0 STOPPED a0
  job recovering RECOVERING g2 | the ranked tasks got no replacement containers; all ranked tasks restart as
      generation 2
  task worker:0 READY a1
)");
}

TEST(JobRendezvous, JoinedTasksSurviveAmFailoverButDoNotRejoin) {
  FrameworkRules rules = Ranked(1);
  rules.needs_am = true;
  Reads({ElasticWorkers(2, 2, 1), rules}, R"(
0s up
1s rendezvous worker:0 a0 joined
1s rendezvous worker:1 a0 joined
5s resumed 1 was killed
  job am | the application master (attempt 0) was killed; attempt 1 continues and has adopted 2 containers
6s register worker:0 a0
  start worker:0 a0 g0 in worker:0
6s register worker:1 a0
  start worker:1 a0 g0 in worker:1
7s exit worker:1 a0 1
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | worker:1 failed with exit code 1 on node1 after 7.0s, attempt 0; all ranked tasks are
      restarted
8s exit worker:0 a0 1
8s ended worker:1 a0
  task worker:1 FAILED a0 code=1 | worker:1 failed with exit code 1 on node1 after 7.0s, attempt 0
8s ended worker:0 a0
  task worker:0 STOPPED a0 code=1
  job recovering RECOVERING g1 | worker:1 failed with exit code 1 on node1 after 7.0s, attempt 0; all ranked tasks
      restart as generation 1
  task worker:0 READY a1
  task worker:1 READY a1
  start worker:0 a1 g1 in worker:0
  start worker:1 a1 g1 in worker:1
)");
}

TEST(JobRendezvous, AmFailoverStopsWaitingTasks) {
  FrameworkRules rules = Ranked(1);
  rules.needs_am = true;
  Reads({ElasticWorkers(2, 2, 1), rules}, R"(
0s up
1s rendezvous worker:0 a0 joined
1s rendezvous worker:1 a0 joined
5s exit worker:1 a0 1
  job recovering RECOVERING g0 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0; the ranked tasks
      that can continue repeat the rendezvous
5s rendezvous worker:0 a0 rejoining
6s resumed 1 was killed
  job am
  stop worker:0 a0 10s
)");
}

}  // namespace
}  // namespace howdah::core::testing
