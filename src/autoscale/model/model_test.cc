#include <gmock/gmock.h>

#include <chrono>

#include "hours.h"
#include "howdah/autoscale/model/simulate.h"
#include "howdah/autoscale/model/workload.h"

namespace howdah::autoscale::model {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kGib = 1024;

// The policy of the talk.
Policy TalkPolicy() {
  Policy policy;
  policy.drain = minutes(15);
  policy.up_factor = policy.down_factor = 1;
  policy.primary = {2, 10, std::nullopt};
  return policy;
}

Outcome Simulated(const Workload& workload, const Policy& policy = TalkPolicy(), Mode mode = Mode::kGangs) {
  return Simulate(workload, policy, mode, {});
}

TEST(Simulate, TheDemoGrowsToTenNodesAtOnceAndShrinksAgain) {
  std::vector<Decision> decisions;
  const Outcome outcome =
      Simulate(Demo(seconds(90)), TalkPolicy(), Mode::kGangs, [&](const Decision& some) { decisions.push_back(some); });
  EXPECT_EQ(outcome.jobs, 11);
  EXPECT_EQ(outcome.unfinished, 0);
  EXPECT_EQ(outcome.largest, 10);
  EXPECT_EQ(outcome.lost_task_hours, 0);
  const auto last_order = std::ranges::find_if(decisions.rbegin(), decisions.rend(),
                                               [](const Decision& some) { return some.verdict == Verdict::kScaleUp; });
  ASSERT_NE(last_order, decisions.rend());
  const Duration submissions = seconds(20);
  EXPECT_LE(last_order->at - decisions.front().at, submissions + seconds(6)) << "after the last submission";
  EXPECT_EQ(decisions.back().current, (Sizes{2, 0}));
  // Ten nodes can run ten jobs at a time, so the eleventh begins after the first has ended.
  EXPECT_GE(outcome.makespan, Duration(seconds(180)));
}

TEST(Simulate, TheSameWorkloadHasTheSameOutcome) {
  const Outcome first = Simulated(Demo(minutes(4))), again = Simulated(Demo(minutes(4)));
  EXPECT_EQ(first.makespan, again.makespan);
  EXPECT_EQ(first.node_hours, again.node_hours);
  EXPECT_EQ(first.mean_wait, again.mean_wait);
}

// Nodes leave under Dataproc's rule while long jobs run on all of them.
Workload LongJobs(bool moves) {
  Workload workload{.node = {{12 * kGib, 4, 0, {}}, ""}};
  for (int i = 0; i < 12; ++i) {
    const bool is_long = i >= 6;
    workload.jobs.push_back({.id = "job-" + std::to_string(i),
                             .at = seconds(i),
                             .run = is_long ? Duration(hours(2)) : Duration(minutes(10)),
                             .tasks = {{1, {8 * kGib, 1, 0, {}}}},
                             .moves = moves});
  }
  return workload;
}

TEST(Simulate, WorkIsLostOnlyIfTasksDoNotMoveAndNodesLeaveUnderThem) {
  Policy policy = TalkPolicy();
  policy.drain = minutes(1);
  EXPECT_GT(Simulated(LongJobs(false), policy, Mode::kDataproc).lost_task_hours, 1);
  EXPECT_EQ(Simulated(LongJobs(true), policy, Mode::kDataproc).lost_task_hours, 0);
  EXPECT_EQ(Simulated(LongJobs(false), policy, Mode::kGangs).lost_task_hours, 0);
}

TEST(Fleet, OffersTheLoadOfTheModel) {
  constexpr int kNodes = 100, kSeeds = 20;
  double load = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (const WorkJob& job : Fleet(kNodes, 55 * kGib, seed).jobs) {
      double nodes = 0;
      for (const admission::Tasks& some : job.tasks) {
        nodes += static_cast<double>(some.count) * std::max(static_cast<double>(some.each.memory_mib) / (240 * kGib),
                                                            static_cast<double>(some.each.gpus) / 4);
      }
      load += nodes * HoursOf(job.run);
      EXPECT_LE(job.run, Duration(hours(6)));
      EXPECT_LT(job.at, Duration(hours(24)));
    }
  }
  EXPECT_NEAR(load / kSeeds / 24 / kNodes, 0.4, 0.06);
}

