// Limits of single roles, failures that count only for some tasks, and setup roles.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using jobspec::OnFailure;
using jobspec::Outlive;
using std::chrono::seconds;

jobspec::RoleSpec Lenient(std::string name, int n, OnFailure on_failure) {
  return RoleOf(std::move(name), n, [&](auto& role) { role.on_failure = on_failure; });
}

jobspec::RoleSpec Outliving(Outlive::Then then) {
  return RoleOf("worker", 1, [&](auto& role) { role.outlive = Outlive{{"chief"}, seconds(10), then}; });
}

TEST(JobLimits, IgnoreOthersIgnoresFailuresOfAllTasksExceptIndexZero) {
  Reads({JobOf({Lenient("worker", 2, OnFailure::kIgnoreOthers)})}, R"(
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
  Reads({JobOf({Lenient("worker", 2, OnFailure::kIgnoreOthers)})}, R"(
0s up
1s exit worker:0 a0 7
  job stopping | worker:0 failed with exit code 7 on node0 after 1.0s, attempt 0
  stop worker:1 a0 10s
)");
}

TEST(JobLimits, IgnoredFailuresNeverFailTheJob) {
  Reads({JobOf({RoleOf("chief", 1), Lenient("worker", 1, OnFailure::kIgnore)})}, R"(
0s up
1s exit worker:0 a0 7
1s ended worker:0 a0
  task worker:0 FAILED a0 code=7 | worker:0 failed with exit code 7 on node1 after 1.0s, attempt 0
  release worker:0
2s exit chief:0 a0 0
2s ended chief:0 a0
  task chief:0 SUCCEEDED a0 code=0
  release chief:0
  job stopping
)");
}

TEST(JobLimits, JobRestartsWhenAllTasksWithToleratedFailuresHaveFailed) {
  Reads({JobOf({Lenient("worker", 1, OnFailure::kTolerate)}, [](auto& spec) { spec.restart_max = 1; })}, R"(
0s up
1s exit worker:0 a0 7
1s ended worker:0 a0
  task worker:0 FAILED a0 code=7 | worker:0 failed with exit code 7 on node0 after 1.0s, attempt 0
  job recovering RECOVERING g0 | all 1 tolerated tasks have failed; the first failure: worker:0 failed with exit code
      7 on node0 after 1.0s, attempt 0; all tasks are restarted
  job recovering RECOVERING g1 | all 1 tolerated tasks have failed; the first failure: worker:0 failed with exit code
      7 on node0 after 1.0s, attempt 0; all tasks restart as generation 1
  task worker:0 READY a1
  start worker:0 a1 g1 in worker:0
)");
}

// The disk of the AM was full from 1s to 61s. Without the event `late`, the tick at 61s would kill worker:1.
TEST(JobLimits, GraceOfADelayedStopBeginsWithItsOrder) {
  Reads({JobOf({RoleOf("worker", 3)})}, R"(
0s up
1s exit worker:0 a0 7
  job stopping | worker:0 failed with exit code 7 on node0 after 1.0s, attempt 0
  stop worker:1 a0 10s
  stop worker:2 a0 10s
1s late 61s
1s ended worker:0 a0
  task worker:0 FAILED a0 code=7 | worker:0 failed with exit code 7 on node0 after 1.0s, attempt 0
  release worker:0
1s gone worker:0
61s tick
75s tick
76s tick
  kill worker:1
  kill worker:2
)");
}

TEST(JobLimits, GraceOfAStopRequestedDuringTheDelayBeginsAfterTheDelay) {
  Reads({JobOf({RoleOf("worker", 2)})}, R"(
0s up
1s starting worker:0 here
1s late 61s
30s kill 20s ann
  job stop-requested | killed by ann after 30.0s
  job stopping | killed by ann after 30.0s
  stop worker:0 a0 20s
  stop worker:1 a0 20s
62s kill 5s ann
  stop worker:0 a0 5s
  stop worker:1 a0 5s
71s tick
72s tick
  kill worker:0
  kill worker:1
)");
}

// A delay moves neither the limits of orders that the executors received on time, nor limits that do not depend on
// orders.
TEST(JobLimits, DelayedOrdersDoNotMoveOtherLimits) {
  Reads({JobOf({RoleOf("worker", 2, [](auto& role) { role.restart.max = 1; }),
                RoleOf("loader", 1, [](auto& role) { role.timeout = seconds(30); })})},
        R"(
0s up
1s kill 10s ann
  job stop-requested | killed by ann after 1.0s
  job stopping | killed by ann after 1.0s
  stop worker:0 a0 10s
  stop worker:1 a0 10s
  stop loader:0 a0 10s
2s exit loader:0 a0 0
2s late 12s
15s tick
16s tick
  kill worker:0
  kill worker:1
  kill loader:0
)");
}

TEST(JobLimits, AttemptFailsAtItsTimeout) {
  Reads({JobOf({RoleOf("worker", 1,
                       [](auto& role) {
                         role.timeout = seconds(10);
                         role.restart.max = 1;
                       })})},
        R"(
0s up
9s tick
10s tick
  stop worker:0 a0 10s
11s exit worker:0 a0 SIGTERM
11s ended worker:0 a0
  task worker:0 FAILED a0 signal=SIGTERM | worker:0 ran longer than its `timeout` of 10s on node0, attempt 0
  task worker:0 READY a1
12s tick
  start worker:0 a1 g0 in worker:0
12s started worker:0 a1
  task worker:0 RUNNING a1 g0
22s tick
  job stopping | worker:0 ran longer than its `timeout` of 10s on node0, attempt 1
  stop worker:0 a1 10s
)");
}

TEST(JobLimits, RoleThatOutlivesAnotherFailsTheJob) {
  Reads({JobOf({RoleOf("chief", 1), Outliving(Outlive::Then::kFail)})}, R"(
0s up
5s exit chief:0 a0 0
5s ended chief:0 a0
  task chief:0 SUCCEEDED a0 code=0
  release chief:0
5s gone chief:0
14s tick
15s tick
  job stopping | 1 task of worker still ran 10s after all tasks of chief had ended (outlive)
  stop worker:0 a0 10s
)");
}

TEST(JobLimits, OutlivingRoleWithIgnoreDoesNotFailTheJob) {
  Reads({JobOf({RoleOf("chief", 1), Outliving(Outlive::Then::kIgnore)})}, R"(
0s up
5s exit chief:0 a0 0
5s ended chief:0 a0
  task chief:0 SUCCEEDED a0 code=0
  release chief:0
5s gone chief:0
15s tick
  job stopping
  stop worker:0 a0 10s
16s exit worker:0 a0 SIGTERM
16s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGTERM
  release worker:0
16s gone worker:0
  job finished SUCCEEDED exit=0
  finish SUCCEEDED 0
)");
}

TEST(JobLimits, FailureOfARoleThatBecameAServiceFailsTheJob) {
  Reads({JobOf({RoleOf("chief", 1), Outliving(Outlive::Then::kService), RoleOf("reader", 1)})}, R"(
0s up
5s exit chief:0 a0 0
5s ended chief:0 a0
  task chief:0 SUCCEEDED a0 code=0
  release chief:0
5s gone chief:0
15s tick
16s exit worker:0 a0 1
  job stopping | worker:0 failed with exit code 1 on node1 after 16.0s, attempt 0
  stop reader:0 a0 10s
16s ended worker:0 a0
  task worker:0 FAILED a0 code=1 | worker:0 failed with exit code 1 on node1 after 16.0s, attempt 0
  release worker:0
)");
}

TEST(JobLimits, TaskThatKeepsTheJobFromEndingIsNamed) {
  const auto job = [](auto edit_server) {
    return JobOf({RoleOf("worker", 2), RoleOf("server", 1, edit_server)},
                 [](auto& spec) { spec.timeouts.run = seconds(20); });
  };
  const std::string worker_ends = R"(
0s up
4s exit worker:1 a0 0
4s ended worker:1 a0
  task worker:1 SUCCEEDED a0 code=0
  release worker:1
4s gone worker:1
5s exit worker:0 a0 0
5s ended worker:0 a0
  task worker:0 SUCCEEDED a0 code=0
  release worker:0
5s gone worker:0
14s tick
)";
  const std::string server_ends = R"(15s tick
  job waiting | worker has ended, server:0 has not; a role that is to stop with the others needs `kind: service`
20s tick
  job stopping | the time limit of 20s (timeouts.run) was reached after 20.0s of running; worker has ended, server:0
      has not; a role that is to stop with the others needs `kind: service`
  stop server:0 a0 10s
)";
  Reads({job([](auto&) {})}, (worker_ends + server_ends).c_str());
  const std::string chief_ends = R"(15s tick
