// Variables that a role exports to the roles after it.
#include "howdah/core/exports.h"

#include <gmock/gmock.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

jobspec::RoleSpec Behind(std::string name, std::vector<jobspec::After> after) {
  return RoleOf(std::move(name), 1, [&](auto& role) { role.after = std::move(after); });
}

TEST(Exports, RoleReceivesExportsOfItsFinishDependenciesOnly) {
  const auto spec = JobOf({Behind("late", {{"reader", true}}), Behind("soon", {{"reader", false}}), RoleOf("reader", 1),
                           RoleOf("setup", 1, [](auto& role) { role.kind = jobspec::RoleKind::kSetup; })});
  const Exports exports = {{{"NOBODYS", "x"}}, {}, {{"A", "reader"}, {"B", "1"}}, {{"A", "setup"}}};
  EXPECT_THAT(ExportsFor(spec, exports, 0), ElementsAre(Pair("A", "reader"), Pair("B", "1"), Pair("A", "setup")));
  EXPECT_THAT(ExportsFor(spec, exports, 1), ElementsAre(Pair("A", "setup")));
  EXPECT_THAT(ExportsFor(spec, exports, 2), ElementsAre(Pair("A", "setup")));
  EXPECT_THAT(ExportsFor(spec, exports, 3), IsEmpty());
  EXPECT_THAT(ExportsFor(spec, {}, 0), IsEmpty());
}

// One task of the role `setup` runs; a worker waits for the role.
struct Running {
  explicit Running(int restarts = 0)
      : job(JobOf({RoleOf("setup", 2,
                          [&](auto& role) {
                            role.kind = jobspec::RoleKind::kSetup;
                            role.restart.max = restarts;
                          }),
                   RoleOf("worker", 1)}),
            {}, At({}), 1) {
    Tell(AmStarted{"node0", 0});
    for (const char* id : {"c0", "c1"}) Tell(ContainerGranted{{id}, 0, "node1"});
    Tell(ContainerGranted{{"c2"}, 1, "node1"});
    for (const char* id : {"c0", "c1"}) Tell(ExecutorRegistered{{id}, {"host", 1}});
    Tell(ExecutorRegistered{{"c2"}, {"host", 1}});
    for (const char* id : {"c0", "c1"}) Tell(TaskStarted{{id}, 0, {7}, At({})});
  }
  void Tell(const Event& event) {
    job.Step(event, At(std::chrono::seconds(++now)));
    job.CheckInvariants();
  }
  void Exit(const char* container, int attempt, int code, jobspec::EnvVars exports, std::string cause = "") {
    Tell(RankExited{{container},
                    attempt,
                    0,
                    {.code = code},
                    At(std::chrono::seconds(now)),
                    {std::move(cause)},
                    std::move(exports)});
    Tell(TaskEnded{{container}, attempt, At(std::chrono::seconds(now))});
  }
  Job job;
  int now = 0;
};

TEST(Exports, OnlyTaskWithIndexZeroExports) {
  Running running;
  running.Exit("c1", 0, 0, {{"A", "of the other"}});
  EXPECT_THAT(running.job.exports(), ElementsAre(IsEmpty(), IsEmpty()));
  running.Exit("c0", 0, 0, {{"A", "x"}});
  EXPECT_THAT(running.job.exports(), ElementsAre(ElementsAre(Pair("A", "x")), IsEmpty()));
  running.Exit("c0", 0, 0, {{"A", "reported twice"}});
  EXPECT_THAT(running.job.exports()[0], ElementsAre(Pair("A", "x")));
}

TEST(Exports, FailedTaskExportsNothing) {
  Running running(1);
  running.Exit("c0", 0, 3, {{"A", "x"}});
  EXPECT_THAT(running.job.exports()[0], IsEmpty());
}

TEST(Exports, MissingExportFailsTaskThatExitedWithZero) {
  Reads({JobOf({RoleOf("setup", 1, [](auto& role) { role.kind = jobspec::RoleKind::kSetup; }), RoleOf("worker", 1)})},
        R"(
0s up
1s exit setup:0 a0 0 cause=what it printed is too long
  job stopping | setup:0 failed with exit code 0 on node0 after 1.0s, attempt 0: what it printed is too long
  task worker:0 STOPPED a0
1s ended setup:0 a0
  task setup:0 FAILED a0 code=0 | setup:0 failed with exit code 0 on node0 after 1.0s, attempt 0: what it printed is
      too long
  release setup:0
)");
}

}  // namespace
}  // namespace howdah::core::testing
