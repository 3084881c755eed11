// The end of a job, and its reason.
#include <gmock/gmock.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using std::chrono::seconds;

jobspec::RoleSpec Service(std::string name, int n) {
  return RoleOf(std::move(name), n, [](auto& role) { role.kind = jobspec::RoleKind::kService; });
}
jobspec::RoleSpec Sidecar(std::string name, int n) {
  return RoleOf(std::move(name), n, [](auto& role) { role.kind = jobspec::RoleKind::kSidecar; });
}

TEST(JobOutcome, SucceedsWhenAllWorkersSucceed) {
  Reads({JobOf({RoleOf("worker", 2), Service("ps", 1), Sidecar("watcher", 1)})}, R"(
0s up
1s exit watcher:0 a0 9
1s ended watcher:0 a0
  task watcher:0 FAILED a0 code=9 | watcher:0 failed with exit code 9 on node3 after 1.0s, attempt 0
  release watcher:0
2s exit worker:0 a0 0
2s ended worker:0 a0
  task worker:0 SUCCEEDED a0 code=0
  release worker:0
3s exit worker:1 a0 0
3s ended worker:1 a0
  task worker:1 SUCCEEDED a0 code=0
  release worker:1
  job stopping
  stop ps:0 a0 10s
4s exit ps:0 a0 SIGTERM
4s ended ps:0 a0
  task ps:0 STOPPED a0 signal=SIGTERM
  release ps:0
5s gone worker:0
5s gone worker:1
5s gone watcher:0
5s gone ps:0
  job finished SUCCEEDED exit=0
  finish SUCCEEDED 0
6s tick
)");
}

TEST(JobOutcome, RankZeroDecidesTheOutcomeIfItStartsTheOtherRanks) {
  FrameworkRules rules = Ranked(1);
  rules.first_rank_decides = true;
  Reads({JobOf({RoleOf("worker", 2)}), rules}, R"(
0s up
1s exit worker:0 a0 0
1s ended worker:0 a0
  task worker:0 SUCCEEDED a0 code=0
  release worker:0
  job stopping
  stop worker:1 a0 10s
2s exit worker:1 a0 SIGTERM
2s ended worker:1 a0
  task worker:1 STOPPED a0 signal=SIGTERM
  release worker:1
3s gone worker:0
3s gone worker:1
  job finished SUCCEEDED exit=0
  finish SUCCEEDED 0
)");
}

TEST(JobOutcome, ChiefDecidesTheOutcome) {
  Reads({JobOf({RoleOf("chief", 1, [](auto& role) { role.chief = true; }), RoleOf("worker", 2)})}, R"(
0s up
1s exit worker:1 a0 0
1s ended worker:1 a0
  task worker:1 SUCCEEDED a0 code=0
  release worker:1
2s exit chief:0 a0 0
2s ended chief:0 a0
  task chief:0 SUCCEEDED a0 code=0
  release chief:0
  job stopping
  stop worker:0 a0 10s
2s exit worker:0 a0 1
2s ended worker:0 a0
  task worker:0 STOPPED a0 code=1
  release worker:0
3s gone chief:0
3s gone worker:0
3s gone worker:1
  job finished SUCCEEDED exit=0
  finish SUCCEEDED 0
)");
}

TEST(JobOutcome, FailedServiceFailsTheJob) {
  Reads({JobOf({Service("ps", 1), RoleOf("worker", 1)})}, R"(
0s up
1s exit ps:0 a0 5
  job stopping | ps:0 failed with exit code 5 on node0 after 1.0s, attempt 0
  stop worker:0 a0 10s
1s ended ps:0 a0
  task ps:0 FAILED a0 code=5 | ps:0 failed with exit code 5 on node0 after 1.0s, attempt 0
  release ps:0
1s ended worker:0 a0
  task worker:0 STOPPED a0
  release worker:0
1s gone ps:0
1s gone worker:0
  job finished FAILED exit=1 | ps:0 failed with exit code 5 on node0 after 1.0s, attempt 0
  finish FAILED 1
)");
}

TEST(JobOutcome, SuccessfulServiceDoesNotEndTheJob) {
  Reads({JobOf({Service("ps", 1), RoleOf("worker", 1)})}, R"(
0s up
1s exit ps:0 a0 0
1s ended ps:0 a0
  task ps:0 SUCCEEDED a0 code=0
  release ps:0
)");
}

