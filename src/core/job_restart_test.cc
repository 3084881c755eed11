// Restarts after failures, and the budgets that they are charged to.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

jobspec::RoleSpec WorkersWithPause(int n, int restarts) {
  return RoleOf("worker", n, [&](auto& role) { role.restart = {restarts, milliseconds(1000)}; });
}

TEST(JobRestart, TaskRestartsAloneWithDoublingPause) {
  Reads({JobOf({WorkersWithPause(2, 2)})}, R"(
0s up
1s exit worker:1 a0 3
1s ended worker:1 a0
  task worker:1 FAILED a0 code=3 | worker:1 failed with exit code 3 on node1 after 1.0s, attempt 0
  task worker:1 READY a1
1.5s tick
2s tick
  start worker:1 a1 g0 in worker:1
2s started worker:1 a1
  task worker:1 RUNNING a1 g0
3s exit worker:1 a1 3
3s ended worker:1 a1
  task worker:1 FAILED a1 code=3 | worker:1 failed with exit code 3 on node1 after 1.0s, attempt 1
  task worker:1 READY a2
4s tick
5s tick
  start worker:1 a2 g0 in worker:1
5s started worker:1 a2
  task worker:1 RUNNING a2 g0
6s exit worker:1 a2 3
  job stopping | worker:1 failed with exit code 3 on node1 after 1.0s, attempt 2
  stop worker:0 a0 10s
6s ended worker:1 a2
  task worker:1 FAILED a2 code=3 | worker:1 failed with exit code 3 on node1 after 1.0s, attempt 2
  release worker:1
6s ended worker:0 a0
  task worker:0 STOPPED a0
  release worker:0
7s gone worker:0
7s gone worker:1
  job finished FAILED exit=1 | worker:1 failed with exit code 3 on node1 after 1.0s, attempt 2
  finish FAILED 1
)");
}

TEST(JobRestart, RankedTasksRestartTogetherAndFirstFailureIsCharged) {
  Reads({JobOf({WorkersWithPause(3, 1), RoleOf("ps", 1, [](auto& role) { role.kind = jobspec::RoleKind::kService; })}),
         {{true, false}, false}},
        R"(
0s up
1s exit worker:2 a0 0
1s ended worker:2 a0
  task worker:2 SUCCEEDED a0 code=0
5.002s exit worker:0 a0 1 at=5.001s cause=connection reset
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker:0 failed with exit code 1 on node0 after 5.0s, attempt 0: connection reset;
      all ranked tasks are restarted
5.003s exit worker:1 a0 SIGKILL at=5s
5.003s ended worker:1 a0
  task worker:1 FAILED a0 signal=SIGKILL | worker:1 was killed by signal 9 (SIGKILL) on node1 after 5.0s, attempt 0
5.004s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 5.0s, attempt 0: connection reset
  job recovering RECOVERING g1 | worker:1 was killed by signal 9 (SIGKILL) on node1 after 5.0s, attempt 0; all ranked
      tasks restart as generation 1 in 1.0s
  task worker:0 READY a1
  task worker:1 READY a1
  task worker:2 READY a1
6s tick
6.004s tick
  start worker:0 a1 g1 in worker:0
  start worker:1 a1 g1 in worker:1
  start worker:2 a1 g1 in worker:2
6.1s started worker:0 a1
  task worker:0 RUNNING a1 g1
  job running RUNNING g1
6.1s started worker:1 a1
  task worker:1 RUNNING a1 g1
6.1s started worker:2 a1
  task worker:2 RUNNING a1 g1
7s exit worker:0 a1 1
  stop worker:1 a1 10s
  stop worker:2 a1 10s
  job recovering RECOVERING g1 | worker:0 failed with exit code 1 on node0 after 900ms, attempt 1; all ranked tasks
      are restarted
7s ended worker:0 a1
  task worker:0 FAILED a1 code=1 | worker:0 failed with exit code 1 on node0 after 900ms, attempt 1
7s ended worker:1 a1
  task worker:1 STOPPED a1
7s ended worker:2 a1
  task worker:2 STOPPED a1
  job recovering RECOVERING g2 | worker:0 failed with exit code 1 on node0 after 900ms, attempt 1; all ranked tasks
      restart as generation 2 in 1.0s
  task worker:0 READY a2
  task worker:1 READY a2
  task worker:2 READY a2
8s tick
  start worker:0 a2 g2 in worker:0
  start worker:1 a2 g2 in worker:1
  start worker:2 a2 g2 in worker:2
)");
}