TEST(Fleet, TheSameSeedGivesTheSameJobs) {
  const auto ends = [](uint64_t seed) {
    std::vector<Duration> times;
    for (const WorkJob& job : Fleet(30, 55 * kGib, seed).jobs) times.push_back(job.at + job.run);
    return times;
  };
  EXPECT_EQ(ends(7), ends(7));
  EXPECT_NE(ends(7), ends(8));
}

TEST(Models, Names) {
  EXPECT_EQ((*ModelOf("demo", 1))->jobs.front().run, Duration(seconds(90)));
  EXPECT_EQ((*ModelOf("demo:4m", 1))->jobs.front().run, Duration(minutes(4)));
  EXPECT_EQ((*ModelOf("fleet:100", 1))->bounds, std::pair(2, 100));
  EXPECT_EQ((*ModelOf("fleet:1000:30GiB", 1))->bounds, std::pair(20, 1000));
  EXPECT_FALSE(*ModelOf("w.yaml", 1)) << "a file";
  for (const char* name : {"demo:", "demo:x", "fleet", "fleet:0", "fleet:10001", "fleet:10:", "fleet:10:90GiB"}) {
    const auto model = ModelOf(name, 1);
    const bool is_plain_demo = std::string(name) == "demo:";
    EXPECT_EQ(model.ok(), is_plain_demo) << name;
  }
}

TEST(WorkloadFile, Example) {
  const auto parsed = ParseWorkload(R"(node: {memory: 240GiB, vcores: 64, gpus: 4}
boot: 3m
jobs:
  - {name: eval, at: 1h, run: 5m, tasks: [{memory: 4GiB}], moves: false}
  - {name: train, count: 2, every: 10s, run: 25m, tasks: [{instances: 8, memory: 55GiB, vcores: 2, gpus: 1}]}
)",
                                    "w.yaml");
  ASSERT_THAT(parsed.problems, IsEmpty());
  const Workload& workload = parsed.value;
  EXPECT_EQ(workload.boot, Duration(minutes(3)));
  EXPECT_EQ(workload.node.size.gpus, 4);
  ASSERT_EQ(workload.jobs.size(), 3U);
  EXPECT_EQ(workload.jobs[1].id, "train-2");
  EXPECT_EQ(workload.jobs[1].at, Duration(seconds(10)));
  EXPECT_THAT(workload.jobs[1].tasks, ElementsAre(admission::Tasks{8, {55 * kGib, 2, 1, {}}}));
  EXPECT_EQ(workload.jobs[2].id, "eval") << "in the order of time";
  EXPECT_FALSE(workload.jobs[2].moves);
  EXPECT_THAT(workload.jobs[2].tasks, ElementsAre(admission::Tasks{1, {4 * kGib, 1, 0, {}}}));
}

TEST(WorkloadFile, Problems) {
  const auto parsed = ParseWorkload(
      "nodes: {memory: 1GiB}\njobs:\n  - {name: a, runs: 5m, tasks: []}\n  - {name: b, run: 1m, count: 100001, tasks: "
      "[{memory: 1GiB}]}\n",
      "w.yaml");
  std::vector<std::string> texts;
  for (const keyfile::Problem& problem : parsed.problems) texts.push_back(problem.ToText());
  EXPECT_THAT(texts, testing::IsSupersetOf({HasSubstr("w.yaml:1: nodes: unknown key; did you mean 'node'?"),
                                            HasSubstr("w.yaml:1: nodes.vcores: missing"),
                                            HasSubstr("w.yaml:3: jobs[0].runs: unknown key; did you mean 'run'?"),
                                            HasSubstr("w.yaml:3: jobs[0].run: missing"),
                                            HasSubstr("w.yaml:4: jobs[1].count: '100001' is too large")}));
}

}  // namespace
}  // namespace howdah::autoscale::model
