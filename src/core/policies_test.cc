// The policies as tables.
#include <gtest/gtest.h>

#include <algorithm>

#include "gang.h"
#include "howdah/core/ranks.h"
#include "outcome.h"
#include "reason.h"
#include "restart.h"
#include "timers.h"
#include "transcript.h"

namespace howdah::core::testing {
namespace {

using jobspec::OnFailure;
using jobspec::RoleKind;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Restart, Decide) {
  const auto fail = OnFailure::kFail, tolerate = OnFailure::kTolerate;
  const auto worker = RoleKind::kWorker, service = RoleKind::kService, sidecar = RoleKind::kSidecar;
  const struct {
    FailureFacts facts;  // kind, on_failure, ranked, budget, ranked_budget, job_budget
    Remedy remedy;
  } rows[] = {{{worker, fail, false, 0, false, 0}, Remedy::kFailJob},
              {{worker, fail, false, 1, false, 0}, Remedy::kAlone},
              {{worker, fail, false, 0, true, 0}, Remedy::kFailJob},
              {{worker, fail, false, 0, false, 1}, Remedy::kWholeJob},
              {{worker, fail, true, 1, true, 1}, Remedy::kTogether},
              {{worker, fail, true, 0, true, 0}, Remedy::kTogether},
              {{worker, fail, true, 0, false, 1}, Remedy::kWholeJob},
              {{worker, fail, true, 0, false, 0}, Remedy::kFailJob},
              {{worker, tolerate, false, 0, false, 1}, Remedy::kAccept},
              {{worker, tolerate, false, 1, false, 1}, Remedy::kAlone},
              {{worker, tolerate, true, 0, true, 1}, Remedy::kAccept},
              {{service, fail, false, 0, false, 0}, Remedy::kFailJob},
              {{service, fail, false, 1, false, 0}, Remedy::kAlone},
              {{sidecar, fail, false, 0, false, 1}, Remedy::kAccept},
              {{sidecar, fail, false, 1, false, 0}, Remedy::kAlone}};
  int row = 0;
  for (const auto& [facts, remedy] : rows) EXPECT_EQ(Decide(facts), remedy) << "row " << row++;
}

TEST(Restart, WhatARuleSaysIsFinal) {
  for (const bool ranked : {false, true}) {
    for (const auto& [on_failure, remedy] :
         {std::pair(OnFailure::kFail, Remedy::kFailJob), std::pair(OnFailure::kIgnore, Remedy::kAccept)}) {
      EXPECT_EQ(Decide({.on_failure = on_failure,
                        .ranked = ranked,
                        .budget = 3,
                        .ranked_budget = true,
                        .job_budget = 3,
                        .excused = true,
                        .final = true,
                        .doubtful = true}),
                remedy);
    }
  }
}

TEST(Restart, WhoSaysWhatFollows) {
  using Then = jobspec::RestartRule::Then;
  const std::vector<jobspec::RestartRule> rules = {{.then = Then::kRestart}, {.then = Then::kFail}};
  const struct {
    jobspec::RestartLimit restart;
    Diagnosis diagnosis;
    bool may_excuse;
    std::optional<Then> says;
  } rows[] = {
      {{.rules = rules}, {}, true, std::nullopt},
      {{.rules = rules}, {.rule = 1}, true, Then::kFail},
      {{.rules = rules}, {.rule = 2}, true, std::nullopt},  // of another job file
      {{.rules = rules}, {.rule = -1}, true, std::nullopt},
      {{.rules = rules}, {.node_fault = true, .rule = 0}, true, Then::kRestart},
      {{.rules = rules}, {.node_fault = true}, true, Then::kElsewhere},
      {{.rules = {}}, {.node_fault = true}, true, Then::kElsewhere},
      {{.rules = {}}, {.node_fault = true}, false, std::nullopt},
      {{.excuse = false}, {.node_fault = true}, true, std::nullopt},
  };
  int row = 0;
  for (const auto& [restart, diagnosis, may_excuse, says] : rows) {
    EXPECT_EQ(Says(restart, diagnosis, may_excuse), says) << "row " << row++;
  }
}

TEST(Reason, NamesTheRule) {
  const jobspec::RoleSpec role = RoleOf("worker", 1, [](auto& r) {
    r.restart.rules = {{.log = "bad record", .exit = 3, .then = jobspec::RestartRule::Then::kFail},
                       {.signal = "SIGBUS", .then = jobspec::RestartRule::Then::kElsewhere}};
  });
  EXPECT_EQ(RuledByText(role, 0), "roles.worker.restart.rules[0] (log: bad record, exit: 3) says fail");
  EXPECT_EQ(RuledByText(role, 1), "roles.worker.restart.rules[1] (signal: SIGBUS) says elsewhere");
}

TEST(Gang, WhoWaitsForTheEndOfWhom) {
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
  EXPECT_EQ(EndsAwaited(spec), (Ends{{1, 3}, {3}, {3}, {}, {}}));
  spec.roles.push_back(role("setup", RoleKind::kSetup, {}));
  auto ends = EndsAwaited(spec);
  for (auto& of_role : ends) std::sort(of_role.begin(), of_role.end());
  EXPECT_EQ(ends, (Ends{{1, 3, 5}, {3, 5}, {3, 5}, {5}, {5}, {}}));
}

TEST(Restart, WhoseFailureCounts) {
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
    EXPECT_EQ(Counts(row.kind, row.on_failure, true), row.of_first);
    EXPECT_EQ(Counts(row.kind, row.on_failure, false), row.of_others);
  }
}