// The clock of node1 is slow, so the exit of the stopped task has an earlier time than the failure.
TEST(JobRestart, StoppedTaskIsNotRootCauseUnderClockSkew) {
  Reads({JobOf({RoleOf("worker", 2,
                       [](auto& role) {
                         role.restart = {1, Duration(0)};
                       })}),
         Ranked(1)},
        R"(
0s up
5s exit worker:0 a0 7
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker:0 failed with exit code 7 on node0 after 5.0s, attempt 0; all ranked tasks are
      restarted
5s ended worker:0 a0
  task worker:0 FAILED a0 code=7 | worker:0 failed with exit code 7 on node0 after 5.0s, attempt 0
5s exit worker:1 a0 SIGTERM at=4s during_stop=1
5s ended worker:1 a0 at=4s
  task worker:1 STOPPED a0 signal=SIGTERM
  job recovering RECOVERING g1 | worker:0 failed with exit code 7 on node0 after 5.0s, attempt 0; all ranked tasks
      restart as generation 1
  task worker:0 READY a1
  task worker:1 READY a1
  start worker:0 a1 g1 in worker:0
  start worker:1 a1 g1 in worker:1
)");
}

TEST(JobRestart, RankThatFailsAgainWithoutBudgetFailsTheJob) {
  Reads({JobOf({WorkersWithPause(2, 1)}), Ranked(1)}, R"(
0s up
1s exit worker:0 a0 1
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0; all ranked tasks are
      restarted
1s ended worker:1 a0
  task worker:1 STOPPED a0
1s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0
  job recovering RECOVERING g1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0; all ranked tasks
      restart as generation 1 in 1.0s
  task worker:0 READY a1
  task worker:1 READY a1
2s tick
  start worker:0 a1 g1 in worker:0
  start worker:1 a1 g1 in worker:1
2s started worker:0 a1
  task worker:0 RUNNING a1 g1
  job running RUNNING g1
2s started worker:1 a1
  task worker:1 RUNNING a1 g1
3s exit worker:0 a1 1 cause=again
  stop worker:1 a1 10s
  job recovering RECOVERING g1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 1: again; all ranked
      tasks are restarted
3s ended worker:0 a1
  task worker:0 FAILED a1 code=1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 1: again
3s ended worker:1 a1
  task worker:1 STOPPED a1
  job stopping | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 1: again
  release worker:0
  release worker:1
4s gone worker:0
4s gone worker:1
  job finished FAILED exit=1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 1: again
  finish FAILED 1
)");
}

TEST(JobRestart, RankedTaskWithoutBudgetFailsTheJobAtOnce) {
  Reads({JobOf({WorkersWithPause(2, 0)}), Ranked(1)}, R"(
0s up
3s exit worker:1 a0 1
  job stopping | worker:1 failed with exit code 1 on node1 after 3.0s, attempt 0
  stop worker:0 a0 10s
)");
}

TEST(JobRestart, WholeJobRestartsWhenTheFailedTaskHasNoBudgetLeft) {
  Reads({JobOf({RoleOf("ps", 1, [](auto& role) { role.kind = jobspec::RoleKind::kService; }),
                RoleOf("worker", 2,
                       [](auto& role) {
                         role.after = {{"ps", false}};
                         role.restart = {1, milliseconds(0)};
                       })},
               [](auto& spec) { spec.restart_max = 1; })},
        R"(
0s up
1s exit worker:0 a0 1
1s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node1 after 1.0s, attempt 0
  task worker:0 READY a1
  start worker:0 a1 g0 in worker:0
1s started worker:0 a1
  task worker:0 RUNNING a1 g0
2s exit worker:1 a0 0
2s ended worker:1 a0
  task worker:1 SUCCEEDED a0 code=0
3s exit worker:0 a1 1
  stop ps:0 a0 10s
  job recovering RECOVERING g0 | worker:0 failed with exit code 1 on node1 after 2.0s, attempt 1; all tasks are
      restarted
3s ended worker:0 a1
  task worker:0 FAILED a1 code=1 | worker:0 failed with exit code 1 on node1 after 2.0s, attempt 1
3s exit ps:0 a0 SIGTERM
3s ended ps:0 a0
  task ps:0 STOPPED a0 signal=SIGTERM
  job recovering RECOVERING g1 | worker:0 failed with exit code 1 on node1 after 2.0s, attempt 1; all tasks restart as
      generation 1
  task ps:0 READY a1
  task worker:0 READY a2
  task worker:1 READY a1
  start ps:0 a1 g1 in ps:0
4s started ps:0 a1
  task ps:0 RUNNING a1 g1
  job running RUNNING g1
  start worker:0 a2 g1 in worker:0
  start worker:1 a1 g1 in worker:1
4s started worker:0 a2
  task worker:0 RUNNING a2 g1
4s started worker:1 a1
  task worker:1 RUNNING a1 g1
5s exit worker:1 a1 1
5s ended worker:1 a1
  task worker:1 FAILED a1 code=1 | worker:1 failed with exit code 1 on node2 after 1.0s, attempt 1
  task worker:1 READY a2
  start worker:1 a2 g1 in worker:1
6s exit ps:0 a1 1
  job stopping | ps:0 failed with exit code 1 on node0 after 2.0s, attempt 1
  stop worker:0 a2 10s
  stop worker:1 a2 10s
6s ended ps:0 a1
  task ps:0 FAILED a1 code=1 | ps:0 failed with exit code 1 on node0 after 2.0s, attempt 1
  release ps:0
)");
}

