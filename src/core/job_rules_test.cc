// Restart rules of the job file, and failures for which a node is to blame.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using Then = jobspec::RestartRule::Then;

jobspec::RoleSpec Workers(int n, int restarts, Then then) {
  return RoleOf("worker", n, [=](auto& role) {
    role.restart = {restarts, std::chrono::seconds(1), /*charge_infrastructure=*/false, {{.log = "it", .then = then}}};
  });
}

TEST(JobRules, FailRuleEndsTheJobDespiteRemainingRestarts) {
  Reads({JobOf({Workers(1, 9, Then::kFail)}, [](auto& spec) { spec.restart_max = 2; })}, R"(
0s up
1s exit worker:0 a0 3 rule=0 cause=ValueError: bad record
  job stopping | worker:0 failed with exit code 3 on node0 after 1.0s, attempt 0: ValueError: bad record;
      roles.worker.restart.rules[0] (log: it) says fail
1s ended worker:0 a0
  task worker:0 FAILED a0 code=3 | worker:0 failed with exit code 3 on node0 after 1.0s, attempt 0: ValueError: bad
      record; roles.worker.restart.rules[0] (log: it) says fail
  release worker:0
1s gone worker:0
  job finished FAILED exit=1 | worker:0 failed with exit code 3 on node0 after 1.0s, attempt 0: ValueError: bad
      record; roles.worker.restart.rules[0] (log: it) says fail
  finish FAILED 1
)");
}

// A final failure ends the job even while the other tasks are being stopped because of another failure.
TEST(JobRules, FinalFailureDuringDrainEndsTheJob) {
  const std::string played = Play({JobOf({Workers(2, 9, Then::kFail)}), Ranked(1)}, R"(
0s up
1s exit worker:0 a0 1
1s exit worker:1 a0 3 rule=0 at=0.9s
1s ended worker:1 a0
1s ended worker:0 a0
1s gone worker:0
1s gone worker:1
)");
  EXPECT_NE(played.find("job recovering RECOVERING g0 | worker:0"), std::string::npos) << played;
  EXPECT_NE(played.find("job finished FAILED exit=1 | worker:1 failed with exit code 3"), std::string::npos) << played;
}

TEST(JobRules, FailureThatARestartCannotMendEndsTheJob) {
  const std::string played =
      Play({JobOf({Workers(2, 9, Then::kRestart)}, [](auto& spec) { spec.restart_max = 2; })}, R"(
0s up
1s exit worker:0 a0 1 cause=FeedLost no_restart=lost
1s exit worker:1 a0 1 consequence=1 at=0.9s
1s ended worker:1 a0
1s ended worker:0 a0
1s gone worker:0
1s gone worker:1
)");
  EXPECT_NE(played.find("job stopping | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0: FeedLost; not "
                        "restarted: lost\n"),
            std::string::npos)
      << played;
  EXPECT_NE(played.find("job finished FAILED exit=1 | worker:0"), std::string::npos) << played;
}

// A rule of the job file has the last word.
TEST(JobRules, RuleMayRestartAFailureThatARestartCannotMend) {
  const std::string played = Play({JobOf({Workers(1, 9, Then::kRestart)})}, R"(
0s up
1s exit worker:0 a0 1 rule=0 no_restart=lost
1s ended worker:0 a0
)");
  EXPECT_NE(played.find("task worker:0 READY a1"), std::string::npos) << played;
}

// The task has no budget and needs none. The pause before each restart still grows.
TEST(JobRules, FreeRestartIsNotCharged) {
  Reads({JobOf({Workers(1, 0, Then::kRestartFree)})}, R"(
0s up
1s exit worker:0 a0 75 rule=0
1s ended worker:0 a0
  task worker:0 FAILED a0 code=75 | worker:0 failed with exit code 75 on node0 after 1.0s, attempt 0;
      roles.worker.restart.rules[0] (log: it) says restart_free
  task worker:0 READY a1
2s tick
  start worker:0 a1 g0 in worker:0
2s started worker:0 a1
  task worker:0 RUNNING a1 g0
3s exit worker:0 a1 75 rule=0
3s ended worker:0 a1
  task worker:0 FAILED a1 code=75 | worker:0 failed with exit code 75 on node0 after 1.0s, attempt 1;
      roles.worker.restart.rules[0] (log: it) says restart_free
  task worker:0 READY a2
4s tick
5s tick
  start worker:0 a2 g0 in worker:0
)");
}

