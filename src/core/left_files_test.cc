// The files that tasks leave in their working directories.
#include <gmock/gmock.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

// Returns the left files in each entry that records the exit of a task.
std::vector<std::optional<LeftFiles>> Recorded(const std::vector<Action>& actions) {
  std::vector<std::optional<LeftFiles>> recorded;
  for (const Action& action : actions) {
    const auto* record = std::get_if<Record>(&action);
    const auto* task = record == nullptr ? nullptr : std::get_if<TaskChanged>(&record->change);
    if (task != nullptr && task->type == TaskChanged::Type::kExited) recorded.push_back(task->left_files);
  }
  return recorded;
}

TEST(LeftFilesOfTasks, LeftFilesAreRecordedOnlyWithTheEndOfTheirAttempt) {
  Job job(JobOf({RoleOf("worker", 1, [](auto& role) { role.restart = {1, std::chrono::seconds(0)}; })}), {}, At({}), 1);
  const ContainerId c{"c0"};
  int now = 0;
  const auto tell = [&](const Event& event) { return job.Step(event, At(std::chrono::seconds(++now))).actions; };
  const auto run = [&](int attempt, int code, std::optional<LeftFiles> left) {
    tell(TaskStarted{c, attempt, {7}, At({})});
    tell(RankExited{c, attempt, 0, {.code = code}, At(std::chrono::seconds(now)), {}});
    return Recorded(tell(TaskEnded{c, attempt, At(std::chrono::seconds(now)), std::move(left)}));
  };
  tell(AmStarted{"node0", 0});
  tell(ContainerGranted{c, 0, "node1"});
  tell(ExecutorRegistered{c, {"host", 1}});
  const LeftFiles left{.count = 4, .bytes = 1000, .names = {"model.pt"}};
  EXPECT_THAT(run(0, 3, left), ::testing::ElementsAre(left));
  EXPECT_THAT(run(1, 0, std::nullopt), ::testing::ElementsAre(std::nullopt));
}

}  // namespace
}  // namespace howdah::core::testing
