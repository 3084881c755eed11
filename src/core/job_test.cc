#include "howdah/core/job.h"

#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

TEST(Job, TwoTaskJobRunsToTheEnd) {
  const Story story{JobOf({RoleOf("worker", 2)})};
  Reads(story, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  ask worker*2 together
0s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
1s grant c2 worker node2
  task worker:1 ALLOCATED a0 in c2
  launch c1 worker:0
  launch c2 worker:1
1s register c1
  task worker:0 READY a0
2s register c2
  task worker:1 READY a0
  start worker:0 a0 g0 in c1
  start worker:1 a0 g0 in c2
2s started c1 a0
  task worker:0 RUNNING a0 g0
  job running RUNNING g0
2s started c2 a0
  task worker:1 RUNNING a0 g0
3s exit c1 a0 0
3s ended c1 a0
  task worker:0 SUCCEEDED a0 code=0
  release c1
4s gone c1
5s exit c2 a0 7 cause=boom
  job stopping | worker:1 failed with exit code 7 on node2 after 3.0s, attempt 0: boom
5s ended c2 a0
  task worker:1 FAILED a0 code=7 | worker:1 failed with exit code 7 on node2 after 3.0s, attempt 0: boom
  release c2
5s gone c2
  job finished FAILED exit=1 | worker:1 failed with exit code 7 on node2 after 3.0s, attempt 0: boom
  finish FAILED 1
)");
}

}  // namespace
}  // namespace howdah::core::testing
