// Tests of ranks, messages and timers, as tables.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "howdah/core/ranks.h"
#include "reason.h"
#include "timers.h"
#include "transcript.h"

namespace howdah::core::testing {
namespace {

using jobspec::RoleKind;
using std::chrono::seconds;

TEST(Reason, NamesRuleOfJobFile) {
  const jobspec::RoleSpec role = RoleOf("worker", 1, [](auto& r) {
    r.restart.rules = {{.log = "bad record", .exit = 3, .then = jobspec::RestartRule::Then::kFail},
                       {.signal = "SIGBUS", .then = jobspec::RestartRule::Then::kElsewhere}};
  });
  EXPECT_EQ(RuledByText(role, 0), "roles.worker.restart.rules[0] (log: bad record, exit: 3) says fail");
  EXPECT_EQ(RuledByText(role, 1), "roles.worker.restart.rules[1] (signal: SIGBUS) says elsewhere");
}

TEST(Ranks, ChiefHasTheFirstRankAndOtherRolesFollowInFileOrder) {
  const jobspec::JobSpec spec = JobOf({RoleOf("a", 2, [](auto& r) { r.processes = 2; }),
                                       RoleOf("ps", 1, [](auto& r) { r.kind = RoleKind::kService; }),
                                       RoleOf("chief", 1, [](auto& r) { r.chief = true; }), RoleOf("b", 3)});
  const std::vector<int> sizes{2, 1, 1, 3};
  EXPECT_EQ(RanksOf(spec, sizes, {2, 0}), std::vector<int>({0}));
  EXPECT_EQ(RanksOf(spec, sizes, {0, 1}), std::vector<int>({3, 4}));
  EXPECT_EQ(RanksOf(spec, sizes, {3, 2}), std::vector<int>({7}));
  EXPECT_EQ(RanksOf(spec, sizes, {1, 0}), std::vector<int>());
}

TEST(Reason, SentencesNameTaskNodeAndCause) {
  Failure failure{.at = At(Duration(0)), .exit = {.code = 7}, .node = "node7", .attempt = 0, .ran = seconds(192)};
  EXPECT_EQ(FailureText("worker:1", failure), "worker:1 failed with exit code 7 on node7 after 3m12s, attempt 0");
  failure.diagnosis.cause = "ValueError:\nno data";
  EXPECT_EQ(FailureText("worker:1", failure),
            "worker:1 failed with exit code 7 on node7 after 3m12s, attempt 0: ValueError: no data");
  failure.exit = {.signal = 11};
  failure.diagnosis = {};
  EXPECT_EQ(FailureText("worker:1", failure),
            "worker:1 was killed by signal 11 (SIGSEGV) on node7 after 3m12s, attempt 0");
  EXPECT_EQ(WithOthers("x", 0, 0), "x");
  EXPECT_EQ(WithOthers("x", 1, 0), "x; 1 other failed because of it");
  EXPECT_EQ(WithOthers("x", 0, 1), "x; 1 other failed, too");
  EXPECT_EQ(WithOthers("x", 2, 3), "x; 2 others failed because of it; 3 others failed, too");
  EXPECT_EQ(WithOtherStacks("x", "a", {}), "x");
  EXPECT_EQ(WithOtherStacks("x", "a", {{{"w:2", "w:3"}, "b"}, {{"w:4"}, "c"}, {{"w:0", "w:1", "w:5", "w:6"}, "a"}}),
            "x; w:0, w:1, w:5 and 1 more are there too; w:4 is at c; w:2, w:3 are at b");
  EXPECT_EQ(WithOtherStacks("x", "", {{{"w:1"}, "a"}, {{"w:2"}, "b"}, {{"w:3"}, "c"}, {{"w:4"}, "d"}, {{"w:5"}, "e"}}),
            "x; w:1 is at a; w:2 is at b; w:3 is at c; 2 more at other locations");
  EXPECT_EQ(KilledText("", seconds(1), seconds(2)), "killed after 1.0s");
}

TEST(Timers, MovedDeadlineFiresAtItsNewTime) {
  TimerQueue queue;
  Timer timer;
  const auto at = [](int s) { return At(seconds(s)); };
  const auto fires = [&](int s) {
    bool due = false;
    while (const auto entry = queue.Pop(at(s))) due = queue.IsDue(timer, *entry) || due;
    return due;
  };
  queue.Arm(timer, {}, at(5));
  queue.Arm(timer, {}, at(9));
  EXPECT_EQ(queue.Next(), at(5));
  EXPECT_FALSE(fires(5));
  EXPECT_EQ(queue.Next(), at(9));
  queue.Arm(timer, {}, at(7));
  EXPECT_TRUE(fires(7));
  EXPECT_FALSE(fires(20));
  EXPECT_EQ(queue.Next(), std::nullopt);
  queue.Arm(timer, {}, at(30));
  timer.Disarm();
  EXPECT_FALSE(fires(40));
}

}  // namespace
}  // namespace howdah::core::testing
