// Advice about jobs that do not fail: slow ranks and use of memory above the request.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <sstream>

#include "howdah/core/overuse.h"
#include "howdah/core/policy/stragglers.h"
#include "transcript.h"

namespace howdah::core::testing {
namespace {

using namespace std::chrono_literals;

TEST(Pace, WindowsGrowToThirtySeconds) {
  policy::Pace pace;
  EXPECT_FALSE(pace.Take(100, At(0s)));
  EXPECT_FALSE(pace.Take(150, At(4900ms)));
  EXPECT_EQ(pace.steps_per_second(), std::nullopt);
  EXPECT_TRUE(pace.Take(200, At(5s)));
  EXPECT_EQ(pace.steps_per_second(), 20.0);
  EXPECT_FALSE(pace.Take(270, At(12s)));
  EXPECT_TRUE(pace.Take(280, At(13s)));
  EXPECT_EQ(pace.steps_per_second(), 10.0);
  EXPECT_FALSE(pace.Take(5, At(100s))) << "the count starts again";
  EXPECT_TRUE(pace.Take(35, At(130s)));
  EXPECT_EQ(pace.steps_per_second(), 1.0);
  Instant at = At(130s);
  for (int window = 0; window < 6; ++window) pace.Take(35 + (window + 1) * 100, at += 60s);
  EXPECT_FALSE(pace.Take(1000, at += 29s));
  EXPECT_TRUE(pace.Take(1000, at += 1s));
}

TEST(Pace, WindowNeedsTwentyStepsOrThirtySeconds) {
  policy::Pace pace;
  EXPECT_FALSE(pace.Take(0, At(0s)));
  EXPECT_FALSE(pace.Take(19, At(20s)));
  EXPECT_TRUE(pace.Take(20, At(25s)));
  EXPECT_EQ(pace.steps_per_second(), 0.8);
  EXPECT_FALSE(pace.Take(20, At(54s)));
  EXPECT_TRUE(pace.Take(20, At(55s)));
  EXPECT_EQ(pace.steps_per_second(), std::nullopt);
}

TEST(Pace, HalfOfMedianSpeedOrLessIsSlow) {
  EXPECT_EQ(policy::SlowerBy(1, {1, 2}), std::nullopt);
  EXPECT_EQ(policy::SlowerBy(1, {1, 1.9, 1.9, 1.9}), std::nullopt);
  EXPECT_EQ(policy::SlowerBy(1, {2, 1, 2}), 2.0);
  EXPECT_EQ(policy::SlowerBy(1, {4, 4, 1, 1, 4}), 4.0);
  EXPECT_EQ(policy::SlowerBy(0, {4, 4, 0}), std::nullopt);
}

// Returns the advice in the journal, with its time, for four ranks that run at these speeds (steps per second).
std::string Advised(const std::function<double(int rank, int second)>& speed) {
  Story story{JobOf({RoleOf("worker", 4)}), Ranked(1)};
  std::string events = "\n0s up\n";
  double done[4] = {};
  for (int second = 0; second < 750; ++second) {
    for (int rank = 0; rank < 4; ++rank) {
      const auto before = static_cast<int64_t>(done[rank]);
      done[rank] += speed(rank, second);
      const auto step = static_cast<int64_t>(done[rank]);
      if (step == before) continue;
      events +=
          std::to_string(second) + "s progress worker:" + std::to_string(rank) + " a0 " + std::to_string(step) + "\n";
    }
  }
  std::string advice, event;
  std::istringstream played(Play(story, events));
  for (std::string line; std::getline(played, line);) {
    if (line.find("is slow") != std::string::npos) advice += event.substr(0, event.find(' ')) + line + "\n";
    if (!line.starts_with(' ')) event = line;
  }
  return advice;
}

TEST(JobProgress, SlowRankIsReportedOnce) {
  EXPECT_EQ(Advised([](int rank, int) { return rank == 2 ? 4 : 16; }),
            "25s  job running | worker:2 (rank 2) on node2 is slow: its steps take 4.0 times as long as those of the "
            "others (4 steps\n");
  EXPECT_EQ(Advised([](int rank, int second) { return rank == 1 && second >= 600 ? 4 : 8; }),
            "698s  job running | worker:1 (rank 1) on node1 is slow: its steps take 2.0 times as long as those of the "
            "others (4 steps\n");
  const std::string seldom = Advised([](int rank, int) { return rank == 3 ? 1.0 / 64 : 1.0 / 16; });
  EXPECT_TRUE(seldom.starts_with("255s  job running | worker:3 ")) << "a step of a minute is a window: " << seldom;
}

TEST(JobProgress, ShortSlowdownIsNotReported) {
  std::mt19937 random(1);
  const std::pair<const char*, std::function<double(int, int)>> table[] = {
      {"steps of all lengths", [&](int, int) { return random() % 20; }},
      {"few steps of all lengths", [&](int, int) { return random() % 20 / 30.0; }},
      {"phases", [](int rank, int second) { return (second + 7 * rank) / 15 % 2 == 0 ? 2 : 20; }},
      {"long phases, of all", [](int, int second) { return second / 100 % 2 == 0 ? 2 : 20; }},
      {"a compiler", [](int rank, int second) { return rank == 0 && (second < 50 || second / 40 == 2) ? 0 : 10; }},
      {"checkpoints", [](int rank, int second) { return rank == 0 && second % 60 >= 40 ? 0 : 10; }},
      {"a bad minute", [](int rank, int second) { return rank == 1 && second / 60 == 5 ? 2 : 10; }},
      {"a bit slower", [](int rank, int) { return rank == 3 ? 6 : 10; }},
  };
  for (const auto& [what, speed] : table) EXPECT_EQ(Advised(speed), "") << what;
}

TEST(Overuse, MemoryAboveTheRequestIsReported) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  jobspec::JobSpec spec = JobOf({RoleOf("worker", 2, [](auto& role) { role.memory_bytes = 128 * kMiB; })});
  const jobspec::RoleSpec& role = spec.roles[0];
  EXPECT_EQ(OveruseText(spec, role, {608 * kMiB, 1}),
            "worker:1 used 608 MiB of memory but requested 128 MiB; a cluster with memory limits kills such a task: "
            "`memory: 768MiB` is enough");
  EXPECT_EQ(OveruseText(spec, role, {128 * kMiB, 0}), "");
  EXPECT_EQ(OveruseText(spec, role, {190 * kMiB, 0}), "") << "libraries of another machine may need as much";
  EXPECT_EQ(OveruseText(spec, role, {}), "") << "nothing was measured";
  spec.tony_env = true;
  EXPECT_EQ(OveruseText(spec, role, {608 * kMiB, 1}),
            "worker:1 used 608 MiB of memory but requested 128 MiB; a cluster with memory limits kills such a task: "
            "`tony.worker.memory=768m` is enough");
}

// The end of a job with one worker.
struct End {
  Duration ran = 61s;
  int code = 0;
  Usage usage = {};
  FinishPrepared prepared = {};
  std::string cause = {};
};

// Returns the advice of the job.
std::string AdviceAtTheEnd(const End& end) {
  Job job(JobOf({RoleOf("worker", 1,
                        [](auto& role) {
                          role.memory_bytes = int64_t{8} << 30;
                          role.vcores = 8;
                        })},
                [](auto& spec) { spec.checkpoint.dir = "/ckpt"; }),
          {}, At({}), 1);
  const ContainerId c{"c0"};
  std::string advice;
  const auto step = [&](const Event& event, Instant at) {
    for (const Action& action : job.Step(event, at).actions) {
      const auto* record = std::get_if<Record>(&action);
      const auto* change = record == nullptr ? nullptr : std::get_if<JobChanged>(&record->change);
      if (change != nullptr && change->advice) advice = *change->advice;
    }
  };
  step(AmStarted{"node0", 0}, At(0s));
  step(ContainerGranted{c, 0, "node1"}, At(0s));
  step(ExecutorRegistered{c, {"host", 1}}, At(0s));
  step(TaskStarted{c, 0, {7}, At(0s)}, At(0s));
  step(HeartbeatReceived{c, end.usage}, At(end.ran));
  step(RankExited{c, 0, 0, {.code = end.code}, At(end.ran), {end.cause, ""}}, At(end.ran));
  step(TaskEnded{c, 0, At(end.ran)}, At(end.ran));
  step(ContainerExited{c, {}}, At(end.ran));
  step(end.prepared, At(end.ran));
  return advice;
}

TEST(Overuse, UseBelowTheRequestIsLeftToHowdahAdvise) {
  constexpr int64_t kGiB = int64_t{1} << 30;
  const Usage small{.memory_peak_bytes = kGiB / 4, .cpu_seconds = 1};
  EXPECT_EQ(AdviceAtTheEnd({.usage = small}), "");
  EXPECT_EQ(AdviceAtTheEnd({.ran = 10min, .usage = small}), "");
  EXPECT_NE(AdviceAtTheEnd({.usage = {.memory_peak_bytes = 9 * kGiB}}), "");
}

TEST(CheckpointAdvice, OldCheckpointIsNotThatOfTheJob) {
  const auto with = [](Duration written, const std::string& cause = "boom") {
    return End{.code = 1, .prepared = {.checkpoint = {{"step-3", At(written)}}}, .cause = cause};
  };
  EXPECT_EQ(AdviceAtTheEnd(with(1s)), "the newest checkpoint is step-3 in /ckpt, written 1m00s before the end");
  EXPECT_EQ(AdviceAtTheEnd(with(-1s)),
            "this job has written no checkpoint to /ckpt; the newest one there, step-3, is older than the job");
  EXPECT_EQ(AdviceAtTheEnd(with(2s, "OSError: [Errno 28] No space left on device")),
            "step-3 in /ckpt was written 59.0s before the end, so it may be cut off: continue from the one before it");
}

}  // namespace
}  // namespace howdah::core::testing