TEST(JobOutcome, ToleratedFailuresAreCounted) {
  const Story story{JobOf({RoleOf("worker", 2, [](auto& role) { role.on_failure = jobspec::OnFailure::kTolerate; })})};
  Reads(story, R"(
0s up
1s exit worker:1 a0 7
1s ended worker:1 a0
  task worker:1 FAILED a0 code=7 | worker:1 failed with exit code 7 on node1 after 1.0s, attempt 0
  release worker:1
2s exit worker:0 a0 0
2s ended worker:0 a0
  task worker:0 SUCCEEDED a0 code=0
  release worker:0
  job stopping
2s gone worker:0
2s gone worker:1
  job finished SUCCEEDED exit=0
  finish SUCCEEDED 0
)");
  Reads(story, R"(
0s up
1s exit worker:1 a0 7 cause=no disk
1s ended worker:1 a0
  task worker:1 FAILED a0 code=7 | worker:1 failed with exit code 7 on node1 after 1.0s, attempt 0: no disk
  release worker:1
2s exit worker:0 a0 8
2s ended worker:0 a0
  task worker:0 FAILED a0 code=8 | worker:0 failed with exit code 8 on node0 after 2.0s, attempt 0
  release worker:0
  job stopping | all 2 tolerated tasks have failed; the first failure: worker:1 failed with exit code 7 on node1 after
      1.0s, attempt 0: no disk
2s gone worker:0
2s gone worker:1
  job finished FAILED exit=1 | all 2 tolerated tasks have failed; the first failure: worker:1 failed with exit code 7
      on node1 after 1.0s, attempt 0: no disk
  finish FAILED 1
)");
}

TEST(JobOutcome, EarliestFailureIsTheReasonInAnyOrderOfReports) {
  Reads({JobOf({RoleOf("worker", 4)})}, R"(
0s up
5.002s exit worker:0 a0 1 at=5.001s cause=peer closed the connection
  job stopping | worker:0 failed with exit code 1 on node0 after 5.0s, attempt 0: peer closed the connection
  stop worker:1 a0 10s
  stop worker:2 a0 10s
  stop worker:3 a0 10s
5.003s exit worker:2 a0 SIGSEGV at=5s cause=a null pointer advice=run it under a debugger
5.003s exit worker:3 a0 1 at=5.0015s
5.004s exit worker:1 a0 1 at=5.004s
5.004s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 5.0s, attempt 0: peer closed the
      connection
  release worker:0
5.004s ended worker:1 a0
  task worker:1 STOPPED a0 code=1
  release worker:1
5.004s ended worker:2 a0
  task worker:2 FAILED a0 signal=SIGSEGV | worker:2 was killed by signal 11 (SIGSEGV) on node2 after 5.0s, attempt 0:
      a null pointer | run it under a debugger
  release worker:2
5.004s ended worker:3 a0
  task worker:3 FAILED a0 code=1 | worker:3 failed with exit code 1 on node3 after 5.0s, attempt 0
  release worker:3
6s gone worker:0
6s gone worker:1
6s gone worker:2
6s gone worker:3
  job finished FAILED exit=1 | worker:2 was killed by signal 11 (SIGSEGV) on node2 after 5.0s, attempt 0: a null
      pointer; 2 others failed, too | run it under a debugger
  finish FAILED 1
)");
}

// Two ranks with the same wrong option fail independently of each other. A rank that fails in a different way has
// probably failed because it lost its peer.
TEST(JobOutcome, SameErrorOfSeveralRanksIsNotAConsequence) {
  for (const bool ranked : {true, false}) {
    std::string text = Play({JobOf({RoleOf("worker", 4)}), Ranked(ranked ? 1 : 0)}, R"(
0s up
5.1s exit worker:0 a0 2 at=5s cause=error: --lr: rank 0 expects a number
5.1s exit worker:1 a0 2 at=5.01s cause=error: --lr: rank 1 expects a number
5.1s exit worker:2 a0 1 at=5.01s cause=RuntimeError: lost a peer
5.1s exit worker:3 a0 1 at=5.01s cause=connection reset by peer consequence=1
5.1s ended worker:0 a0
5.1s ended worker:1 a0
5.1s ended worker:2 a0
5.1s ended worker:3 a0
6s gone worker:0
6s gone worker:1
6s gone worker:2
6s gone worker:3
)");
    const std::string others = ranked ? "; 2 others failed because of it; 1 other failed, too"
                                      : "; 1 other failed because of it; 2 others failed, too";
    for (size_t at = 0; (at = text.find("\n      ", at)) != std::string::npos;) text.replace(at, 7, " ");
    EXPECT_THAT(text, ::testing::HasSubstr("rank 0 expects a number" + others)) << ranked;
  }
}