20s tick
  job stopping | the time limit of 20s (timeouts.run) was reached after 20.0s of running
  stop server:0 a0 10s
)";
  Reads({job([](auto& server) { server.chief = true; })}, (worker_ends + chief_ends).c_str());
}

TEST(JobLimits, SetupEndsBeforeOtherRolesStart) {
  const Story story{
      JobOf({RoleOf("worker", 1), RoleOf("prepare", 1, [](auto& role) { role.kind = jobspec::RoleKind::kSetup; })})};
  const std::string start = R"(
0s am
  job am STARTING
  task worker:0 PENDING a0
  task prepare:0 PENDING a0
  ask prepare*1 together
0s grant c2 prepare node2
  task prepare:0 ALLOCATED a0 in c2
  launch c2 prepare:0
1s register c2
  task prepare:0 READY a0
  start prepare:0 a0 g0 in c2
1s started c2 a0
  task prepare:0 RUNNING a0 g0
  job running RUNNING g0
)";
  Reads(story, (start + R"(2s exit c2 a0 0
2s ended c2 a0
  task prepare:0 SUCCEEDED a0 code=0
  release c2
  ask worker*1 together
2s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
3s register c1
  task worker:0 READY a0
  start worker:0 a0 g0 in c1
)")
                   .c_str());
  Reads(story, (start + R"(2s exit c2 a0 3
  job stopping | prepare:0 failed with exit code 3 on node2 after 1.0s, attempt 0
  task worker:0 STOPPED a0
)")
                   .c_str());
}

// The preempted task failed first, but it restarts. Its failure therefore does not explain the end of the job.
TEST(JobLimits, PreemptedTaskIsNotTheReasonForTheEndOfTheJob) {
  Reads({JobOf({RoleOf("loader", 2, [](auto& role) { role.timeout = seconds(6); })})}, R"(
0s up
5s preempting loader:0 it is preempted
  stop loader:0 a0 10s
6s tick
  job stopping | loader:1 ran longer than its `timeout` of 6s on node1, attempt 0
  stop loader:1 a0 10s
)");
}

}  // namespace
}  // namespace howdah::core::testing
