#include "attempts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace howdah::portal {
namespace {

using core::TaskChanged;
using core::TaskState;
using testing::ElementsAre;
using testing::SizeIs;
using Type = TaskChanged::Type;

Instant At(int seconds) { return *ParseInstant("2026-11-21T06:45:00.000Z") + std::chrono::seconds(seconds); }

// A journal of a job with one worker.
class Story {
 public:
  Story() {
    core::JobSubmitted submitted{.id = "j", .name = "n", .on = "local"};
    submitted.roles = {{"worker", 1}};
    log.Take({At(0), submitted});
  }
  TaskChanged& Next(Type type, TaskState state, int attempt) {
    Flush();
    next_ = TaskChanged{.type = type, .role = "worker", .state = state, .attempt = attempt};
    return *next_;
  }
  void Flush(int seconds = -1) {
    if (next_) log.Take({At(seconds < 0 ? ++time_ : seconds), *next_});
    next_.reset();
  }

  AttemptLog log;

 private:
  std::optional<TaskChanged> next_;
  int time_ = 0;
};

void StartFirst(Story& story) {
  story.Next(Type::kPending, TaskState::kPending, 0);
  TaskChanged& allocated = story.Next(Type::kAllocated, TaskState::kAllocated, 0);
  allocated.container = "c1", allocated.node = "node7";
  TaskChanged& ready = story.Next(Type::kReady, TaskState::kReady, 0);
  ready.host = "node7", ready.port = 4000;
  TaskChanged& started = story.Next(Type::kStarted, TaskState::kRunning, 0);
  started.started = At(4), started.ranks = std::vector<int>{0}, started.generation = 0;
  story.Flush();
}

TEST(Attempts, SpansFollowTheStates) {
  Story story;
  StartFirst(story);
  const auto attempts = story.log.Attempts();
  ASSERT_THAT(attempts, SizeIs(1));
  EXPECT_EQ(attempts[0].node, "node7");
  EXPECT_THAT(attempts[0].spans,
              ElementsAre(Span{TaskState::kPending, At(1), At(2)}, Span{TaskState::kAllocated, At(2), At(3)},
                          Span{TaskState::kReady, At(3), At(4)}, Span{TaskState::kRunning, At(4), std::nullopt}));
}

TEST(Attempts, RestartInPlaceKeepsTheContainerAndLeavesAMark) {
  Story story;
  StartFirst(story);
  TaskChanged& failed = story.Next(Type::kExited, TaskState::kFailed, 0);
  failed.exit = ExitStatus{.code = 7};
  failed.reason = "worker:0 failed with exit code 7";
  failed.finished = At(5);
  TaskChanged& again = story.Next(Type::kReady, TaskState::kReady, 1);
  again.reason = "";
  story.Next(Type::kStarted, TaskState::kRunning, 1).started = At(7);
  story.Flush();
  const auto attempts = story.log.Attempts();
  ASSERT_THAT(attempts, SizeIs(2));
  EXPECT_EQ(attempts[0].state, TaskState::kFailed);
  EXPECT_EQ(attempts[0].spans.back(), (Span{TaskState::kRunning, At(4), At(5)}));
  EXPECT_EQ(attempts[1].container, "c1");
  EXPECT_EQ(attempts[1].state, TaskState::kRunning);
  EXPECT_THAT(story.log.marks(), ElementsAre(Mark{At(5), "failure", "worker:0", "worker:0 failed with exit code 7"}));
  const auto json = nlohmann::json::parse(AttemptJson(attempts[0], /*with_spans=*/false));
  EXPECT_EQ(json["task"], "worker:0");
  EXPECT_EQ(json["exit_code"], 7);
  EXPECT_TRUE(json["signal"].is_null());
}

TEST(Attempts, ProgressDoesNotChangeTheState) {
  Story story;
  StartFirst(story);
  TaskChanged& progressed = story.Next(Type::kProgressed, TaskState::kRunning, 0);
  progressed.progress = core::TaskProgress{.step = 5, .checkpoint = 4, .checkpoint_at = At(5), .at = At(5)};
  TaskChanged& same_checkpoint = story.Next(Type::kProgressed, TaskState::kRunning, 0);
  same_checkpoint.progress = core::TaskProgress{.step = 6, .checkpoint = 4, .checkpoint_at = At(5), .at = At(6)};
  story.Flush();
  EXPECT_THAT(story.log.Attempts()[0].spans, SizeIs(4));
  EXPECT_EQ(story.log.Attempts()[0].progress->step, 6);
  EXPECT_THAT(story.log.marks(), ElementsAre(Mark{At(5), "checkpoint", "", "checkpoint of step 4"}));
}

TEST(Attempts, WaitingTaskWithoutContainerIsShown) {
  Story story;
  story.Next(Type::kPending, TaskState::kPending, 0);
  story.Flush();
  EXPECT_THAT(story.log.Attempts(), SizeIs(1));
}

TEST(Attempts, MarksAreBounded) {
  Story story;
  for (size_t i = 0; i < AttemptLog::kMostMarks + 10; ++i)
    story.log.Take({At(0), core::RoleScaled{"worker", 1, static_cast<int>(i), "ann"}});
  EXPECT_THAT(story.log.marks(), SizeIs(AttemptLog::kMostMarks));
  EXPECT_EQ(story.log.marks().back().text, "worker from 1 to 1009 tasks by ann");
}

}  // namespace
}  // namespace howdah::portal
