// Gangs that start after others have finished.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using std::chrono::seconds;

jobspec::JobSpec TwoGangs(const std::function<void(jobspec::JobSpec&)>& edit = {}) {
  return JobOf({RoleOf("reader", 1), RoleOf("store", 1, [](auto& role) { role.kind = jobspec::RoleKind::kService; }),
                RoleOf("worker", 2,
                       [](auto& role) {
                         role.after = {{"reader", true}};
                       })},
               edit);
}

TEST(JobStages, LaterGangIsRequestedWhenItsDependencyFinished) {
  Reads({TwoGangs()}, R"(
0s up
1s exit reader:0 a0 0
1s ended reader:0 a0
  task reader:0 SUCCEEDED a0 code=0
  release reader:0
  ask worker*2 together
1s gone reader:0
2s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
14s tick
  cancel
  release c1 replaced
  task worker:0 PENDING a0
14s gone c1
16s heartbeat store:0
16s tick
  ask worker*2 together
17s grant c2 worker node2
  task worker:0 ALLOCATED a0 in c2
17s grant c3 worker node3
  task worker:1 ALLOCATED a0 in c3
  launch c2 worker:0
  launch c3 worker:1
18s register c2
  task worker:0 READY a0
18s register c3
  task worker:1 READY a0
  start worker:0 a0 g0 in c2
  start worker:1 a0 g0 in c3
)");
}

TEST(JobStages, LaterGangHasItsOwnAllocationTimeout) {
  const auto edit = [](auto& spec) {
    spec.timeouts.gang = seconds(60);
    spec.timeouts.hold = seconds(600);
  };
  Reads({TwoGangs(edit)}, R"(
0s up
20s heartbeat reader:0
20s heartbeat store:0
40s heartbeat reader:0
40s heartbeat store:0
50s exit reader:0 a0 0
50s ended reader:0 a0
  task reader:0 SUCCEEDED a0 code=0
  release reader:0
  ask worker*2 together
50s gone reader:0
60s heartbeat store:0
61s tick
80s heartbeat store:0
81s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
100s heartbeat store:0
110s tick
  job stopping | gang allocation timed out after 1m (timeouts.gang): 0 of 2 tasks ready, 1 of 2 containers granted, 1
      without a container (worker:1)
  cancel
  stop store:0 a0 10s
  task worker:0 STOPPED a0
  release c1
  task worker:1 STOPPED a0
)");
}

TEST(JobStages, LaterGangReleasesContainersWhenItsDependencyRestarts) {
  Reads({TwoGangs([](auto& spec) { spec.restart_max = 1; })}, R"(
0s up
1s exit reader:0 a0 0
1s ended reader:0 a0
  task reader:0 SUCCEEDED a0 code=0
  ask worker*2 together
2s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
3s exit store:0 a0 7
  job recovering RECOVERING g0 | store:0 failed with exit code 7 on node1 after 3.0s, attempt 0; all tasks are
      restarted
3s ended store:0 a0
  task store:0 FAILED a0 code=7 | store:0 failed with exit code 7 on node1 after 3.0s, attempt 0
  job recovering RECOVERING g1 | store:0 failed with exit code 7 on node1 after 3.0s, attempt 0; all tasks restart as
      generation 1 in 1.0s
  task reader:0 READY a1
  task store:0 READY a1
  cancel
  release c1 replaced
  task worker:0 PENDING a0
4s tick
  start reader:0 a1 g1 in reader:0
  start store:0 a1 g1 in store:0
)");
}

// A server whose readiness probe decides when its clients start.
jobspec::JobSpec ServerAndClient() {
  return JobOf({RoleOf("ps", 2,
                       [](auto& role) {
                         role.kind = jobspec::RoleKind::kService;
                         role.restart.max = 1;
                         role.restart.backoff = seconds(0);
                         role.ready = jobspec::Ready{.http = "http://127.0.0.1/up"};
                       }),
                RoleOf("worker", 1, [](auto& role) { role.after = {{.role = "ps", .ready = true}}; })});
}

TEST(JobStages, RoleStartsWhenEveryTaskOfAnotherRoleIsReady) {
  Reads({ServerAndClient()}, R"(
0s up
1s serves ps:1 a0
  serves ps:1 RUNNING a0
2s serves ps:0 a0
  serves ps:0 RUNNING a0
  start worker:0 a0 g0 in worker:0
2s started worker:0 a0
  task worker:0 RUNNING a0 g0
3s serves ps:0 a0
)");
}

