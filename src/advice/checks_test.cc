// For each check: a job that the check reports, a job just below the check's threshold, and a job in which another
// check reports the cause.
#include <gtest/gtest.h>

#include <csignal>

#include "howdah/jobspec/job_file.h"
#include "table.h"
#include "test_story.h"

namespace howdah::advice {
namespace {

using C = AdviceCheck;
using Change = std::function<void(Story&)>;

struct Case {
  Change fires, below;
  Change silenced = nullptr;  // the check would report this job, but a check in its `silenced_by` reports the cause
};

Change All(const std::string& series, double value) {
  return [series, value](Story& story) { story.SetAll(series, value); };
}

Change Memory(double share) { return All("memory_bytes", share * 8 * kGi); }

Change Both(Change first, Change second) {
  return [first = std::move(first), second = std::move(second)](Story& story) {
    first(story);
    second(story);
  };
}

Change Granted(double gib) {
  return [gib](Story& story) { story.granted_bytes = static_cast<int64_t>(gib * kGi); };
}

Change Omp(int threads, double pressure) {
  return [threads, pressure](Story& story) {
    story.spec.env = {{"OMP_NUM_THREADS", std::to_string(threads)}};
    story.SetAll("cpu_pressure", pressure);
  };
}

Change SharedMemory(double share) {
  return [share](Story& story) {
    story.SetAll("shm_bytes", {.mean = [share](double) { return share * kGi; }, .capacity = kGi});
  };
}

Change IdleGpus() { return Both(All("gpu0_util", 0), All("gpu_util", 0)); }

Change IdleFrom(double seconds) {
  return [seconds](Story& story) {
    story.ran = 7200;
    const Story::Series series = {[seconds](double t) { return t < seconds ? 0.85 : 0; }};
    story.SetAll("gpu_util", series);
    story.SetAll("gpu0_util", series);
  };
}

// The steps of worker:2 take `factor` times as long from `from` to `to`.
Change Slow(double factor, double from, double to) {
  return [=](Story& story) {
    story.series[{"worker", 2, "step_s", 0}] = {[=](double t) { return 0.25 * (t >= from && t < to ? factor : 1); }};
  };
}

Change ParameterServer(double share) {
  return [share](Story& story) {
    jobspec::RoleSpec role;
    role.name = "ps";
    role.memory_bytes = int64_t{2} << 30;
    role.vcores = 2;
    role.kind = jobspec::RoleKind::kService;
    role.command.shell = "python ps.py";
    story.spec.roles.push_back(role);
    story.AddSeries(role);
    story.SetAll("cpu_cores", {[share](double) { return 2 * share; }}, "ps");
    story.SetAll("cpu_cores", 1.9);
  };
}

Change Earlier(int tasks, int nodes, double rate, int count = 1) {
  return [=](Story& story) {
    RunFacts run = RunLike(story, "job-before");
    run.roles["worker"].tasks = tasks;
    run.roles["worker"].steps_per_second = rate;
    run.nodes = nodes;
    story.earlier.assign(static_cast<size_t>(count), run);
  };
}

Change Checkpoints(double interval, double cost) {
  return [=](Story& story) {
    RunFacts run = RunLike(story, "job-before");
    run.interruptions = 1;
    story.earlier.assign(3, run);
    const auto time = [&](int count) { return Duration(static_cast<int64_t>(cost * count * 1e6)); };
    story.AddCheckpoint(600, 2400, core::CheckpointCost{1, time(1)});
    story.AddCheckpoint(600 + interval, static_cast<int64_t>(4 * (600 + interval)), core::CheckpointCost{2, time(2)});
  };
}

Change Restarting(int times) {
  return [times](Story& story) {
    for (int i = 0; i < times; ++i) {
      story.AddRestart(600 + 300 * i, "worker:0 failed with exit code 1 on node0 after 5m00s, attempt " +
                                          std::to_string(i) + ": ValueError: bad record 17 (train.py line 3)");
    }
  };
}

Change Generation(double at) {
  return [at](Story& story) { story.AddGeneration(at, 10, "worker:0 failed with exit code 1 on node0, attempt 0"); };
}

Change TimeLimit(int earlier) {
  return [earlier](Story& story) {
    story.spec.timeouts.run = 2h;
    Earlier(4, 4, 4, earlier)(story);
  };
}

Change Says(const std::string& advice) {
  return [advice](Story& story) {
    story.extras.push_back({1000, core::JobChanged{.type = core::JobChanged::Type::kRunning, .advice = advice}});
  };
}

template <typename Owner, typename T>
Change Field(T Owner::*field, T value) {
  return [field, value](Story& story) { story.*field = value; };
}

// Task 1 reads with this share of remote connections, over this share of the network's speed.
Change Reads(double remote, double link) {
  return [=](Story& story) {
    story.Set(1, "datanodes_remote", 100 * remote);
    story.Set(1, "datanodes_local", 100 * (1 - remote));
    story.series[{"worker", 1, "net_rx"}] = {.mean = [link](double) { return link * 1e9; }, .capacity = 1e9};
  };
}

// A notebook with a GPU that has been idle for this long at its end.
Change IdleNotebook(double seconds) {
  return [seconds](Story& story) {
    story.ran = 7200;
    const auto idle = [seconds](double t) { return std::max(0.0, t - (7200 - seconds)); };
    story.series[{"worker", 0, std::string(kNotebookIdleSeries), 0}] = {idle};
  };
}

std::map<C, Case> Cases() {
  const Change idle = IdleGpus();
  std::map<C, Case> cases = {
      {C::kMemoryOver, {Memory(0.79), Memory(0.81)}},
      {C::kMemoryUnder, {Memory(0.951), Memory(0.949)}},
      {C::kRounding, {Granted(10), Granted(9.5), Both(Granted(10), Memory(0.5))}},
      {C::kVcoresOver, {All("cpu_cores", 1.9), All("cpu_cores", 2.0)}},
      {C::kVcoresUnder,
       {All("cpu_throttled", 0.11), All("cpu_throttled", 0.099), Both(All("cpu_throttled", 0.11), Omp(9, 0.21))}},
      {C::kThreads, {Omp(9, 0.21), Omp(8, 0.21)}},
      {C::kGpuIdle,
       {idle,
        Both(idle, [](Story& story) { story.SetAll("gpu0_util", {[](double t) { return t == 60 ? 0.5 : 0; }}); })}},
      {C::kGpuGap, {IdleFrom(5400), IdleFrom(5405), Both(IdleFrom(3500), IdleNotebook(3660))}},
      {C::kInputBound,
       {[](Story& story) {
          story.series[{"worker", 1, "input_wait", 0}] = {[](double) { return 0.21; }};
        },
        [](Story& story) {
          story.series[{"worker", 1, "input_wait", 0}] = {[](double) { return 0.199; }};
        }}},
      {C::kGpuLow, {All("gpu_util", 0.24), All("gpu_util", 0.251), idle}},
      {C::kGpuMemory,
       {Both(All("gpu_util", 0.5), All("gpu_memory", 0.39)), Both(All("gpu_util", 0.5), All("gpu_memory", 0.41)),
        Both(All("gpu0_util", 0), Both(All("gpu_util", 0.5), All("gpu_memory", 0.39)))}},
      {C::kGpuSlowdown, {All("gpu_throttled", 0.11), All("gpu_throttled", 0.099)}},
      {C::kStraggler, {Slow(1.21, 0, 3600), Slow(1.19, 0, 3600)}},
      {C::kImbalance,
       {[](Story& story) {
          for (int i = 1; i < 4; ++i) story.Set(i, "memory_bytes", 1.0 * kGi);
        },
        [](Story& story) {
          for (int i = 1; i < 4; ++i) story.Set(i, "memory_bytes", 4.0 * kGi);
        }}},
      {C::kPsBound, {ParameterServer(0.95), ParameterServer(0.89)}},
      {C::kScaling, {Earlier(2, 4, 5.8), Earlier(2, 4, 5.6)}},
      {C::kSpread, {Earlier(4, 1, 4.6), Earlier(4, 1, 4.4)}},
      {C::kQueueWait, {Field(&Story::queued, 601.0), Field(&Story::queued, 599.0)}},
      {C::kGangHold, {Field(&Story::incomplete, 260.0), Field(&Story::incomplete, 245.0)}},
      {C::kLocalization, {Field(&Story::localized, 200.0), Field(&Story::localized, 185.0)}},
      {C::kCheckpointNone,
       {Both(Field(&Story::reports_checkpoints, false), Field(&Story::ran, 3601.0)),
        Both(Field(&Story::reports_checkpoints, false), Field(&Story::ran, 3600.0))}},
      {C::kCheckpointInterval, {Checkpoints(1100, 30), Checkpoints(1050, 30)}},
      {C::kRestarts, {Restarting(3), Restarting(2), Both(Restarting(3), Memory(0.951))}},
      {C::kLost, {Generation(2000), Generation(1900), Both(Checkpoints(1100, 30), Generation(2000))}},
      {C::kTail, {Field(&Story::after_end, 730.0), Field(&Story::after_end, 700.0)}},
      {C::kShm, {SharedMemory(0.901), SharedMemory(0.899)}},
      {C::kTimeLimit, {TimeLimit(4), TimeLimit(3)}},
      {C::kRemoteReads, {Reads(0.81, 0.51), Reads(0.79, 0.51)}},
      {C::kNotebookIdle, {IdleNotebook(3660), IdleNotebook(3540)}},
      {C::kLogFlood,
       {[](Story& story) { story.SetAll("stderr_bytes", {[](double t) { return t * 1.8 * kMiB; }}); },
        [](Story& story) { story.SetAll("stderr_bytes", {[](double t) { return t * 1.6 * kMiB; }}); }}},
      {C::kNode,
       {Says("node0 is avoided for 10m00s: 3 attempts failed there within 1m, at most 0 on any other node"),
        Says("worker:1 (rank 1) on node1 is slow")}},
  };
  return cases;
}

bool Reports(Story& story, C check, Finding* found = nullptr) {
  for (const Finding& finding : story.Findings()) {
    if (finding.check != check) continue;
    if (found != nullptr) *found = finding;
    return true;
  }
  return false;
}

class EachCheck : public testing::TestWithParam<size_t> {
 protected:
  C check() const { return Table()[GetParam()].name; }
  const Case& Of() const { return cases_.at(check()); }