// A task with a free restart is not the reason for the end of the job, even if it failed first.
TEST(JobRules, FailureWithFreeRestartIsNotTheReasonForTheEndOfTheJob) {
  const std::string played = Play({JobOf({Workers(2, 0, Then::kRestartFree)})}, R"(
0s up
1s exit worker:0 a0 75 rule=0
2s exit worker:1 a0 1
2s ended worker:0 a0
2s ended worker:1 a0
2s gone worker:0
2s gone worker:1
)");
  EXPECT_NE(played.find("job finished FAILED exit=1 | worker:1 failed with exit code 1"), std::string::npos) << played;
}

// The task moves at once, even if the role has used only one node so far.
TEST(JobRules, TaskMovesFromFaultyNode) {
  for (const char* how : {"rule=0", "node_fault=1"}) {
    const std::string played = Play({JobOf({Workers(1, 0, Then::kElsewhere)})}, std::string(R"(
0s up
1s exit worker:0 a0 1 )") + how + R"(
1s ended worker:0 a0
1s gone worker:0
)");
    EXPECT_NE(played.find("  avoid node0 1d\n"
                          "  job running | node0 is avoided for 1d: a failure there was the node's fault\n"
                          "  release worker:0 replaced\n  task worker:0 PENDING a1\n  ask worker*1\n"),
              std::string::npos)
        << played;
  }
}

TEST(JobRules, EveryFaultyNodeIsAvoided) {
  const std::string played = Play({JobOf({Workers(4, 0, Then::kElsewhere)}), Ranked(1)}, R"(
0s up
1s exit worker:1 a0 1 node_fault=1
1s exit worker:3 a0 1 node_fault=1 at=0.9s
1s exit worker:0 a0 1 consequence=1
1s ended worker:0 a0
1s ended worker:1 a0
1s ended worker:2 a0
1s ended worker:3 a0
)");
  EXPECT_NE(played.find("avoid node1 1d"), std::string::npos) << played;
  EXPECT_NE(played.find("avoid node3 1d"), std::string::npos) << played;
  EXPECT_EQ(played.find("avoid node0"), std::string::npos) << played;
  EXPECT_NE(played.find("job recovering RECOVERING g1 | worker:3"), std::string::npos) << played;
}

// If tasks report a node fault on every node, the task itself may be the cause.
TEST(JobRules, NodeFaultsBeyondTheLimitAreCharged) {
  std::string story = "0s up\n";
  for (int attempt = 0; attempt < 6; ++attempt) {
    const std::string in = attempt == 0 ? "worker:0" : "c" + std::to_string(attempt);
    const std::string at = std::to_string(100 * attempt + 1) + "s ", a = " a" + std::to_string(attempt);
    if (attempt > 0) {
      story += at + "grant " + in + " worker node" + std::to_string(attempt) + "\n" + at + "register " + in + "\n";
      story += at + "started " + in + a + "\n";
    }
    story += at + "exit " + in + a + " 1 node_fault=1\n" + at + "ended " + in + a + "\n" + at + "gone " + in + "\n";
    story += std::to_string(100 * attempt + 99) + "s tick\n";
  }
  const std::string played = Play({JobOf({Workers(1, 0, Then::kFail)})}, story);
  EXPECT_EQ(played.find("job stopping"), played.rfind("job stopping")) << played;
  EXPECT_GT(played.find("job stopping"), played.find("exit c5 a5")) << played;
  EXPECT_NE(played.find("job stopping"), std::string::npos) << played;
}

}  // namespace
}  // namespace howdah::core::testing