TEST(JobOutcome, KnownConsequenceIsNotTheReason) {
  Reads({JobOf({RoleOf("worker", 2)})}, R"(
0s up
5.002s exit worker:0 a0 1 at=5s cause=connection closed by peer consequence=1
  job stopping | worker:0 failed with exit code 1 on node0 after 5.0s, attempt 0: connection closed by peer
  stop worker:1 a0 10s
5.003s exit worker:1 a0 SIGKILL at=5.001s
5.003s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 5.0s, attempt 0: connection closed
      by peer
  release worker:0
5.003s ended worker:1 a0
  task worker:1 FAILED a0 signal=SIGKILL | worker:1 was killed by signal 9 (SIGKILL) on node1 after 5.0s, attempt 0
  release worker:1
6s gone worker:0
6s gone worker:1
  job finished FAILED exit=1 | worker:1 was killed by signal 9 (SIGKILL) on node1 after 5.0s, attempt 0; 1 other
      failed because of it
  finish FAILED 1
)");
}

TEST(JobOutcome, ExecutorThatDisconnectedBeforeTheFirstFailureIsTheReason) {
  Reads({JobOf({RoleOf("worker", 2)})}, R"(
0s up
5s disconnected worker:1
5.001s exit worker:0 a0 1
  job stopping | worker:0 failed with exit code 1 on node0 after 5.0s, attempt 0
  stop worker:1 a0 10s
5.001s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node0 after 5.0s, attempt 0
  release worker:0
5.005s gone worker:1 its executor was killed by signal 9 (SIGKILL)
  task worker:1 LOST a0 | worker:1 was lost on node1 after 5.0s, attempt 0: its executor was killed by signal 9
      (SIGKILL)
5.01s gone worker:0
  job finished FAILED exit=1 | worker:1 was lost on node1 after 5.0s, attempt 0: its executor was killed by signal 9
      (SIGKILL); 1 other failed, too
  finish FAILED 1
)");
}

TEST(JobOutcome, SecondKillShortensGrace) {
  Reads({JobOf({RoleOf("worker", 2)})}, R"(
0s up
192s kill - ann on gateway3 with `howdah kill`
  job stop-requested | killed by ann on gateway3 with `howdah kill` after 3m12s
  job stopping | killed by ann on gateway3 with `howdah kill` after 3m12s
  stop worker:0 a0 10s
  stop worker:1 a0 10s
193s exit worker:0 a0 0
193s ended worker:0 a0
  task worker:0 STOPPED a0 code=0
  release worker:0
194s kill 20s ann on gateway3 with `howdah kill`
  stop worker:1 a0 20s
194s kill 0s ann on gateway3 with `howdah kill`
  stop worker:1 a0 0s
195s exit worker:1 a0 SIGKILL
195s ended worker:1 a0
  task worker:1 STOPPED a0 signal=SIGKILL
  release worker:1
195s gone worker:0
195s gone worker:1
  job finished KILLED exit=4 | killed by ann on gateway3 with `howdah kill` after 3m12s
  finish KILLED 4
)");
}

