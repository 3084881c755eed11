// Elastic roles that grow when containers are granted.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

jobspec::JobSpec Elastic(int min, int max) {
  return JobOf({RoleOf("worker", min, [&](auto& role) { role.instances.max = max; })});
}

TEST(JobElastic, StartsWithMinAndGrowsByAllJoinableTasks) {
  Reads({Elastic(2, 4), Ranked(1)}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  ask worker*2 together
  ask worker*2 optional
0s grant c0 worker node0
  task worker:0 ALLOCATED a0 in c0
0s grant c1 worker node1
  task worker:1 ALLOCATED a0 in c1
  launch c0 worker:0
  launch c1 worker:1
1s register c0
  task worker:0 READY a0
1s register c1
  task worker:1 READY a0
  start worker:0 a0 g0 in c0
  start worker:1 a0 g0 in c1
1s started c0 a0
  task worker:0 RUNNING a0 g0
  job running RUNNING g0
1s started c1 a0
  task worker:1 RUNNING a0 g0
5s grant c2 worker node2
  task worker:2 PENDING a0
  task worker:2 ALLOCATED a0 in c2
  launch c2 worker:2
6s register c2
  task worker:2 READY a0
10s grant c3 worker node3
  task worker:3 PENDING a0
  task worker:3 ALLOCATED a0 in c3
  launch c3 worker:3
11s register c3
  task worker:3 READY a0
  stop c0 a0 10s
  stop c1 a0 10s
  job recovering RECOVERING g0 | worker grows from 2 to 4; all ranked tasks are restarted
12s ended c0 a0
  task worker:0 STOPPED a0
12s ended c1 a0
  task worker:1 STOPPED a0
  job recovering RECOVERING g1 | worker grows from 2 to 4; all ranked tasks restart as generation 1
  task worker:0 READY a1
  task worker:1 READY a1
  start worker:0 a1 g1 in c0
  start worker:1 a1 g1 in c1
  start worker:2 a0 g1 in c2
  start worker:3 a0 g1 in c3
12s started c0 a1
  task worker:0 RUNNING a1 g1
  job running RUNNING g1
)");
}

TEST(JobElastic, FirstStartWaitsForOptionalTasksThatAreStarting) {
  Reads({Elastic(1, 3), Ranked(1)}, R"(
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
1s register c0
  task worker:0 READY a0
2s register c1
  task worker:1 READY a0
  start worker:0 a0 g0 in c0
  start worker:1 a0 g0 in c1
)");
}

TEST(JobElastic, FirstStartWaitsAtMostForSettleTimeout) {
  Reads({Elastic(1, 3), Ranked(1)}, R"(
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
1s register c0
  task worker:0 READY a0
20s heartbeat c0
31s tick
  start worker:0 a0 g0 in c0
31s started c0 a0
  task worker:0 RUNNING a0 g0
  job running RUNNING g0
)");
}

TEST(JobElastic, SeveralTasksJoinWithOneRestart) {
  Reads({Elastic(1, 4), Ranked(1)}, R"(
0s up
10s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
11s register c1
  task worker:1 READY a0
20s heartbeat worker:0
20s grant c2 worker node2
  task worker:2 PENDING a0
  task worker:2 ALLOCATED a0 in c2
  launch c2 worker:2
21s register c2
  task worker:2 READY a0
30s heartbeat c1
40s heartbeat worker:0
41s tick
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | worker grows from 1 to 3; all ranked tasks are restarted
41s ended worker:0 a0
  task worker:0 STOPPED a0
  job recovering RECOVERING g1 | worker grows from 1 to 3; all ranked tasks restart as generation 1
  task worker:0 READY a1
  start worker:0 a1 g1 in worker:0
  start worker:1 a0 g1 in c1
  start worker:2 a0 g1 in c2
)");
}

TEST(JobElastic, LostOptionalTaskRestartsNothing) {
  Reads({Elastic(1, 2), Ranked(1)}, R"(
0s up
1s grant c1 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
2s gone c1 its executor exited with exit code 1
  task worker:1 STOPPED a0 | worker:1 did not become ready on node1: its executor exited with exit code 1
  removed worker:1 STOPPED a0
  ask worker*1 optional
3s grant c2 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c2
  launch c2 worker:1
4s gone c2 its executor exited with exit code 1
  task worker:1 STOPPED a0 | worker:1 did not become ready on node1: its executor exited with exit code 1
  removed worker:1 STOPPED a0
  ask worker*1 optional
5s grant c3 worker node1
  task worker:1 PENDING a0
  task worker:1 ALLOCATED a0 in c3
  launch c3 worker:1
6s gone c3 its executor exited with exit code 1
  task worker:1 STOPPED a0 | worker:1 did not become ready on node1: its executor exited with exit code 1
  removed worker:1 STOPPED a0
)");
}

TEST(JobElastic, GrowthWaitsForTheMissingIndexIfGapsAreForbidden) {
  FrameworkRules rules = Ranked(1);
  rules.no_gaps = true;
  Reads({Elastic(1, 3), rules}, R"(
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
24s heartbeat worker:0
24s heartbeat c2
32s tick
33s register c1
  task worker:1 READY a0
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | worker grows from 1 to 3; all ranked tasks are restarted
)");
}

}  // namespace
}  // namespace howdah::core::testing