TEST(JobRestart, WholeJobRestartsWhenTheFirstFailedRankHasNoBudget) {
  Reads({JobOf({RoleOf("chief", 1), WorkersWithPause(1, 1), RoleOf("other", 1)},
               [](auto& spec) { spec.restart_max = 1; }),
         {{true, true, false}, false}},
        R"(
0s up
1s exit chief:0 a0 1
  stop worker:0 a0 10s
  job recovering RECOVERING g0 | chief:0 failed with exit code 1 on node0 after 1.0s, attempt 0; all ranked tasks are
      restarted
1s ended chief:0 a0
  task chief:0 FAILED a0 code=1 | chief:0 failed with exit code 1 on node0 after 1.0s, attempt 0
2s ended worker:0 a0
  task worker:0 STOPPED a0
  stop other:0 a0 10s
  job recovering RECOVERING g0 | chief:0 failed with exit code 1 on node0 after 1.0s, attempt 0; all tasks are
      restarted
3s ended other:0 a0
  task other:0 STOPPED a0
  job recovering RECOVERING g1 | chief:0 failed with exit code 1 on node0 after 1.0s, attempt 0; all tasks restart as
      generation 1 in 1.0s
  task chief:0 READY a1
  task worker:0 READY a1
  task other:0 READY a1
4s tick
  start chief:0 a1 g1 in chief:0
  start worker:0 a1 g1 in worker:0
  start other:0 a1 g1 in other:0
)");
}

TEST(JobRestart, ServiceFailureWhileRankedTasksRecoverRestartsTheWholeJob) {
  Reads({JobOf({RoleOf("ps", 1, [](auto& role) { role.kind = jobspec::RoleKind::kService; }), WorkersWithPause(2, 1)},
               [](auto& spec) { spec.restart_max = 1; }),
         {{false, true}, false}},
        R"(
0s up
1s exit worker:0 a0 1
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker:0 failed with exit code 1 on node1 after 1.0s, attempt 0; all ranked tasks are
      restarted
1s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node1 after 1.0s, attempt 0
2s exit ps:0 a0 1
  job recovering RECOVERING g0 | ps:0 failed with exit code 1 on node0 after 2.0s, attempt 0; all tasks are restarted
2s ended ps:0 a0
  task ps:0 FAILED a0 code=1 | ps:0 failed with exit code 1 on node0 after 2.0s, attempt 0
3s ended worker:1 a0
  task worker:1 STOPPED a0
  job recovering RECOVERING g1 | worker:0 failed with exit code 1 on node1 after 1.0s, attempt 0; all tasks restart as
      generation 1 in 1.0s
  task ps:0 READY a1
  task worker:0 READY a1
  task worker:1 READY a1
4s tick
  start ps:0 a1 g1 in ps:0
  start worker:0 a1 g1 in worker:0
  start worker:1 a1 g1 in worker:1
)");
}

TEST(JobRestart, KillWhileRecoveringEndsTheJob) {
  Reads({JobOf({WorkersWithPause(2, 1)}), Ranked(1)}, R"(
0s up
1s exit worker:0 a0 1
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0; all ranked tasks are
      restarted
1s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 1.0s, attempt 0
2s kill 1s ann
  job stop-requested | killed by ann after 2.0s
  job stopping | killed by ann after 2.0s
  release worker:0
  stop worker:1 a0 1s
3s ended worker:1 a0
  task worker:1 STOPPED a0
  release worker:1
3s gone worker:0
3s gone worker:1
  job finished KILLED exit=4 | killed by ann after 2.0s
  finish KILLED 4
)");
}