TEST(JobOutcome, KillBeforeStartEndsTheJob) {
  Reads({JobOf({RoleOf("worker", 2)})}, R"(
3s kill - ann on gateway3 with `howdah kill`
  job stop-requested | killed by ann on gateway3 with `howdah kill` before any task ran, 3.0s after it was submitted
  job stopping | killed by ann on gateway3 with `howdah kill` before any task ran, 3.0s after it was submitted
  task worker:0 STOPPED a0
  task worker:1 STOPPED a0
  job finished KILLED exit=4 | killed by ann on gateway3 with `howdah kill` before any task ran, 3.0s after it was
      submitted
  finish KILLED 4
4s am
)");
  Reads({JobOf({RoleOf("worker", 2)})}, R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task worker:1 PENDING a0
  ask worker*2 together
1s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
3s kill - ann on gateway3 with `howdah kill`
  job stop-requested | killed by ann on gateway3 with `howdah kill` before any task ran, 3.0s after it was submitted
  job stopping | killed by ann on gateway3 with `howdah kill` before any task ran, 3.0s after it was submitted
  cancel
  task worker:0 STOPPED a0
  release c1
  task worker:1 STOPPED a0
4s grant c2 worker node1
  release c2
4s gone c1
4s gone c2
  job finished KILLED exit=4 | killed by ann on gateway3 with `howdah kill` before any task ran, 3.0s after it was
      submitted
  finish KILLED 4
)");
}

TEST(JobOutcome, KillOfEndingJobOnlyShortensGrace) {
  Reads({JobOf({RoleOf("worker", 2)})}, R"(
0s up
1s exit worker:0 a0 7
  job stopping | worker:0 failed with exit code 7 on node0 after 1.0s, attempt 0
  stop worker:1 a0 10s
2s kill 1s ann
  stop worker:1 a0 1s
2s ended worker:0 a0
  task worker:0 FAILED a0 code=7 | worker:0 failed with exit code 7 on node0 after 1.0s, attempt 0
  release worker:0
2s ended worker:1 a0
  task worker:1 STOPPED a0
  release worker:1
2s gone worker:0
2s gone worker:1
  job finished FAILED exit=1 | worker:0 failed with exit code 7 on node0 after 1.0s, attempt 0
  finish FAILED 1
)");
}

TEST(JobOutcome, TimeLimitKillsTheJob) {
  Reads({JobOf({RoleOf("worker", 1)},
               [](auto& spec) {
                 spec.timeouts.run = seconds(2);
                 spec.checkpoint.dir = "hdfs:///ckpt";
               })},
        R"(
0s up
1s tick
2s tick
  job stopping | the time limit of 2s (timeouts.run) was reached after 2.0s of running; checkpoints are in
      hdfs:///ckpt
  stop worker:0 a0 10s
2.5s exit worker:0 a0 SIGTERM
2.5s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGTERM
  release worker:0
2.6s gone worker:0
  job finished KILLED exit=4 | the time limit of 2s (timeouts.run) was reached after 2.0s of running; checkpoints are
      in hdfs:///ckpt
  finish KILLED 4
)");
}

TEST(JobOutcome, ContainerThatDoesNotExitWhenKilledIsNamedInTheReason) {
  Reads({JobOf({RoleOf("worker", 2)})}, R"(
0s up
1s kill 5s ann
  job stop-requested | killed by ann after 1.0s
  job stopping | killed by ann after 1.0s
  stop worker:0 a0 5s
  stop worker:1 a0 5s
2s ended worker:1 a0
  task worker:1 STOPPED a0
  release worker:1
11s tick
  kill worker:0
12s tick
  kill worker:1
13s gone worker:0
  task worker:0 STOPPED a0
21s tick
22s tick
  job finished KILLED exit=4 | killed by ann after 1.0s; container worker:1 on node1 did not exit when it was killed
  finish KILLED 4
)");
}

TEST(JobOutcome, EventsAfterSuccessDoNotChangeTheOutcome) {
  Reads({JobOf({RoleOf("worker", 1), Service("ps", 2)}, [](auto& spec) { spec.timeouts.run = seconds(5); })}, R"(
0s up
4s exit worker:0 a0 0
4s ended worker:0 a0
  task worker:0 SUCCEEDED a0 code=0
  release worker:0
  job stopping
  stop ps:0 a0 10s
  stop ps:1 a0 10s
4.5s exit ps:0 a0 1 at=3.9s
5s tick
5s kill - ann
5s ended ps:0 a0
  task ps:0 FAILED a0 code=1 | ps:0 failed with exit code 1 on node1 after 3.9s, attempt 0
  release ps:0
5s gone ps:1
  task ps:1 STOPPED a0
6s gone worker:0
6s gone ps:0
  job finished SUCCEEDED exit=0
  finish SUCCEEDED 0
)");
}

}  // namespace
}  // namespace howdah::core::testing
