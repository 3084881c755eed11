// Infrastructure failures, and an AM that takes over the job of one that died.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

jobspec::RoleSpec Workers(int n) { return RoleOf("worker", n); }

TEST(JobInfrastructure, ReasonOfLostNodeNamesLastHeartbeatAndOtherTasksOnTheNode) {
  const std::string played = Play({JobOf({RoleOf("worker", 3), RoleOf("ps", 1)})}, R"(
0s am
0s grant c0 worker n1
0s grant c1 worker n2
0s grant c2 worker n1
0s grant c3 ps n1
0s register c0
0s register c1
0s register c2
0s register c3
0s started c0 a0
0s started c1 a0
0s started c2 a0
0s started c3 a0
3s heartbeat c0
9s lost c0 its node was lost
)");
  EXPECT_NE(played.find("attempt 0: its node was lost (last heartbeat 6.0s\n"
                        "      earlier); also running there: worker:2, ps:0; no restart is charged\n"),
            std::string::npos)
      << played;
}

TEST(JobInfrastructure, LostNodeIsNotCharged) {
  Reads({JobOf({Workers(1)})}, R"(
0s up
3s lost worker:0 its node was lost
  task worker:0 LOST a0 | worker:0 was lost on node0 after 3.0s, attempt 0: its node was lost (last heartbeat 3.0s
      earlier); no restart is charged
  task worker:0 PENDING a1
  ask worker*1
4s grant c2 worker node7
  task worker:0 ALLOCATED a1 in c2
  launch c2 worker:0
4s register c2
  task worker:0 READY a1
  start worker:0 a1 g0 in c2
4s started c2 a1
  task worker:0 RUNNING a1 g0
5s lost c2 it was preempted
  task worker:0 LOST a1 | worker:0 was lost on node7 after 1.0s, attempt 1: it was preempted (last heartbeat 1.0s
      earlier); no restart is charged
  task worker:0 PENDING a2
  ask worker*1
)");
}

// The failure of worker:0 has the earlier time, and worker:0 has no restart left, but its failure is a consequence.
TEST(JobInfrastructure, ConsequenceOfLostNodeDoesNotFailTheJob) {
  Reads({JobOf({Workers(2)}), Ranked(1)}, R"(
0s up
3s disconnected worker:1
3.1s exit worker:0 a0 1
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker:0 failed with exit code 1 on node0 after 3.1s, attempt 0; all ranked tasks are
      restarted
3.2s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 3.1s, attempt 0
9s lost worker:1 its node was lost
  task worker:1 LOST a0 | worker:1 was lost on node1 after 3.0s, attempt 0: its node was lost (last heartbeat 9.0s
      earlier); no restart is charged
  job recovering RECOVERING g1 | worker:1 was lost on node1 after 3.0s, attempt 0: its node was lost (last heartbeat
      9.0s earlier); no restart is charged; all ranked tasks restart as generation 1
  task worker:0 READY a1
  task worker:1 PENDING a1
  ask worker*1
)");
}

// The failure could have been the consequence of another one, but no other task has failed.
TEST(JobInfrastructure, FailureMarkedAsConsequenceIsChargedIfNoOtherTaskFailed) {
  Reads({JobOf({Workers(2)}), Ranked(1)}, R"(
0s up
3s exit worker:0 a0 1 consequence=1
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker:0 failed with exit code 1 on node0 after 3.0s, attempt 0; all ranked tasks are
      restarted
3s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 3.0s, attempt 0
4s exit worker:1 a0 SIGTERM
4s ended worker:1 a0
  task worker:1 STOPPED a0 signal=SIGTERM
  job stopping | worker:0 failed with exit code 1 on node0 after 3.0s, attempt 0
  release worker:0
  release worker:1
4s gone worker:0
4s gone worker:1
  job finished FAILED exit=1 | worker:0 failed with exit code 1 on node0 after 3.0s, attempt 0
  finish FAILED 1
)");
}

