// Tasks that have lost their container and get no replacement in time.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

jobspec::JobSpec Elastic(int min, int max) {
  return JobOf({RoleOf("worker", min, [&](auto& role) { role.instances.max = max; })});
}

TEST(JobReplacement, ElasticJobContinuesWithFewerTasksIfNoReplacementIsGranted) {
  const Story story{Elastic(1, 2), Ranked(1)};
  Reads(story, R"(
0s up
1s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
2s register c1
  task worker:1 READY a0
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | worker grows from 1 to 2; all ranked tasks are restarted
2s ended worker:0 a0
  task worker:0 STOPPED a0
  job recovering RECOVERING g1 | worker grows from 1 to 2; all ranked tasks restart as generation 1
  task worker:0 READY a1
  start worker:0 a1 g1 in worker:0
  start worker:1 a0 g1 in c1
2s started worker:0 a1
  task worker:0 RUNNING a1 g1
  job running RUNNING g1
2s started c1 a0
  task worker:1 RUNNING a0 g1
9s lost worker:0 its node was lost
  stop c1 a0 10s
  job recovering RECOVERING g1 | worker:0 was lost on node0 after 7.0s, attempt 1: its node was lost (last heartbeat
      7.0s earlier); no restart is charged; all ranked tasks are restarted
  task worker:0 LOST a1 | worker:0 was lost on node0 after 7.0s, attempt 1: its node was lost (last heartbeat 7.0s
      earlier); no restart is charged
9s ended c1 a0
  task worker:1 STOPPED a0
  job recovering RECOVERING g2 | worker:0 was lost on node0 after 7.0s, attempt 1: its node was lost (last heartbeat
      7.0s earlier); no restart is charged; all ranked tasks restart as generation 2
  task worker:0 PENDING a2
  task worker:1 READY a1
  ask worker*1
33s heartbeat c1
57s heartbeat c1
69s tick
  task worker:0 STOPPED a2 | no replacement container was granted within 1m (timeouts.replacement); the job continues
      with the other 1 of its role
  removed worker:0 STOPPED a2
  start worker:1 a1 g2 in c1 as 0
69s started c1 a1
  task worker:1 RUNNING a1 g2
  job running RUNNING g2
80s heartbeat c1
80s grant c5 worker node5
  task worker:0 PENDING a2
  task worker:0 ALLOCATED a2 in c5
  launch c5 worker:0
81s register c5
  task worker:0 READY a2
  stop c1 a1 10s
  job recovering RECOVERING g2 | worker grows from 1 to 2; all ranked tasks are restarted
81s ended c1 a1
  task worker:1 STOPPED a1
  job recovering RECOVERING g3 | worker grows from 1 to 2; all ranked tasks restart as generation 3
  task worker:1 READY a2
  start worker:1 a2 g3 in c1
  start worker:0 a2 g3 in c5
)");
}

TEST(JobReplacement, ElasticJobContinuesImmediatelyWithoutAPreemptedTask) {
  Reads({Elastic(1, 3), Ranked(1)}, R"(
0s up
1s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
1s grant c2 worker node2
  task worker:2 PENDING a0
  task worker:2 ALLOCATED a0 in c2
  launch c2 worker:2
2s register c1
  task worker:1 READY a0
2s register c2
  task worker:2 READY a0
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | worker grows from 1 to 3; all ranked tasks are restarted
2s ended worker:0 a0
  task worker:0 STOPPED a0
  job recovering RECOVERING g1 | worker grows from 1 to 3; all ranked tasks restart as generation 1
  task worker:0 READY a1
  start worker:0 a1 g1 in worker:0
  start worker:1 a0 g1 in c1
  start worker:2 a0 g1 in c2
2s started worker:0 a1
  task worker:0 RUNNING a1 g1
  job running RUNNING g1
2s started c1 a0
  task worker:1 RUNNING a0 g1
2s started c2 a0
  task worker:2 RUNNING a0 g1
5s preempting c1 the scheduler preempts it
  stop worker:0 a1 10s
  stop c1 a0 10s
  stop c2 a0 10s
  job recovering RECOVERING g1 | worker:1 had to stop on node1 after 3.0s, attempt 0: the cluster reclaims its
      container: the scheduler preempts it; no restart is charged; all ranked tasks are restarted
6s ended worker:0 a1
  task worker:0 STOPPED a1
6s ended c1 a0
  release c1 replaced
  task worker:1 LOST a0 | worker:1 had to stop on node1 after 3.0s, attempt 0: the cluster reclaims its container: the
      scheduler preempts it; no restart is charged
6s ended c2 a0
  task worker:2 STOPPED a0
  job recovering RECOVERING g2 | worker:1 had to stop on node1 after 3.0s, attempt 0: the cluster reclaims its
      container: the scheduler preempts it; no restart is charged; all ranked tasks restart as generation 2
  task worker:0 READY a2
  task worker:1 PENDING a1
  task worker:2 READY a1
  ask worker*1
6s tick
  task worker:1 STOPPED a1 | its container was preempted; the job continues with the other 2 of its role
  removed worker:1 STOPPED a1
  start worker:0 a2 g2 in worker:0
  start worker:2 a1 g2 in c2 as 1
7s gone c1
)");
}

