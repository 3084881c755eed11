#include "howdah/core/states.h"

#include <gtest/gtest.h>

namespace howdah::core {
namespace {

TEST(States, JobStateTextsAreParsedBack) {
  for (int i = 0; i <= static_cast<int>(JobState::kKilled); ++i) {
    const auto state = static_cast<JobState>(i);
    EXPECT_EQ(ParseJobState(ToText(state)), state);
  }
  EXPECT_EQ(ToText(JobState::kRecovering), "RECOVERING");
  EXPECT_EQ(ParseJobState("running"), std::nullopt);
}

TEST(States, TaskStateTextsAreParsedBack) {
  for (int i = 0; i <= static_cast<int>(TaskState::kStopped); ++i) {
    const auto state = static_cast<TaskState>(i);
    EXPECT_EQ(ParseTaskState(ToText(state)), state);
  }
  EXPECT_EQ(ToText(TaskState::kStopped), "STOPPED");
  EXPECT_EQ(ParseTaskState(""), std::nullopt);
}

}  // namespace
}  // namespace howdah::core