TEST(JobStages, RestartedTaskMustBecomeReadyAgain) {
  Reads({ServerAndClient()}, R"(
0s up
1s serves ps:0 a0
  serves ps:0 RUNNING a0
2s exit ps:0 a0 1
2s ended ps:0 a0
  task ps:0 FAILED a0 code=1 | ps:0 failed with exit code 1 on node0 after 2.0s, attempt 0
  task ps:0 READY a1
  start ps:0 a1 g0 in ps:0
2s started ps:0 a1
  task ps:0 RUNNING a1 g0
3s serves ps:1 a0
  serves ps:1 RUNNING a0
4s serves ps:0 a0
5s serves ps:0 a1
  serves ps:0 RUNNING a1
  start worker:0 a0 g0 in worker:0
)");
}

// As ServerAndClient, with one server and two workers, which start as a group.
jobspec::JobSpec ServerAndGang() {
  jobspec::JobSpec spec = ServerAndClient();
  spec.roles[0].instances = {1, 1};
  spec.roles[1].instances = {2, 2};
  return spec;
}

TEST(JobStages, GangThatLosesATaskWhileItWaitsForAnotherRoleStartsWhenItIsCompleteAgain) {
  Reads({ServerAndGang()}, R"(
0s up
1s lost worker:0 the node was lost
  task worker:0 PENDING a0 | worker:0 did not become ready on node1: the node was lost (last heartbeat 1.0s earlier);
      another container is requested
  ask worker*1
2s serves ps:0 a0
  serves ps:0 RUNNING a0
3s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
4s register c1
  task worker:0 READY a0
  start worker:0 a0 g0 in c1
  start worker:1 a0 g0 in worker:1
)");
}

TEST(JobStages, GangThatLosesATaskWhileItWaitsHoldsItsContainersForALimitedTime) {
  Reads({ServerAndGang()}, R"(
0s up
1s lost worker:0 the node was lost
  task worker:0 PENDING a0 | worker:0 did not become ready on node1: the node was lost (last heartbeat 1.0s earlier);
      another container is requested
  ask worker*1
14s heartbeat ps:0
14s tick
  job waiting | role worker waits until ps:0 is ready; it has run since 2026-11-21T00:00:00.000Z without success of
      its probe: http://127.0.0.1/up
  cancel
  release worker:1 replaced
  task worker:1 PENDING a0
14s gone worker:1
16s heartbeat ps:0
16s tick
  ask worker*2 together
)");
}

TEST(JobStages, GangWhoseTaskHasAnOrphanedAttemptWaitsUntilTheTaskIsReplaced) {
  Reads({ServerAndGang()}, R"(
0s up
1s resumed 1
  job am | the application master (attempt 0) died; attempt 1 continues and has adopted 3 containers
2s register worker:0 a0
  kill worker:0
3s register ps:0 a0
  start ps:0 a0 g0 in ps:0
3s serves ps:0 a0
  serves ps:0 RUNNING a0
4s gone worker:0
  task worker:0 PENDING a0 | worker:0 did not become ready on node1: the application master died before it had
      recorded what it started there; another container is requested
  ask worker*1
5s grant c1 worker node1
  task worker:0 ALLOCATED a0 in c1
  launch c1 worker:0
6s register c1
  task worker:0 READY a0
  start worker:0 a0 g0 in c1
  start worker:1 a0 g0 in worker:1
)");
}

TEST(JobStages, ReasonNamesTheTaskThatIsNotReady) {
  Reads({ServerAndClient()}, R"(
0s up
1s serves ps:0 a0
  serves ps:0 RUNNING a0
10s tick
  job waiting | role worker waits until ps:1 is ready; it has run since 2026-11-21T00:00:00.000Z without success of
      its probe: http://127.0.0.1/up
20s heartbeat ps:0
20s tick
21s serves ps:1 a0
  serves ps:1 RUNNING a0
  start worker:0 a0 g0 in worker:0
21s started worker:0 a0
  task worker:0 RUNNING a0 g0
30s tick
  job waiting
)");
}

}  // namespace
}  // namespace howdah::core::testing