TEST(JobRestart, EarliestFailedProcessIsTheReason) {
  Reads({JobOf({RoleOf("worker", 1,
                       [](auto& role) {
                         role.processes = 3;
                         role.restart = {1, milliseconds(0)};
                       }),
                RoleOf("other", 1)})},
        R"(
0s up
1s exit worker:0 a0 0 rank=0
2.01s exit worker:0 a0 1 rank=2 at=2.005s
  stop worker:0 a0 10s
2.02s exit worker:0 a0 SIGSEGV rank=1 at=2s cause=first
2.03s ended worker:0 a0
  task worker:0 FAILED a0 signal=SIGSEGV | worker:0 was killed by signal 11 (SIGSEGV) on node0 after 2.0s, attempt 0:
      first
  task worker:0 READY a1
  start worker:0 a1 g0 in worker:0
3s started worker:0 a1
  task worker:0 RUNNING a1 g0
4s exit worker:0 a1 0 rank=2
4s exit worker:0 a1 0 rank=1
4s exit worker:0 a1 0 rank=0
4s ended worker:0 a1
  task worker:0 SUCCEEDED a1 code=0
  release worker:0
)");
}

TEST(JobRestart, OnlyRestartsWithinTheWindowCount) {
  const auto worker =
      RoleOf("worker", 1, [](auto& role) { role.restart = {.max = 1, .backoff = seconds(0), .window = seconds(60)}; });
  Reads({JobOf({worker})}, R"(
0s up
1s exit worker:0 a0 3
1s ended worker:0 a0
  task worker:0 FAILED a0 code=3 | worker:0 failed with exit code 3 on node0 after 1.0s, attempt 0
  task worker:0 READY a1
  start worker:0 a1 g0 in worker:0
1s started worker:0 a1
  task worker:0 RUNNING a1 g0
61s exit worker:0 a1 3
61s ended worker:0 a1
  task worker:0 FAILED a1 code=3 | worker:0 failed with exit code 3 on node0 after 1m00s, attempt 1
  task worker:0 READY a2
  start worker:0 a2 g0 in worker:0
61s started worker:0 a2
  task worker:0 RUNNING a2 g0
120s exit worker:0 a2 3
  job stopping | worker:0 failed with exit code 3 on node0 after 59.0s, attempt 2
)");
}

TEST(JobRestart, UnlimitedTaskAlwaysRestarts) {
  const auto worker = RoleOf(
      "worker", 1, [](auto& role) { role.restart = {.max = jobspec::kUnlimitedRestarts, .backoff = seconds(0)}; });
  std::string story = "0s up\n";
  for (int attempt = 0; attempt < 50; ++attempt) {
    const std::string a = " worker:0 a" + std::to_string(attempt);
    story += "1s exit" + a + " 3\n1s ended" + a + "\n1s started worker:0 a" + std::to_string(attempt + 1) + "\n";
  }
  const std::string text = Play({JobOf({worker})}, story);
  EXPECT_NE(text.find("start worker:0 a50 g0"), std::string::npos) << text;
  EXPECT_EQ(text.find("job stopping"), std::string::npos) << text;
}

// The pause after a success is not doubled. A success is charged like a failure.
TEST(JobRestart, TaskRestartsAfterSuccessIfItAlwaysRestarts) {
  const auto worker =
      RoleOf("worker", 1, [](auto& role) { role.restart = {.max = 2, .backoff = seconds(1), .always = true}; });
  Reads({JobOf({worker})}, R"(
0s up
1s exit worker:0 a0 0
1s ended worker:0 a0
  task worker:0 SUCCEEDED a0 code=0
  task worker:0 READY a1
2s tick
  start worker:0 a1 g0 in worker:0
2s started worker:0 a1
  task worker:0 RUNNING a1 g0
3s exit worker:0 a1 0
3s ended worker:0 a1
  task worker:0 SUCCEEDED a1 code=0
  task worker:0 READY a2
4s tick
  start worker:0 a2 g0 in worker:0
4s started worker:0 a2
  task worker:0 RUNNING a2 g0
5s exit worker:0 a2 0
5s ended worker:0 a2
  task worker:0 SUCCEEDED a2 code=0
  release worker:0
  job stopping
5s gone worker:0
  job finished SUCCEEDED exit=0
  finish SUCCEEDED 0
)");
}

}  // namespace
}  // namespace howdah::core::testing
