// A node on which tasks fail repeatedly.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

jobspec::RoleSpec WorkersWithoutPause(int n, int restarts) {
  return RoleOf("worker", n, [=](auto& role) { role.restart = {restarts, Duration::zero()}; });
}

TEST(JobNodes, NodeIsAvoidedAfterThirdFailure) {
  Reads({JobOf({WorkersWithoutPause(2, 9)})}, R"(
0s up
1s exit worker:0 a0 1
1s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0
  task worker:0 READY a1
  start worker:0 a1 g0 in worker:0
1s started worker:0 a1
  task worker:0 RUNNING a1 g0
2s exit worker:0 a1 1
2s ended worker:0 a1
  task worker:0 FAILED a1 code=1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 1
  task worker:0 READY a2
  start worker:0 a2 g0 in worker:0
2s started worker:0 a2
  task worker:0 RUNNING a2 g0
3s exit worker:0 a2 1
3s ended worker:0 a2
  task worker:0 FAILED a2 code=1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 2
  avoid node0 10m
  job running | node0 is avoided for 10m00s: 3 attempts failed there within 2.0s, at most 0 on any other node
  release worker:0 replaced
  task worker:0 PENDING a3
  ask worker*1
4s resumed 1
  job am | the application master (attempt 0) died; attempt 1 continues and has adopted 2 containers
  release worker:0 replaced
  avoid node0 599s
  ask worker*1
)");
}

// Only the first failure counts against its node; its consequences do not. Every task on that node moves.
TEST(JobNodes, RanksLeaveAvoidedNodeWithNextGeneration) {
  std::string story = "0s up\n";
  const Story of{JobOf({WorkersWithoutPause(2, 9)}), Ranked(1)};
  for (const char* attempt : {"a0", "a1", "a2"}) {
    for (const char* task : {"worker:0", "worker:1"}) {
      story += std::string("5s exit ") + task + " " + attempt + (task[7] == '0' ? " 1\n" : " SIGTERM\n");
      story += std::string("5s ended ") + task + " " + attempt + "\n";
    }
    for (const char* task : {"worker:0", "worker:1"}) story += std::string("5s started ") + task + " " + attempt + "\n";
  }
  const std::string played = Play(of, story);
  EXPECT_NE(played.find("avoid node0 10m"), std::string::npos) << played;
  EXPECT_NE(played.find("release worker:0"), std::string::npos) << played;
  EXPECT_EQ(played.find("avoid node1"), std::string::npos) << played;
  EXPECT_EQ(played.find("release worker:1"), std::string::npos) << played;
}

}  // namespace
}  // namespace howdah::core::testing
