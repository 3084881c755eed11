// Elastic roles while the job runs.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

spec::RoleSpec Elastic(int min, int max) {
  return RoleOf("worker", min, [&](auto& role) { role.instances.max = max; });
}

TEST(JobScale, UpAndDownOfTasksThatDoNotBelongTogether) {
  Reads({JobOf({Elastic(2, 4)})}, R"(
0s up
1s scale worker 3
  scaled worker 2->3 by ann
  task worker:2 PENDING a0
  ask worker*1
1s scale worker 5
1s scale worker 1
1s scale ps 3
2s grant c3 worker node3
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
  task worker:2 PENDING a1
  task worker:3 PENDING a0
  ask worker*2
5s gone c3
5s grant c4 worker node4
  task worker:2 ALLOCATED a1 in c4
  launch c4 worker:2
5s register c4
  task worker:2 READY a1
  start worker:2 a1 g0 in c4
)");
}

TEST(JobScale, DownBeforeTheNewOnesAreThere) {
  Reads({JobOf({Elastic(1, 4)})}, R"(
0s up
1s scale worker 4
  scaled worker 1->4 by ann
  task worker:1 PENDING a0
  task worker:2 PENDING a0
  task worker:3 PENDING a0
  ask worker*3
2s grant c1 worker node1
  task worker:1 ALLOCATED a0 in c1
  launch c1 worker:1
3s scale worker 2
  scaled worker 4->2 by ann
  task worker:2 STOPPED a0
  removed worker:2 STOPPED a0
  task worker:3 STOPPED a0
  removed worker:3 STOPPED a0
  cancel
4s scale worker 1
  scaled worker 2->1 by ann
  task worker:1 STOPPED a0
  release c1
  removed worker:1 STOPPED a0
5s gone c1
)");
}

TEST(JobScale, RankedTasksStartAgainInTheNewSize) {
  Reads({JobOf({Elastic(2, 4)}), Ranked(1)}, R"(
0s up
1s scale worker 3
  scaled worker 2->3 by ann
  task worker:2 PENDING a0
  stop worker:0 a0 10s
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker was scaled from 2 to 3; all ranked tasks are stopped to start again
  ask worker*1
2s exit worker:0 a0 SIGTERM
2s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGTERM
2s ended worker:1 a0
  task worker:1 STOPPED a0
  job recovering RECOVERING g1 | worker was scaled from 2 to 3; all ranked tasks start again as generation 1
  task worker:0 READY a1
  task worker:1 READY a1
3s grant c2 worker node3
  task worker:2 ALLOCATED a0 in c2
  launch c2 worker:2
3s register c2
  task worker:2 READY a0
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
  job recovering RECOVERING g1 | worker was scaled from 3 to 2; all ranked tasks are stopped to start again
4s ended worker:0 a1
  task worker:0 STOPPED a1
4s ended worker:1 a1
  task worker:1 STOPPED a1
4s ended c2 a0
  task worker:2 STOPPED a0
  release c2
  removed worker:2 STOPPED a0
  job recovering RECOVERING g2 | worker was scaled from 3 to 2; all ranked tasks start again as generation 2
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

TEST(JobScale, BeforeTheStartTheGangGrows) {
  Reads({JobOf({Elastic(1, 4)}), Ranked(1)}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  ask worker*1 together
0s scale worker 2
  scaled worker 1->2 by ann
  task worker:1 PENDING a0
  ask worker*1 together
1s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
1s grant c2 worker node1
  task worker:1 ALLOCATED a0 in c2
  launch c1 worker:0
  launch c2 worker:1
1s register c1
  task worker:0 READY a0
1s register c2
  task worker:1 READY a0
  start worker:0 a0 g0 in c1
  start worker:1 a0 g0 in c2
)");
}

TEST(JobScale, ARoleThatIsNotElasticKeepsItsSize) {
  Reads({JobOf({Elastic(2, 2)})}, R"(
0s up
1s scale worker 1
)");
}

}  // namespace
}  // namespace howdah::core::testing