TEST(Restart, Backoff) {
  EXPECT_EQ(Backoff(seconds(1), 1), seconds(1));
  EXPECT_EQ(Backoff(seconds(1), 3), seconds(4));
  EXPECT_EQ(Backoff(seconds(1), 1'000'000), minutes(1));
  EXPECT_EQ(Backoff(minutes(5), 9), minutes(5));
  EXPECT_EQ(Backoff(Duration(0), 9), Duration(0));
}

TEST(Outcome, Judge) {
  const RoleStanding ended{.tasks = 2, .done = 2, .succeeded = 2}, runs{.tasks = 2, .done = 1, .succeeded = 1};
  const RoleStanding chief{.chief = true, .tasks = 1, .done = 1, .succeeded = 1}, chief_runs{.chief = true, .tasks = 1};
  const RoleStanding service{.kind = RoleKind::kService, .tasks = 1};
  const RoleStanding sidecar{
      .kind = RoleKind::kSidecar, .on_failure = OnFailure::kTolerate, .tasks = 1, .done = 1, .failed = 1};
  const RoleStanding half{.on_failure = OnFailure::kTolerate, .tasks = 2, .done = 2, .succeeded = 1, .failed = 1};
  const RoleStanding none{.on_failure = OnFailure::kTolerate, .tasks = 2, .done = 2, .failed = 2};
  EXPECT_EQ(Judge({ended, service, sidecar}), Outcome::kSucceeded);
  EXPECT_EQ(Judge({runs, service, sidecar}), Outcome::kGoesOn);
  EXPECT_EQ(Judge({chief, runs}), Outcome::kSucceeded);
  EXPECT_EQ(Judge({{.decided = true, .tasks = 2, .done = 1, .succeeded = 1}, runs}), Outcome::kSucceeded);
  EXPECT_EQ(Judge({chief_runs, ended}), Outcome::kGoesOn);
  EXPECT_EQ(Judge({half}), Outcome::kSucceeded);
  EXPECT_EQ(Judge({none}), Outcome::kAllToleratedFailed);
  EXPECT_EQ(Judge({none, runs}), Outcome::kAllToleratedFailed);
  EXPECT_EQ(Judge({none, half}), Outcome::kSucceeded);
  const RoleStanding ignored{.on_failure = OnFailure::kIgnore, .tasks = 2, .done = 2, .failed = 2};
  EXPECT_EQ(Judge({ignored, ended}), Outcome::kSucceeded);
  EXPECT_EQ(Judge({ignored, runs}), Outcome::kGoesOn);
  EXPECT_EQ(Judge({ignored, none}), Outcome::kAllToleratedFailed);
}

TEST(Gang, WhoMayStart) {
  EXPECT_TRUE(StartsTogether(jobspec::StartMode::kGang, false));
  EXPECT_TRUE(StartsTogether(jobspec::StartMode::kFree, true));
  EXPECT_FALSE(StartsTogether(jobspec::StartMode::kFree, false));
  EXPECT_TRUE(Holds({{2, 2, 0}, false}));
  EXPECT_FALSE(Holds({{2, 1, 0}, false}));
  EXPECT_FALSE(Holds({{2, 2, 1}, true}));
  EXPECT_TRUE(Holds({{2, 2, 2}, true}));
}

