#include "howdah/core/progress.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace howdah::core {
namespace {

using namespace std::chrono_literals;
using Kind = ProgressLine::Kind;

constexpr Instant kStart = Instant(std::chrono::sys_days(std::chrono::year(2026) / 11 / 21));

TEST(Progress, OnlyProgressLinesAreParsed) {
  const std::pair<const char*, ProgressLine> good[] = {
      {"step 120", {Kind::kStep, 120}},
      {"step 0", {Kind::kStep, 0}},
      {"  step \t 7 \r", {Kind::kStep, 7}},
      {"checkpoint 100", {Kind::kCheckpoint, 100}},
      {"steps 1000", {Kind::kSteps, 1000}},
      {"checkpointing", {Kind::kSaving, 0}},
      {"step 999999999999999999", {Kind::kStep, 999999999999999999}},
      {"input 12.5", {Kind::kInput, 0, 12.5}},
      {"input \t0 ", {Kind::kInput, 0, 0}},
      {"input +1e3", {Kind::kInput, 0, 1000}},
      {"metric loss 0.25", {Kind::kMetric, 0, 0.25, "loss"}},
      {" metric\tval/acc.top-5_x  -1e-05\r", {Kind::kMetric, 0, -1e-5, "val/acc.top-5_x"}},
      {"metric loss inf", {Kind::kMetric, 0, HUGE_VAL, "loss"}},
      {"metric loss -Infinity", {Kind::kMetric, 0, -HUGE_VAL, "loss"}},
  };
  for (const auto& [line, want] : good) EXPECT_EQ(ParseProgressLine(line), want) << line;
  for (const char* line : {"",
                           " ",
                           "step",
                           "step ",
                           "step x",
                           "step -1",
                           "step 1.5",
                           "step120",
                           "step 1 2",
                           "Step 1",
                           "checkpoint",
                           "checkpointing 5",
                           "checkpoints 5",
                           "step 1000000000000000000",
                           "steps",
                           "steps4",
                           "input",
                           "input ",
                           "input -1",
                           "input nan",
                           "input inf",
                           "input 1e999",
                           "input 1 2",
                           "inputs 1",
                           "input1",
                           "metric",
                           "metric loss",
                           "metric 1",
                           "metric loss x",
                           "metric loss 1 2",
                           "metric loss 1e999",
                           "metric lo ss 1",
                           "metric l\xc3\xb6ss 1",
                           "metric a=b 1",
                           "metrics loss 1",
                           "metric loss 0x10",
                           "metric loss +-1"}) {
    EXPECT_EQ(ParseProgressLine(line), std::nullopt) << line;
  }
}

TEST(Progress, NanIsAValidValueOfAMetric) {
  for (const char* line : {"metric loss nan", "metric loss NaN", "metric loss -nan"}) {
    const auto parsed = ParseProgressLine(line);
    ASSERT_TRUE(parsed) << line;
    EXPECT_EQ(parsed->name, "loss");
    EXPECT_TRUE(std::isnan(parsed->value));
  }
}

TEST(Progress, NameOfMetricHasALimitedLength) {
  const std::string name(kLongestMetricName, 'a');
  EXPECT_EQ(ParseProgressLine("metric " + name + " 1")->name.size(), kLongestMetricName);
  EXPECT_EQ(ParseProgressLine("metric " + name + "a 1"), std::nullopt);
}

TEST(Progress, LongestGraceIsTenTimesTheGraceByDefault) {
  jobspec::Checkpoint checkpoint{.grace = 60s};
  EXPECT_EQ(LongestGrace(checkpoint), 10min);
  checkpoint.max_grace = 90s;
  EXPECT_EQ(LongestGrace(checkpoint), 90s);
  checkpoint.max_grace = 5s;  // only a hand-written effective job can contain this
  EXPECT_EQ(LongestGrace(checkpoint), 60s);
}

TEST(Progress, OnlyWorkersAndSetupInheritTheProgressTimeoutOfTheJob) {
  using jobspec::RoleKind;
  for (const bool of_job : {false, true}) {
    for (const bool of_role : {false, true}) {
      for (const RoleKind kind : {RoleKind::kWorker, RoleKind::kSetup, RoleKind::kService, RoleKind::kSidecar}) {
        jobspec::JobSpec spec;
        jobspec::RoleSpec role;
        role.kind = kind;
        if (of_job) spec.timeouts.progress = 5min;
        if (of_role) role.progress_timeout = 1min;
        const bool works = kind == RoleKind::kWorker || kind == RoleKind::kSetup;
        std::optional<Duration> want;
        if (of_job && works) want = 5min;
        if (of_role) want = 1min;
        EXPECT_EQ(ProgressLimit(spec, role), want);
      }
    }
  }
}

TEST(Progress, OnlyProgressIsActivityAfterTheFirstReport) {
  ActivityTimes times{.started = kStart};
  EXPECT_EQ(NewestActivity(times).at, kStart);
  EXPECT_EQ(NewestActivity(times).what, "start");
  times.output = kStart + 5s;
  times.cpu = kStart + 3s;
  EXPECT_EQ(NewestActivity(times).what, "output");
  times.cpu = kStart + 6s;
  EXPECT_EQ(NewestActivity(times).what, "CPU use");
  times.gpu = kStart + 7s;
  EXPECT_EQ(NewestActivity(times).at, kStart + 7s);
  times.progress = kStart + 1s;
  EXPECT_EQ(NewestActivity(times).at, kStart + 1s);
  EXPECT_EQ(NewestActivity(times).what, "progress");
}

TEST(Progress, IdleInterpreterIsNotBusy) {
  EXPECT_FALSE(IsBusy(0.0, 5s));
  EXPECT_FALSE(IsBusy(0.1, 5s));
  EXPECT_TRUE(IsBusy(0.5, 5s));
}

TEST(Progress, PauseBetweenJournalEntriesGrowsUpToTenMinutes) {
  EXPECT_EQ(PauseAfterProgress(1, 4), 10s);
  EXPECT_EQ(PauseAfterProgress(2, 4), 20s);
  EXPECT_EQ(PauseAfterProgress(7, 4), 10min);
  EXPECT_EQ(PauseAfterProgress(1'000'000, 4), 10min);
  EXPECT_EQ(PauseAfterProgress(1, 1000), 100s);
}

TEST(Progress, TextNamesStepAndCheckpoint) {
  TaskProgress progress;
  EXPECT_EQ(ToText(progress), "");
  progress.checkpoint = 100;
  EXPECT_EQ(ToText(progress), "checkpoint 100");
  progress.step = 120;
  EXPECT_EQ(ToText(progress), "step 120, checkpoint 100");
  progress.steps = 1000;
  EXPECT_EQ(ToText(progress), "step 120 of 1000, checkpoint 100");
}

}  // namespace
}  // namespace howdah::core
