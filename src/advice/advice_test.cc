// The rules that hold for all checks, and details of single checks.
#include <gtest/gtest.h>

#include <csignal>

#include "howdah/base/text.h"
#include "table.h"
#include "test_story.h"

namespace howdah::advice {
namespace {

const Finding* Find(const std::vector<Finding>& findings, AdviceCheck check) {
  for (const Finding& finding : findings) {
    if (finding.check == check) return &finding;
  }
  return nullptr;
}

Finding Only(Story& story, AdviceCheck check) {
  const auto findings = story.Findings();
  const Finding* const finding = Find(findings, check);
  EXPECT_NE(finding, nullptr) << story.Advised();
  return finding == nullptr ? Finding() : *finding;
}

TEST(Advice, ShortRunsAndFewSamplesAreNotJudged) {
  Story story;
  story.SetAll("memory_bytes", 0.5 * 8 * kGi);
  EXPECT_EQ(story.Advised(), "memory-over worker");
  story.ran = 299;
  EXPECT_EQ(story.Advised(), "") << "less than five minutes";
  story.ran = 3600;
  story.SetAll("cpu_cores", {[](double t) { return t < 145 ? 1.0 : NAN; }});
  EXPECT_EQ(story.Advised(), "memory-over worker") << "29 samples of the cores";
  story.SetAll("cpu_cores", {[](double t) { return t < 150 ? 1.0 : NAN; }});
  EXPECT_EQ(story.Advised(), "memory-over worker, vcores-over worker") << "30 samples";
}

TEST(Advice, SamplesAreCountedByTheirInterval) {
  const auto measured_for = [](double seconds) {
    return Story::Series{[seconds](double t) { return t < seconds ? 1.0 : NAN; }};
  };
  Story story;
  story.spec.metrics_interval = 1s;
  story.SetAll("cpu_cores", measured_for(30));
  EXPECT_EQ(story.Advised(), "vcores-over worker") << "30 samples, one per second";
  story.SetAll("cpu_cores", measured_for(25));
  EXPECT_EQ(story.Advised(), "");
  story.spec.metrics_interval = 0s;
  EXPECT_EQ(story.Advised(), "") << "sampled while somebody watches, at most once per second";
  story.spec.metrics_interval = 1min;
  story.SetAll("cpu_cores", measured_for(1795));
  EXPECT_EQ(story.Advised(), "") << "less than 30 samples, one per minute";
  story.SetAll("cpu_cores", measured_for(1800));
  EXPECT_EQ(story.Advised(), "vcores-over worker");
}

TEST(Advice, GpusAreSampledEveryFiveSecondsAtMost) {
  Story story;
  story.spec.metrics_interval = 1s;
  story.SetAll("gpu_util", {[](double t) { return t < 145 ? 0.2 : NAN; }});
  EXPECT_EQ(story.Advised(), "") << "29 samples";
  story.SetAll("gpu_util", {[](double t) { return t < 150 ? 0.2 : NAN; }});
  EXPECT_EQ(story.Advised(), "gpu-low worker");
}

TEST(Advice, SmallSavingsAreNotReported) {
  Story story;
  story.Role().instances = {1, 1};
  story.ran = 400;
  story.SetAll("memory_bytes", 0.5 * 8 * kGi);
  EXPECT_EQ(story.Advised(), "") << "less than 1 GiB h";
  story.ran = 1200;
  EXPECT_EQ(story.Advised(), "memory-over worker");
}

TEST(Advice, RequestIsNeverBelowAnEarlierPeakPlusFifteenPercent) {
  Story story;
  story.SetAll("memory_bytes", 0.4 * 8 * kGi);
  const Finding alone = Only(story, AdviceCheck::kMemoryOver);
  EXPECT_EQ(alone.change.Sets(), (std::vector<std::string>{"roles.worker.memory=3840MiB"}));
  EXPECT_EQ(alone.severity, Severity::kCritical);
  RunFacts run = RunLike(story, "job-before");
  run.roles["worker"].memory_peak_bytes = int64_t{5} << 30;
  story.earlier = {run, run};
  const Finding later = Only(story, AdviceCheck::kMemoryOver);
  EXPECT_EQ(later.change.Sets(), (std::vector<std::string>{"roles.worker.memory=5888MiB"})) << "5 GiB x 1.15";
  EXPECT_EQ(later.severity, Severity::kModerate);
  EXPECT_TRUE(later.certain) << "three runs agree";
  EXPECT_EQ(later.runs, 3);
  story.cluster.memory_step_bytes = int64_t{1} << 30;
  EXPECT_EQ(Only(story, AdviceCheck::kMemoryOver).change.Sets(),
            (std::vector<std::string>{"roles.worker.memory=6GiB"}));
  story.earlier[0].roles["worker"].memory_peak_bytes = int64_t{7} << 30;
  EXPECT_EQ(story.Advised(), "") << "an earlier run needed it";
}

TEST(Advice, HighestUseOfCoresLimitsTheReduction) {
  const auto cores = [](double highest) {
    return Story::Series{.mean = [](double) { return 1.0; },
                         .max = [highest](double t) { return t == 300 ? highest : 1; }};
  };
  Story story;
  story.SetAll("cpu_cores", cores(2.5));
  EXPECT_EQ(story.Advised(), "vcores-over worker") << "3 vcores are enough";
  story.SetAll("cpu_cores", cores(2.7));
  EXPECT_EQ(story.Advised(), "") << "2.7 cores x 1.15 need 4 vcores";
}

TEST(Advice, MemorySavingIncludesAllContainers) {
  Story story;
  story.SetAll("memory_bytes", 0.4 * 8 * kGi);
  Facts facts = story.Make();
  facts.runs_in_30_days = 60;
  const auto findings = Advise(facts, At(10'000));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NEAR(findings[0].saving.memory_gib_hours, 4 * (8 - 3.75), 0.05);
  EXPECT_NEAR(findings[0].saving_per_week.memory_gib_hours, 14 * 4 * (8 - 3.75), 1);
  EXPECT_EQ(findings[0].saving.gpu_hours, 0);
}

TEST(Advice, SavingOfMoreVcoresIsWithoutTheVcoresThatAreAdded) {
  Story story;
  story.Role().vcores = 4;
  story.SetAll("cpu_cores", 4);
  story.SetAll("gpu_util", 0.3);
  const Finding finding = Only(story, AdviceCheck::kInputBound);
  EXPECT_EQ(finding.change.Sets(), (std::vector<std::string>{"roles.worker.vcores=6"}));
  EXPECT_NEAR(finding.saving.hours, 0.5, 0.01) << "the GPUs wait half of the hour";
  EXPECT_NEAR(finding.saving.gpu_hours, 4 * 0.5, 0.02);
  EXPECT_NEAR(finding.saving.vcore_hours, 4 * (4 * 1.0 - 6 * 0.5), 0.05) << "6 vcores for half an hour";
  story.SetAll("gpu_util", 0.5);
  EXPECT_EQ(Only(story, AdviceCheck::kInputBound).saving.vcore_hours, 0) << "6 vcores for 50 minutes are more than now";
}

TEST(Advice, SavingOfFewerTasksDependsOnTheStepsOfAllTasks) {
  Story story;  // four tasks with 4 steps per second each
  RunFacts run = RunLike(story, "job-before");
  run.roles["worker"].tasks = 1;
  run.roles["worker"].steps_per_second = 8;
  story.earlier = {run};
  const Finding slower = Only(story, AdviceCheck::kScaling);
  EXPECT_EQ(slower.change.Sets(), (std::vector<std::string>{"roles.worker.instances=1"}));
  EXPECT_NEAR(slower.saving.gpu_hours, 4 * 0.5, 0.05) << "one task for two hours instead of four tasks for one";
  EXPECT_EQ(slower.saving.hours, 0);
  story.earlier[0].roles["worker"].steps_per_second = 32;
  EXPECT_NEAR(Only(story, AdviceCheck::kScaling).saving.hours, 0.5, 0.01) << "32 steps per second instead of 16";
}

// Checkpoints take 30 s, and a failure occurs every hour: √(2 · 30 s · 1 h) = 465 s.
TEST(Advice, RecommendedCheckpointsAreCountedInStepsWithoutTheTimeOfCheckpoints) {
  Story story;
  RunFacts run = RunLike(story, "job-before");
  run.interruptions = 1;
  run.ran = 1h;
  story.earlier.assign(3, run);
  story.ran = 600;
  const auto taken = [](int count) { return core::CheckpointCost{count, count * Duration(30s)}; };
  story.AddCheckpoint(60, 240, taken(1));
  story.AddCheckpoint(120, 480, taken(2));
  const Finding finding = Only(story, AdviceCheck::kCheckpointInterval);
  // 4 steps per second on average, in a minute half of which is spent on the checkpoint: 8 steps in the other half.
  // M = (3 h + 10 min) / 3 = 3800 s: every 477.5 s, of which 447.5 s are left for steps.
  EXPECT_NE(finding.change.other.find("every 3580 steps"), std::string::npos) << finding.change.other;
  // The useful share now: 1 - 30/60 - 30/3800. At the best interval: 1 - 30/477.5 - 238.7/3800.
  EXPECT_NEAR(finding.saving.hours * 6, 1 - 0.4921 / 0.8744, 0.002);
}

TEST(Advice, RateOfAShortAttemptIsThatOfAnEarlierOne) {
  Trail trail;
  const auto report = [&](int attempt, Duration after, int64_t step) {
    core::TaskChanged change{.role = "worker", .index = 0, .attempt = attempt};
    change.type = core::TaskChanged::Type::kProgressed;
    change.progress = core::TaskProgress{.step = step, .at = Instant(after)};
    trail.Take({Instant(after), change});
  };
  report(0, 0s, 0);
  report(0, 120s, 240);
  EXPECT_EQ(trail.StepRates().at("worker"), std::vector<double>{2});
  report(1, 130s, 250);
  report(1, 140s, 300);
  EXPECT_EQ(trail.StepRates().at("worker"), std::vector<double>{2}) << "ten seconds are too short for a rate";
  report(1, 230s, 350);
  EXPECT_EQ(trail.StepRates().at("worker"), std::vector<double>{1});
}

TEST(Advice, PressureOfTheNodeIsNotBlamedOnSleepingThreads) {
  Story story;
  story.SetAll("threads", 30);
  story.SetAll("cpu_pressure", {.mean = [](double) { return 0.9; }, .scope = metrics::Scope::kNode});
  EXPECT_EQ(story.Advised(), "") << "other tasks of the node may cause the pressure";
  story.spec.env = {{"OMP_NUM_THREADS", "9"}};
  EXPECT_EQ(story.Advised(), "threads worker");
  story.spec.env.clear();
  story.SetAll("cpu_pressure", 0.9);
  EXPECT_EQ(story.Advised(), "threads worker") << "of the task";
}

TEST(Advice, SavingOfFewerThreadsIsNotKnown) {
  Story story;
  story.spec.env = {{"OMP_NUM_THREADS", "9"}};
  story.SetAll("cpu_pressure", 0.9);
  const Finding finding = Only(story, AdviceCheck::kThreads);
  EXPECT_EQ(finding.change.Sets(), (std::vector<std::string>{"roles.worker.env.OMP_NUM_THREADS=4"}));
  EXPECT_EQ(finding.saving, Amounts());
}

TEST(Advice, LargestSavingComesFirst) {
  Story story;
  story.SetAll("cpu_cores", 1.9);
  story.SetAll("gpu0_util", 0);
  story.SetAll("memory_bytes", 0.5 * 8 * kGi);
  std::vector<std::string> keys;
  for (const Finding& finding : story.Findings()) keys.push_back(FindingKey(finding));
  EXPECT_EQ(Join(keys), "gpu-idle worker, vcores-over worker, memory-over worker");
}

TEST(Advice, AdviceOfTheCoreIsRecognised) {
  Story story;
  story.Set(1, "memory_bytes", 9 * kGi);
  const Finding under = Only(story, AdviceCheck::kMemoryUnder);
  EXPECT_TRUE(IsIn(under,
                   "ps:0 is slow; worker:1 used 9 GiB of memory but requested 8 GiB; a cluster with memory "
                   "limits kills such a task: `memory: 10496MiB` is enough"));
  EXPECT_FALSE(IsIn(under, "worker:0 used 9 GiB of memory but requested 8 GiB; a cluster with memory limits kills"));
  EXPECT_FALSE(IsIn(under, ""));
}

TEST(Advice, KillForMemoryIsReportedEvenInAShortRun) {
  Story story;
  story.ran = 30;
  story.series.clear();
  story.AddRestart(10,
                   "worker:0 was killed by signal 9 (SIGKILL) on node0, attempt 0: out of memory: container used 8.1 "
                   "GiB of 8 GiB of memory and was killed by YARN");
  const Finding finding = Only(story, AdviceCheck::kMemoryUnder);
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_EQ(finding.change.Sets(), (std::vector<std::string>{"roles.worker.memory=9984MiB"})) << "8 GiB x 1.2";
}

TEST(Advice, MemoryLeakIsReported) {
  Story story;
  story.SetAll("memory_bytes", {[](double t) { return (4 + 3.8 * t / 3600) * kGi; }});
  const Finding finding = Only(story, AdviceCheck::kMemoryUnder);
  EXPECT_NE(Join(finding.evidence).find("grew until the end, by 64.9 MiB/min"), std::string::npos)
      << Join(finding.evidence);
}

TEST(Advice, IdleGpusAreCounted) {
  Story story;
  story.Role().gpus = 2;
  story.AddSeries(story.Role());
  story.SetAll("gpu1_util", 0);
  story.SetAll("gpu1_memory", 0);
  const Finding finding = Only(story, AdviceCheck::kGpuIdle);
  EXPECT_EQ(finding.text.substr(0, 52), "worker: 4 GPUs of 8 were idle in every sample; no pr");
  EXPECT_EQ(finding.change.Sets(), (std::vector<std::string>{"roles.worker.gpus=1"}));
  EXPECT_NEAR(finding.saving.gpu_hours, 4, 0.05);
}

TEST(Advice, StragglerNeedsFiveMinutesAndThreeRanks) {
  const auto slow = [](double from, double to) {
    return Story::Series{[=](double t) { return t >= from && t < to ? 0.75 : 0.25; }};
  };
  Story story;
  story.series[{"worker", 2, "step_s", 0}] = slow(600, 960);
  const Finding finding = Only(story, AdviceCheck::kStraggler);
  EXPECT_EQ(finding.task, "worker:2");
  EXPECT_EQ(finding.severity, Severity::kSevere);
  story.series[{"worker", 2, "step_s", 0}] = slow(600, 830);
  EXPECT_EQ(story.Advised(), "") << "less than five minutes";
  story.series[{"worker", 2, "step_s", 0}] = slow(0, 3600);
  story.series.erase({"worker", 0, "step_s", 0});
  story.series.erase({"worker", 1, "step_s", 0});
  EXPECT_EQ(story.Advised(), "") << "two ranks";
}

TEST(Advice, RestartRuleMatchesTheMessage) {
  Story story;
  for (int i = 0; i < 3; ++i) {
    story.AddRestart(600 + 300 * i, "worker:0 failed with exit code 1 on node0 after 5m00s, attempt " +
                                        std::to_string(i) + ": ValueError: bad record " + std::to_string(17 + i) +
                                        " (train.py line 3)");
  }
  const Finding finding = Only(story, AdviceCheck::kRestarts);
  EXPECT_EQ(finding.change.Sets(),
            (std::vector<std::string>{
                "roles.worker.restart.max=0",
                "roles.worker.restart.rules=[{log: \"ValueError\\\\: bad record [0-9]+\", then: fail}]"}));
}

TEST(Advice, JointRestartOfRankedTasksCountsOnce) {
  Story story;
  for (int i = 0; i < 2; ++i) story.AddGeneration(600 + 300 * i, 10, "worker:0 failed with exit code 1, attempt 0: x");
  EXPECT_EQ(Find(story.Findings(), AdviceCheck::kRestarts), nullptr);
  story.AddGeneration(1300, 10, "worker:0 failed with exit code 1, attempt 0: x");
  EXPECT_NE(Find(story.Findings(), AdviceCheck::kRestarts), nullptr);
}

TEST(Advice, WaitIsExplainedByItsLongestReason) {
  Story story;
  story.queued = 1800;
  story.waits_for = "the queue 'ml' is full: 96 of 100 GiB";
  const Finding finding = Only(story, AdviceCheck::kQueueWait);
  EXPECT_EQ(finding.evidence, (std::vector<std::string>{"29m59s: the queue 'ml' is full: 96 of 100 GiB"}));
  EXPECT_EQ(finding.change.Sets(), (std::vector<std::string>{"roles.worker.instances={min: 2, max: 4}"}));
  EXPECT_NEAR(finding.saving.hours, 0.25, 0.001) << "two tasks do a quarter of the hour's work in half an hour";
  story.ran = 600;
  EXPECT_NEAR(Only(story, AdviceCheck::kQueueWait).saving.hours, (1800 + 600 - 1200) / 3600.0, 0.001)
      << "two tasks need twenty minutes for it";
  story.Role().instances = {2, 4};
  EXPECT_NEAR(Only(story, AdviceCheck::kQueueWait).saving.hours, 0.5, 0.001) << "with another queue";
}

TEST(Advice, EndByTheTimeLimitWithoutACheckpointIsReported) {
  Story story;
  story.spec.timeouts.run = 1h;
  story.end = {.type = core::JobChanged::Type::kFinished,
               .state = core::JobState::kKilled,
               .cause = core::Cause{core::Cause::Kind::kRunTimeout},
               .exit_code = 4};
  EXPECT_EQ(Find(story.Findings(), AdviceCheck::kTimeLimit), nullptr) << "a checkpoint is less than ten minutes old";
  story.reports_checkpoints = false;
  EXPECT_EQ(Only(story, AdviceCheck::kTimeLimit).change.Sets(), (std::vector<std::string>{"timeouts.run=2h"}));
}

TEST(Change, KeysWithTheSameBeginningShareTheirMaps) {
  const Change change{.keys = {{"roles.worker.restart.max", "3"},
                               {"roles.worker.restart.rules", "[{exit: 1}]"},
                               {"timeouts.run", "2h"}}};
  EXPECT_EQ(change.Yaml(),
            "roles:\n  worker:\n    restart:\n      max: 3\n      rules: [{exit: 1}]\ntimeouts:\n  run: 2h\n");
}

TEST(Finding, IsWrittenAsTextAndJson) {
  Story story;
  story.SetAll("memory_bytes", 0.4 * 8 * kGi);
  const Finding finding = Only(story, AdviceCheck::kMemoryOver);
  EXPECT_EQ(Describe(finding),
            "worker: at most 3.2 GiB of 8 GiB memory was used: `memory: 3840MiB` is enough and frees 17 GiB\n"
            "  check     memory-over, critical, seen in 1 run\n"
            "  evidence  peak of worker:0: 3.2 GiB\n"
            "  change    roles:\n"
            "              worker:\n"
            "                memory: 3840MiB\n"
            "            or --set roles.worker.memory=3840MiB\n"
            "  saving    17 GiB h per run; 4 GiB h per week");
  const std::string json = ToJson(finding);
  EXPECT_EQ(json.substr(0, json.find(",\"text\"")),
            "{\"check\":\"memory-over\",\"severity\":\"critical\",\"role\":\"worker\",\"task\":null");
  EXPECT_NE(json.find("\"set\":[\"roles.worker.memory=3840MiB\"]"), std::string::npos) << json;
}

TEST(Finding, ChangesJobsOfTonyWithTonysKeys) {
  Story story;
  story.spec.tony_env = true;
  story.SetAll("memory_bytes", 0.4 * 8 * kGi);
  const Finding finding = Only(story, AdviceCheck::kMemoryOver);
  EXPECT_EQ(Describe(finding),
            "worker: at most 3.2 GiB of 8 GiB memory was used: `tony.worker.memory=3840m` is enough and frees 17 GiB\n"
            "  check     memory-over, critical, seen in 1 run\n"
            "  evidence  peak of worker:0: 3.2 GiB\n"
            "  change    -conf tony.worker.memory=3840m\n"
            "  saving    17 GiB h per run; 4 GiB h per week");
  Story restarted;
  restarted.spec.tony_env = true;
  for (int i = 0; i < 3; ++i) restarted.AddRestart(600 + 300 * i, "worker:0 failed with exit code 1, attempt 0: boom");
  const Change change = Only(restarted, AdviceCheck::kRestarts).change;
  EXPECT_TRUE(change.tony.empty());
  EXPECT_NE(change.other.find("`howdah tony ... -print-job` writes a job file"), std::string::npos) << change.other;
}

TEST(ReferencePage, NamesEveryCheck) {
  const std::string page = ReferencePage();
  for (const Check& check : Table())
    EXPECT_NE(page.find("\n## " + std::string(jobspec::ToText(check.name)) + "\n"), std::string::npos);
}

}  // namespace
}  // namespace howdah::advice