TEST(Gang, JitterIsWithinHalfAndDiffers) {
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
  EXPECT_LE(AskAgainIn(1000, random), seconds(90));
  EXPECT_LE(AskAgainIn(1, random), milliseconds(1500));
}

TEST(Ranks, ChiefFirstThenWorkersInTheOrderOfTheFile) {
  const jobspec::JobSpec spec = JobOf({RoleOf("a", 2, [](auto& r) { r.processes = 2; }),
                                       RoleOf("ps", 1, [](auto& r) { r.kind = RoleKind::kService; }),
                                       RoleOf("chief", 1, [](auto& r) { r.chief = true; }), RoleOf("b", 3)});
  const std::vector<int> sizes{2, 1, 1, 3};
  EXPECT_EQ(RanksOf(spec, sizes, {2, 0}), std::vector<int>({0}));
  EXPECT_EQ(RanksOf(spec, sizes, {0, 1}), std::vector<int>({3, 4}));
  EXPECT_EQ(RanksOf(spec, sizes, {3, 2}), std::vector<int>({7}));
  EXPECT_EQ(RanksOf(spec, sizes, {1, 0}), std::vector<int>());
}

TEST(Reason, OneLineIsOneLineAndShort) {
  EXPECT_EQ(OneLine("  a\n\tb\r\n"), "a b");
  EXPECT_EQ(OneLine(std::string("a\0b", 3)), "a b");
  EXPECT_EQ(OneLine(std::string(400, 'x')), std::string(297, 'x') + "...");
  std::string umlauts;
  for (int i = 0; i < 300; ++i) umlauts += "\xc3\xa4";
  const std::string cut = OneLine(umlauts);
  EXPECT_LE(cut.size(), 300u);
  EXPECT_EQ(cut.substr(cut.size() - 5), "\xc3\xa4...") << cut;
}

TEST(Reason, Sentences) {
  Failure failure{.at = At(Duration(0)), .exit = {.code = 7}, .node = "node7", .attempt = 0, .ran = seconds(192)};
  EXPECT_EQ(FailureText("worker:1", failure), "worker:1 failed with exit code 7 on node7 after 3m12s, attempt 0");
  failure.diagnosis.cause = "ValueError:\nno data";
  EXPECT_EQ(FailureText("worker:1", failure),
            "worker:1 failed with exit code 7 on node7 after 3m12s, attempt 0: ValueError: no data");
  failure.exit = {.signal = 11};
  failure.diagnosis = {};
  EXPECT_EQ(FailureText("worker:1", failure),
            "worker:1 was killed by signal 11 (SIGSEGV) on node7 after 3m12s, attempt 0");
  EXPECT_EQ(WithOthers("x", 0), "x");
  EXPECT_EQ(WithOthers("x", 1), "x; 1 other failed because of it");
  EXPECT_EQ(WithOthers("x", 2), "x; 2 others failed because of it");
  EXPECT_EQ(WithStanding("x", "a", {}), "x");
  EXPECT_EQ(WithStanding("x", "a", {{{"w:2", "w:3"}, "b"}, {{"w:4"}, "c"}, {{"w:0", "w:1", "w:5", "w:6"}, "a"}}),
            "x; w:0, w:1, w:5 and 1 more stand there too; w:4 stands in c; w:2, w:3 stand in b");
  EXPECT_EQ(WithStanding("x", "", {{{"w:1"}, "a"}, {{"w:2"}, "b"}, {{"w:3"}, "c"}, {{"w:4"}, "d"}, {{"w:5"}, "e"}}),
            "x; w:1 stands in a; w:2 stands in b; w:3 stands in c; 2 more elsewhere");
  EXPECT_EQ(KilledText("", seconds(1), seconds(2)), "killed after 1.0s");
}

TEST(Timers, ALaterDeadlineCostsNothingAndAnEarlierOneCounts) {
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
  timer.due = kNever;
  EXPECT_FALSE(fires(40));
}

}  // namespace
}  // namespace howdah::core::testing