TEST(JobReplacement, UnrankedTasksContinueWithoutTheLostTask) {
  Reads({Elastic(1, 3)}, R"(
0s up
1s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
1s grant c2 worker node2
  task worker:2 PENDING a0
  task worker:2 ALLOCATED a0 in c2
  launch c2 worker:2
2s register c2
  task worker:2 READY a0
3s register c1
  task worker:1 READY a0
  start worker:1 a0 g0 in c1
  start worker:2 a0 g0 in c2
4s started c1 a0
  task worker:1 RUNNING a0 g0
4s started c2 a0
  task worker:2 RUNNING a0 g0
5s preempted c1 it was preempted
  task worker:1 LOST a0 | worker:1 was lost on node1 after 1.0s, attempt 0: it was preempted; no restart is charged
  task worker:1 PENDING a1
  ask worker*1
5s tick
  task worker:1 STOPPED a1 | its container was preempted; the job continues with the other 2 of its role
  removed worker:1 STOPPED a1
6s exit worker:0 a0 0
6s ended worker:0 a0
  task worker:0 SUCCEEDED a0 code=0
  release worker:0
  cancel
)");
}

TEST(JobReplacement, UnrankedTaskWithoutReplacementFailsAtTheGangTimeout) {
  const auto patient = [](auto& spec) { spec.timeouts.heartbeat = minutes(60); };
  Reads({JobOf({RoleOf("worker", 2, [](auto& role) { role.restart.max = 1; })}, patient)}, R"(
0s up
1s gone worker:1 its executor exited with exit code 1
  task worker:1 LOST a0 | worker:1 was lost on node1 after 1.0s, attempt 0: its executor exited with exit code 1
  task worker:1 PENDING a1
  ask worker*1
2s tick
901s delayed the queue is full
901s tick
  task worker:1 LOST a1 | worker:1 did not become ready: no replacement container was granted within 15m
      (timeouts.gang); the queue is full
  job stopping | worker:1 did not become ready: no replacement container was granted within 15m (timeouts.gang); the
      queue is full
  cancel
  stop worker:0 a0 10s
)");
}

// An incomplete generation fails at the gang limit. If it releases its containers before that, another job that needs
// them may finish first.
TEST(JobReplacement, IncompleteGenerationReleasesContainersAfterHalfTheGangLimit) {
  Reads({JobOf({RoleOf("worker", 2)}, [](auto& spec) { spec.timeouts.gang = seconds(20); }), Ranked(1)}, R"(
0s up
5s lost worker:1 its node was lost
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | worker:1 was lost on node1 after 5.0s, attempt 0: its node was lost (last heartbeat
      5.0s earlier); no restart is charged; all ranked tasks are restarted
  task worker:1 LOST a0 | worker:1 was lost on node1 after 5.0s, attempt 0: its node was lost (last heartbeat 5.0s
      earlier); no restart is charged
6s exit worker:0 a0 0
6s ended worker:0 a0
  task worker:0 STOPPED a0 code=0
  job recovering RECOVERING g1 | worker:1 was lost on node1 after 5.0s, attempt 0: its node was lost (last heartbeat
      5.0s earlier); no restart is charged; all ranked tasks restart as generation 1
  task worker:0 READY a1
  task worker:1 PENDING a1
  ask worker*1
10s tick
22s tick
  cancel
  release worker:0 replaced
  task worker:0 PENDING a1
  job waiting | 1 of 2 containers were held and no more were granted for 16.0s; they were released to avoid a deadlock
      with another job and are requested again in 1.4s
26s tick
  job waiting
  job stopping | gang allocation timed out after 20s (timeouts.gang): 0 of 2 tasks ready, 2 without a container
      (worker:0, worker:1)
  task worker:0 STOPPED a1
  task worker:1 STOPPED a1
)");
}

