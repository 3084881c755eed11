// The sizes of the results of processes, and their limit.
#include "howdah/core/results.h"

#include <gmock/gmock.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kLargest = static_cast<int>(kResultLimit);
constexpr int kTasks = static_cast<int>(kJobResultsLimit / kResultLimit) + 1;

// A running job with so many tasks that not all of them can have a result of the largest size.
struct Running {
  explicit Running(int processes = 1, int restarts = 0)
      : job(JobOf({RoleOf("worker", kTasks,
                          [&](auto& role) {
                            role.processes = processes;
                            role.restart.max = restarts;
                          })}),
            {}, At({}), 1) {
    Tell(AmStarted{"node0", 0});
    for (int task = 0; task < kTasks; ++task) Tell(ContainerGranted{Container(task), 0, "node1"});
    for (int task = 0; task < kTasks; ++task) Tell(ExecutorRegistered{Container(task), {"host", 1}});
    for (int task = 0; task < kTasks; ++task) Tell(TaskStarted{Container(task), 0, {7}, At({})});
  }
  static ContainerId Container(int task) { return {"c" + std::to_string(task)}; }
  void Tell(const Event& event) {
    for (const Action& action : job.Step(event, At(std::chrono::seconds(++now))).actions) {
      if (const auto* record = std::get_if<Record>(&action)) {
        if (const auto* change = std::get_if<TaskChanged>(&record->change)) last = *change;
      }
    }
    job.CheckInvariants();
  }
  void Exit(int task, int attempt, int local_rank, std::optional<int> result_bytes) {
    RankExited exited{Container(task), attempt, local_rank, {.code = 0}, At(std::chrono::seconds(now)), {}};
    exited.result_bytes = result_bytes;
    Tell(exited);
  }
  void End(int task, int attempt) { Tell(TaskEnded{Container(task), attempt, At(std::chrono::seconds(now))}); }
  Job job;
  TaskChanged last;
  int now = 0;
};

TEST(Results, EndOfAttemptRecordsSizesByLocalRank) {
  Running running(3);
  running.Exit(0, 0, 2, 5);
  running.Exit(0, 0, 0, 0);
  running.Exit(0, 0, 1, std::nullopt);
  running.End(0, 0);
  EXPECT_THAT(running.last.result_bytes.value_or(std::vector<int>()), ElementsAre(0, kNoResult, 5));
}

TEST(Results, AttemptWithoutResultsRecordsNone) {
  Running running;
  running.Exit(0, 0, 0, std::nullopt);
  running.End(0, 0);
  EXPECT_EQ(running.last.result_bytes, std::nullopt);
}

TEST(Results, ProcessWithAResultBeyondTheLimitOfTheJobFails) {
  Running running;
  for (int task = 0; task + 1 < kTasks; ++task) {
    running.Exit(task, 0, 0, kLargest);
    running.End(task, 0);
    EXPECT_EQ(running.last.state, TaskState::kSucceeded) << task;
  }
  running.Exit(kTasks - 1, 0, 0, 1);
  running.End(kTasks - 1, 0);
  EXPECT_EQ(running.last.state, TaskState::kFailed);
  EXPECT_THAT(running.last.reason.value_or(""), HasSubstr("its result of 1 B would exceed the limit of 1 GiB"));
  EXPECT_THAT(running.last.advice.value_or(""), HasSubstr("return its path"));
  EXPECT_EQ(running.last.result_bytes, std::nullopt);
}

}  // namespace
}  // namespace howdah::core::testing