TEST(JobInfrastructure, PreemptedTaskSavesAndReleasesItsContainer) {
  Reads({JobOf({Workers(2)}), Ranked(1)}, R"(
0s up
60s reclaim worker:1 the scheduler preempts it
  stop worker:0 a0 10s
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker:1 had to stop on node1 after 1m00s, attempt 0: the cluster reclaims its
      container: the scheduler preempts it; no restart is charged; all ranked tasks are restarted
60s reclaim worker:1 the scheduler preempts it
61s exit worker:1 a0 0
61s ended worker:1 a0
  release worker:1 replaced
  task worker:1 LOST a0 code=0 | worker:1 had to stop on node1 after 1m00s, attempt 0: the cluster reclaims its
      container: the scheduler preempts it; no restart is charged
61s gone worker:1
62s exit worker:0 a0 SIGTERM
62s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGTERM
  job recovering RECOVERING g1 | worker:1 had to stop on node1 after 1m00s, attempt 0: the cluster reclaims its
      container: the scheduler preempts it; no restart is charged; all ranked tasks restart as generation 1
  task worker:0 READY a1
  task worker:1 PENDING a1
  ask worker*1
)");
}

TEST(JobResume, OrdersAreRepeatedAndExecutorsKeepRunning) {
  Reads({JobOf({Workers(3)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  task worker:2 PENDING a0
  ask worker*3 together
1s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
2s resumed 1
  job am
  ask worker*2
2s grant c2 worker node2
  task worker:1 ALLOCATED a0 in c2
2s grant c3 worker node3
  task worker:2 ALLOCATED a0 in c3
  launch c1 worker:0
  launch c2 worker:1
  launch c3 worker:2
3s register c1
  task worker:0 READY a0
4s resumed 2
  job am
  launch c2 worker:1
  launch c3 worker:2
5s register c1
5s register c2
  task worker:1 READY a0
5s register c3
  task worker:2 READY a0
  start worker:0 a0 g0 in c1
  start worker:1 a0 g0 in c2
  start worker:2 a0 g0 in c3
6s started c1 a0
  task worker:0 RUNNING a0 g0
  job running RUNNING g0
7s resumed 3 was killed by signal 9 (SIGKILL)
  job am | the application master (attempt 2) was killed by signal 9 (SIGKILL); attempt 3 continues and has adopted 3
      containers
8s register c1
  start worker:0 a0 g0 in c1
8s register c2
  start worker:1 a0 g0 in c2
8s started c2 a0
  task worker:1 RUNNING a0 g0
32s tick
  kill c3
)");
}

TEST(JobResume, RepeatedStopOrderHasTheRemainingGrace) {
  Reads({JobOf({Workers(1)})}, R"(
0s up
10s kill - ann
  job stop-requested | killed by ann after 10.0s
  job stopping | killed by ann after 10.0s
  stop worker:0 a0 10s
14s resumed 1
  job am
14.5s register worker:0
  stop worker:0 a0 5500ms
15s exit worker:0 a0 SIGTERM
15s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGTERM
  release worker:0
16s resumed 2
  job am
  release worker:0
16s gone worker:0
  job finished KILLED exit=4 | killed by ann after 10.0s
  finish KILLED 4
)");
}

// The AM started a second attempt in c1, and died before it recorded the start order.
TEST(JobResume, ExecutorWithOrphanedAttemptIsReplaced) {
  Reads({JobOf({Workers(2)})}, R"(
0s up
5s resumed 1
  job am | the application master (attempt 0) died; attempt 1 continues and has adopted 2 containers
6s register worker:1 a0
  start worker:1 a0 g0 in worker:1
6s register worker:0 a1
  kill worker:0
6s gone worker:0
  task worker:0 LOST a0 | worker:0 was lost on node0 after 6.0s, attempt 0: the application master died before it had
      recorded what it started there; no restart is charged
  task worker:0 PENDING a1
  ask worker*1
)");
}

// The AM started the first attempt of the task, and died before it recorded the start order.
TEST(JobResume, ExecutorWithUnrecordedStartIsReplaced) {
  Reads({JobOf({Workers(1)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
1s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
2s resumed 1
  job am
  launch c1 worker:0
3s register c1 a0
  kill c1
4s gone c1
  task worker:0 PENDING a0 | worker:0 did not become ready on node1: the application master died before it had
      recorded what it started there; another container is requested
  ask worker*1
)");
}

// The AM launched an executor in c1, and died before it recorded the launch. This AM still assembles the gang.
TEST(JobResume, ExecutorWithUnrecordedLaunchIsReplaced) {
  Reads({JobOf({Workers(2)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  ask worker*2 together
1s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
2s resumed 1
  job am
  ask worker*1
3s register c1
  kill c1
4s gone c1
  task worker:0 PENDING a0 | worker:0 did not become ready on node1: the application master died before it had
      recorded what it started there; another container is requested
  ask worker*1 together
)");
}

// The task waits until the orphaned attempt has ended, even if the job recovers from another failure in the meantime.
TEST(JobResume, TaskWithOrphanedAttemptRestartsElsewhere) {
  jobspec::JobSpec job = JobOf({RoleOf("a", 1, [](auto& role) { role.on_failure = jobspec::OnFailure::kTolerate; }),
                                RoleOf("b", 1, [](auto& role) { role.on_failure = jobspec::OnFailure::kTolerate; })});
  job.restart_max = 1;
  Reads({job}, R"(
0s up
1s exit a:0 a0 7
1s ended a:0 a0
  task a:0 FAILED a0 code=7 | a:0 failed with exit code 7 on node0 after 1.0s, attempt 0
2s resumed 1
  job am | the application master (attempt 0) died; attempt 1 continues and has adopted 2 containers
2s register b:0 a0
  start b:0 a0 g0 in b:0
3s register a:0 a1
  kill a:0
4s exit b:0 a0 7
4s ended b:0 a0
  task b:0 FAILED a0 code=7 | b:0 failed with exit code 7 on node1 after 4.0s, attempt 0
  job recovering RECOVERING g0 | all 2 tolerated tasks have failed; the first failure: a:0 failed with exit code 7 on
      node0 after 1.0s, attempt 0; all tasks are restarted
  job recovering RECOVERING g1 | all 2 tolerated tasks have failed; the first failure: a:0 failed with exit code 7 on
      node0 after 1.0s, attempt 0; all tasks restart as generation 1
  task a:0 PENDING a1
  task b:0 READY a1
5s gone a:0
  task a:0 PENDING a1 | a:0 did not become ready on node0: the application master died before it had recorded what it
      started there; another container is requested
  ask a*1
)");
}

// The AM died before it recorded the stop order. The reason for the stop is unknown, but the task did not cause it.
TEST(JobResume, UnrecordedStopRestartsTheTask) {
  Reads({JobOf({Workers(2)})}, R"(
0s up
5s resumed 1
  job am | the application master (attempt 0) died; attempt 1 continues and has adopted 2 containers
5s register worker:1 a0
  start worker:1 a0 g0 in worker:1
5s register worker:0 a0
  start worker:0 a0 g0 in worker:0
5s exit worker:0 a0 SIGTERM at=4s during_stop=1
5s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGTERM | worker:0 was stopped for a restart on node0, attempt 0: the application
      master died before it had recorded the stop
  task worker:0 READY a1
  start worker:0 a1 g0 in worker:0
)");
}

TEST(JobResume, ProcessThatHandledAnUnrecordedStopHasNeitherFailedNorSucceeded) {
  for (const std::string code : {"0", "1"}) {
    const std::string story = R"(
0s up
5s resumed 1
  job am | the application master (attempt 0) died; attempt 1 continues and has adopted 2 containers
5s register worker:0 a0
  start worker:0 a0 g0 in worker:0
5s exit worker:0 a0 )" + code +
                              R"( at=4s during_stop=1
5s ended worker:0 a0
  task worker:0 STOPPED a0 code=)" +
                              code +
                              R"( | worker:0 was stopped for a restart on node0, attempt 0: the application master
      died before it had recorded the stop
  task worker:0 READY a1
  start worker:0 a1 g0 in worker:0
)";
    Reads({JobOf({Workers(2)})}, story.c_str());
  }
}

TEST(JobResume, RankedTasksRestartIfTheirRendezvousDiedWithTheAm) {
  FrameworkRules rules = Ranked(1);
  rules.needs_am = true;
  Reads({JobOf({Workers(1)}), rules}, R"(
0s up
5s resumed 1
  job am | the application master (attempt 0) died; attempt 1 continues and has adopted 1 container
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | the application master died, and with it the rendezvous of the ranked tasks; all
      ranked tasks are restarted
)");
}

}  // namespace
}  // namespace howdah::core::testing