// The job waits in its queue as after its submission, and holds no containers while it waits.
TEST(JobReplacement, PreemptedGangWaitsForQueue) {
  Reads({JobOf({RoleOf("worker", 2)}, [](auto& spec) { spec.timeouts.gang = seconds(20); }), Ranked(1)}, R"(
0s up
5s preempted worker:1 it is preempted
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | worker:1 was lost on node1 after 5.0s, attempt 0: it is preempted; no restart is
      charged; all ranked tasks are restarted
  task worker:1 LOST a0 | worker:1 was lost on node1 after 5.0s, attempt 0: it is preempted; no restart is charged
6s exit worker:0 a0 0
6s ended worker:0 a0
  task worker:0 STOPPED a0 code=0
  job recovering RECOVERING g1 | worker:1 was lost on node1 after 5.0s, attempt 0: it is preempted; no restart is
      charged; all ranked tasks restart as generation 1
  task worker:0 READY a1
  task worker:1 PENDING a1
  ask worker*1
22s tick
  cancel
  release worker:0 replaced
  task worker:0 PENDING a1
  job waiting | 1 of 2 containers were held and no more were granted for 16.0s; they were released to avoid a deadlock
      with another job and are requested again in 1.4s
22s gone worker:0
26s tick
  job waiting
  ask worker*2 together
100s tick
101s grant c3 worker node3
  task worker:0 ALLOCATED a1 in c3
101s grant c4 worker node4
  task worker:1 ALLOCATED a1 in c4
  launch c3 worker:0
  launch c4 worker:1
102s register c3
  task worker:0 READY a1
102s register c4
  task worker:1 READY a1
  start worker:0 a1 g1 in c3
  start worker:1 a1 g1 in c4
)");
}

TEST(JobReplacement, PreemptedGangFailsAtQueueLimit) {
  Story story{JobOf({RoleOf("worker", 2)}), Ranked(1)};
  story.spec.timeouts.gang = seconds(10);
  story.spec.timeouts.queue = seconds(30);
  Reads(story, R"(
0s up
5s preempted worker:1 it is preempted
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | worker:1 was lost on node1 after 5.0s, attempt 0: it is preempted; no restart is
      charged; all ranked tasks are restarted
  task worker:1 LOST a0 | worker:1 was lost on node1 after 5.0s, attempt 0: it is preempted; no restart is charged
6s exit worker:0 a0 0
6s ended worker:0 a0
  task worker:0 STOPPED a0 code=0
  job recovering RECOVERING g1 | worker:1 was lost on node1 after 5.0s, attempt 0: it is preempted; no restart is
      charged; all ranked tasks restart as generation 1
  task worker:0 READY a1
  task worker:1 PENDING a1
  ask worker*1
17s tick
  cancel
  release worker:0 replaced
  task worker:0 PENDING a1
  job waiting | 1 of 2 containers were held and no more were granted for 11.0s; they were released to avoid a deadlock
      with another job and are requested again in 1.4s
17s gone worker:0
36s tick
  job waiting
  job stopping | gang allocation timed out after 30s (timeouts.queue): 0 of 2 tasks ready, 2 without a container
      (worker:0, worker:1)
  task worker:0 STOPPED a1
  task worker:1 STOPPED a1
  job finished FAILED exit=3 | gang allocation timed out after 30s (timeouts.queue): 0 of 2 tasks ready, 2 without a
      container (worker:0, worker:1)
  finish FAILED 3
)");
}

}  // namespace
}  // namespace howdah::core::testing