 private:
  std::map<C, Case> cases_ = Cases();
};

TEST_P(EachCheck, IsReportedAtTheThresholdAndNotBelow) {
  Story story, below;
  Of().fires(story);
  Finding finding;
  EXPECT_TRUE(Reports(story, check(), &finding)) << story.Advised();
  EXPECT_FALSE(finding.text.empty());
  EXPECT_FALSE(finding.change.keys.empty() && finding.change.other.empty()) << finding.text;
  Of().below(below);
  EXPECT_FALSE(Reports(below, check())) << below.Advised();
}

TEST_P(EachCheck, IsSilentIfTheJobFileTurnsItOff) {
  Story story;
  Of().fires(story);
  story.spec.advice_off = {check()};
  EXPECT_FALSE(Reports(story, check())) << story.Advised();
}

// Checks that are silent if another check reports the cause.
class SilencedCheck : public EachCheck {};

TEST_P(SilencedCheck, IsSilentIfAnotherCheckReportsTheCause) {
  const auto& silenced_by = Table()[GetParam()].silenced_by;
  ASSERT_TRUE(Of().silenced) << "a story is missing";
  Story story;
  Of().silenced(story);
  EXPECT_FALSE(Reports(story, check())) << story.Advised();
  bool other = false;
  for (const C by : silenced_by) other = other || Reports(story, by);
  EXPECT_TRUE(other) << story.Advised();
  story.spec.advice_off = silenced_by;
  EXPECT_TRUE(Reports(story, check())) << "it is silent for another reason: " << story.Advised();
}

TEST_P(EachCheck, ChangeIsAValidPartOfTheJobFile) {
  Story story;
  Of().fires(story);
  Finding finding;
  ASSERT_TRUE(Reports(story, check(), &finding));
  jobspec::SubmitHost host;
  host.file_name = "job.yaml";
  host.directory = "/jobs";
  host.sets = finding.change.Sets();
  host.variable = [](const std::string&) { return std::nullopt; };
  host.path_kind = [](const std::string&) { return keyfile::PathKind::kDirectory; };
  const std::string file = jobspec::WriteEffective(story.spec);
  const auto with_sets = jobspec::ParseJobFile(file, host);
  EXPECT_TRUE(with_sets.problems.empty()) << with_sets.problems.front().ToText();
  EXPECT_EQ(finding.change.keys.empty(), with_sets.spec == story.spec) << "the change has no effect: " << finding.text;
}

std::string NameOfCase(const testing::TestParamInfo<size_t>& info) {
  std::string name;
  bool upper = true;
  for (const char c : jobspec::ToText(Table()[info.param].name)) {
    if (c != '-') name += upper ? static_cast<char>(c - 'a' + 'A') : c;
    upper = c == '-';
  }
  return name;
}

std::vector<size_t> SilencedChecks() {
  std::vector<size_t> checks;
  for (size_t i = 0; i < Table().size(); ++i) {
    if (!Table()[i].silenced_by.empty()) checks.push_back(i);
  }
  return checks;
}

INSTANTIATE_TEST_SUITE_P(Checks, EachCheck, testing::Range(size_t{0}, jobspec::kAdviceCheckCount), NameOfCase);
INSTANTIATE_TEST_SUITE_P(Checks, SilencedCheck, testing::ValuesIn(SilencedChecks()), NameOfCase);

TEST(Table, HasOneRowForEachCheckInTheirOrder) {
  ASSERT_EQ(Table().size(), jobspec::kAdviceCheckCount);
  for (size_t i = 0; i < Table().size(); ++i) {
    EXPECT_EQ(Table()[i].name, static_cast<C>(i));
    EXPECT_FALSE(jobspec::ToText(Table()[i].name).empty());
  }
}

}  // namespace
}  // namespace howdah::advice
