// Tests of the policies, as tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "howdah/core/policy/elastic.h"
#include "howdah/core/policy/gang.h"
#include "howdah/core/policy/outcome.h"
#include "howdah/core/policy/restart.h"

namespace howdah::core::policy {
namespace {

using jobspec::OnFailure;
using jobspec::RoleKind;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Restart, RemedyFollowsFromKindAndBudgets) {
  const auto fail = OnFailure::kFail, tolerate = OnFailure::kTolerate;
  const auto worker = RoleKind::kWorker, service = RoleKind::kService, sidecar = RoleKind::kSidecar;
  const struct {
    FailureFacts facts;  // kind, on_failure, ranked, budget, ranked_budget, job_budget
    Remedy remedy;
  } rows[] = {{{worker, fail, false, 0, false, 0}, Remedy::kFailJob},
              {{worker, fail, false, 1, false, 0}, Remedy::kRestartTask},
              {{worker, fail, false, 0, true, 0}, Remedy::kFailJob},
              {{worker, fail, false, 0, false, 1}, Remedy::kRestartJob},
              {{worker, fail, true, 1, true, 1}, Remedy::kRestartRanked},
              {{worker, fail, true, 0, true, 0}, Remedy::kRestartRanked},
              {{worker, fail, true, 0, false, 1}, Remedy::kRestartJob},
              {{worker, fail, true, 0, false, 0}, Remedy::kFailJob},
              {{worker, tolerate, false, 0, false, 1}, Remedy::kAccept},
              {{worker, tolerate, false, 1, false, 1}, Remedy::kRestartTask},
              {{worker, tolerate, true, 0, true, 1}, Remedy::kAccept},
              {{service, fail, false, 0, false, 0}, Remedy::kFailJob},
              {{service, fail, false, 1, false, 0}, Remedy::kRestartTask},
              {{sidecar, fail, false, 0, false, 1}, Remedy::kAccept},
              {{sidecar, fail, false, 1, false, 0}, Remedy::kRestartTask}};
  int row = 0;
  for (const auto& [facts, remedy] : rows) EXPECT_EQ(Decide(facts), remedy) << "row " << row++;
}

TEST(Restart, FinalRuleOverridesBudgets) {
  for (const bool ranked : {false, true}) {
    for (const auto& [on_failure, remedy] :
         {std::pair(OnFailure::kFail, Remedy::kFailJob), std::pair(OnFailure::kIgnore, Remedy::kAccept)}) {
      EXPECT_EQ(Decide({.on_failure = on_failure,
                        .ranked = ranked,
                        .budget = 3,
                        .ranked_budget = true,
                        .job_budget = 3,
                        .not_charged = true,
                        .final = true,
                        .maybe_consequence = true}),
                remedy);
    }
  }
}

TEST(Restart, FirstMatchingRuleComesBeforeNodeFault) {
  using Then = jobspec::RestartRule::Then;
  const std::vector<jobspec::RestartRule> rules = {{.then = Then::kRestart}, {.then = Then::kFail}};
  const struct {
    jobspec::RestartLimit restart;
    std::optional<int> rule;
    bool node_fault, no_restart;
    std::optional<Then> verdict;
  } rows[] = {
      {{.rules = rules}, {}, false, false, std::nullopt},
      {{.rules = rules}, 1, false, false, Then::kFail},
      {{.rules = rules}, 2, false, false, std::nullopt},  // an index from another job file
      {{.rules = rules}, -1, false, false, std::nullopt},
      {{.rules = rules}, 0, true, false, Then::kRestart},
      {{.rules = rules}, {}, true, false, Then::kElsewhere},
      {{.rules = {}}, {}, true, false, Then::kElsewhere},
      {{.charge_infrastructure = true}, {}, true, false, std::nullopt},
      {{.rules = rules}, 0, false, true, Then::kRestart},
      {{.rules = rules}, {}, true, true, Then::kFail},
  };
  int row = 0;
  for (const auto& [restart, rule, node_fault, no_restart, verdict] : rows) {
    EXPECT_EQ(RuleFor(restart, rule, node_fault, no_restart), verdict) << "row " << row++;
  }
}

TEST(Gang, FinishDependenciesAreTransitive) {
  const auto role = [](const char* name, jobspec::RoleKind kind, std::vector<jobspec::After> after) {
    jobspec::RoleSpec role;
    role.name = name;
    role.kind = kind;
    role.after = std::move(after);
    return role;
  };
  jobspec::JobSpec spec;
  spec.roles = {role("report", RoleKind::kWorker, {{"train", true}}), role("train", RoleKind::kWorker, {{"ps", false}}),
                role("ps", RoleKind::kService, {{"fetch", true}}), role("fetch", RoleKind::kWorker, {}),
                role("watch", RoleKind::kSidecar, {{"fetch", false}})};
  using Ends = std::vector<std::vector<int>>;
  EXPECT_EQ(FinishDependencies(spec), (Ends{{1, 3}, {3}, {3}, {}, {}}));
  spec.roles.push_back(role("setup", RoleKind::kSetup, {}));
  auto ends = FinishDependencies(spec);
  for (auto& of_role : ends) std::sort(of_role.begin(), of_role.end());
  EXPECT_EQ(ends, (Ends{{1, 3, 5}, {3, 5}, {3, 5}, {5}, {5}, {}}));
}

TEST(Restart, RoleKindAndOnFailureDecideWhetherAFailureFailsTheJob) {
  const struct {
    RoleKind kind;
    OnFailure on_failure;
    bool of_first, of_others;
  } rows[] = {
      {RoleKind::kWorker, OnFailure::kFail, true, true},     {RoleKind::kWorker, OnFailure::kTolerate, false, false},
      {RoleKind::kWorker, OnFailure::kIgnore, false, false}, {RoleKind::kWorker, OnFailure::kIgnoreOthers, true, false},
      {RoleKind::kService, OnFailure::kFail, true, true},    {RoleKind::kSetup, OnFailure::kFail, true, true},
      {RoleKind::kSidecar, OnFailure::kFail, false, false}};
  for (const auto& row : rows) {
    EXPECT_EQ(FailsJob(row.kind, row.on_failure, true), row.of_first);
    EXPECT_EQ(FailsJob(row.kind, row.on_failure, false), row.of_others);
  }
}

TEST(Restart, BackoffDoublesUpToOneMinute) {
  EXPECT_EQ(Backoff(seconds(1), 1), seconds(1));
  EXPECT_EQ(Backoff(seconds(1), 3), seconds(4));
  EXPECT_EQ(Backoff(seconds(1), 1'000'000), minutes(1));
  EXPECT_EQ(Backoff(minutes(5), 9), minutes(5));
  EXPECT_EQ(Backoff(Duration(0), 9), Duration(0));
}

TEST(Outcome, FollowsFromRoleResults) {
  const RoleResult ended{.tasks = 2, .done = 2, .succeeded = 2}, runs{.tasks = 2, .done = 1, .succeeded = 1};
  const RoleResult chief{.chief = true, .tasks = 1, .done = 1, .succeeded = 1}, chief_runs{.chief = true, .tasks = 1};
  const RoleResult service{.kind = RoleKind::kService, .tasks = 1};
  const RoleResult sidecar{
      .kind = RoleKind::kSidecar, .on_failure = OnFailure::kTolerate, .tasks = 1, .done = 1, .failed = 1};
  const RoleResult half{.on_failure = OnFailure::kTolerate, .tasks = 2, .done = 2, .succeeded = 1, .failed = 1};
  const RoleResult none{.on_failure = OnFailure::kTolerate, .tasks = 2, .done = 2, .failed = 2};
  EXPECT_EQ(Judge({ended, service, sidecar}), JobOutcome::kSucceeded);
  EXPECT_EQ(Judge({runs, service, sidecar}), JobOutcome::kUndecided);
  EXPECT_EQ(Judge({chief, runs}), JobOutcome::kSucceeded);
  EXPECT_EQ(Judge({{.decided = true, .tasks = 2, .done = 1, .succeeded = 1}, runs}), JobOutcome::kSucceeded);
  EXPECT_EQ(Judge({chief_runs, ended}), JobOutcome::kUndecided);
  EXPECT_EQ(Judge({half}), JobOutcome::kSucceeded);
  EXPECT_EQ(Judge({none}), JobOutcome::kAllToleratedFailed);
  EXPECT_EQ(Judge({none, runs}), JobOutcome::kAllToleratedFailed);
  EXPECT_EQ(Judge({none, half}), JobOutcome::kSucceeded);
  const RoleResult ignored{.on_failure = OnFailure::kIgnore, .tasks = 2, .done = 2, .failed = 2};
  EXPECT_EQ(Judge({ignored, ended}), JobOutcome::kSucceeded);
  EXPECT_EQ(Judge({ignored, runs}), JobOutcome::kUndecided);
  EXPECT_EQ(Judge({ignored, none}), JobOutcome::kAllToleratedFailed);
}

TEST(Gang, StartModeAndDependenciesDecideWhenTasksStart) {
  EXPECT_TRUE(StartsTogether(jobspec::StartMode::kGang, false));
  EXPECT_TRUE(StartsTogether(jobspec::StartMode::kFree, true));
  EXPECT_FALSE(StartsTogether(jobspec::StartMode::kFree, false));
  using Until = Dependency::Until;
  const struct {
    RoleProgress progress;
    Until until;
    bool satisfied;
  } rows[] = {
      {{.tasks = 2, .started = 2}, Until::kStarted, true},
      {{.tasks = 2, .started = 1}, Until::kStarted, false},
      {{.tasks = 2, .started = 2, .serving = 1}, Until::kServing, false},
      {{.tasks = 2, .started = 2, .serving = 2}, Until::kServing, true},
      {{.tasks = 2, .started = 2, .serving = 2, .done = 1}, Until::kFinished, false},
      {{.tasks = 2, .started = 2, .serving = 2, .done = 2}, Until::kFinished, true},
  };
  for (const auto& row : rows) EXPECT_EQ(IsSatisfied(row.progress, row.until), row.satisfied);
}

TEST(Gang, HoldLimitVariesByAtMostHalf) {
  Random random(7);
  Duration least = minutes(9), most{};
  for (int i = 0; i < 1000; ++i) {
    const Duration d = HoldLimit(seconds(10), random);
    least = std::min(least, d);
    most = std::max(most, d);
  }
  EXPECT_GE(least, seconds(5));
  EXPECT_LT(least, seconds(6));
  EXPECT_LE(most, seconds(15));
  EXPECT_GT(most, seconds(14));
  EXPECT_LE(RequestAgainIn(1000, random), seconds(90));
  EXPECT_LE(RequestAgainIn(1, random), milliseconds(1500));
}

TEST(Elastic, RankedTasksGrowWhenJoinableTasksHaveSettled) {
  struct Row {
    const char* what;
    Candidates candidates;
    bool grow, wait;
  };
  const Row rows[] = {
      {"none", {}, false, false},
      {"all requested tasks are joinable", {.joinable = 2}, true, false},
      {"more have a container", {.joinable = 1, .starting = 1}, false, true},
      {"more have none", {.joinable = 1, .pending = 3}, false, false},
      {"none is joinable yet", {.starting = 2}, false, true},
      {"settled", {.joinable = 1, .starting = 1, .pending = 1, .settled = true}, true, false},
      {"settled without a joinable task", {.starting = 1, .settled = true}, false, false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ShouldGrow(row.candidates), row.grow) << row.what;
    EXPECT_EQ(ShouldWait(row.candidates), row.wait) << row.what;
  }
}

TEST(Elastic, ReplacementLimitDependsOnElasticityAndPreemption) {
  jobspec::Timeouts limits;
  EXPECT_EQ(ReplacementLimit({2, 2}, limits, false), minutes(15)) << "as long as for a gang";
  EXPECT_EQ(ReplacementLimit({2, 2}, limits, true), minutes(15));
  EXPECT_EQ(ReplacementLimit({2, 4}, limits, false), minutes(1));
  EXPECT_EQ(ReplacementLimit({2, 4}, limits, true), seconds(0)) << "preempted";
  limits.gang = seconds(20);
  EXPECT_EQ(ReplacementLimit({2, 4}, limits, false), seconds(20));
  EXPECT_TRUE(CanShrink({2, 4}, 3));
  EXPECT_FALSE(CanShrink({2, 4}, 2));
}

}  // namespace
}  // namespace howdah::core::policy
