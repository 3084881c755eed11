#include "howdah/core/states.h"

#include <gtest/gtest.h>

namespace howdah::core {
namespace {

TEST(States, JobStatesReadBack) {
  for (int i = 0; i <= static_cast<int>(JobState::kKilled); ++i) {
    const auto state = static_cast<JobState>(i);
    EXPECT_EQ(ParseJobState(ToText(state)), state);
  }
  EXPECT_EQ(ToText(JobState::kRecovering), "RECOVERING");
  EXPECT_EQ(ParseJobState("running"), std::nullopt);
}

TEST(States, TaskStatesReadBack) {
  for (int i = 0; i <= static_cast<int>(TaskState::kStopped); ++i) {
    const auto state = static_cast<TaskState>(i);
    EXPECT_EQ(ParseTaskState(ToText(state)), state);
  }
  EXPECT_EQ(ToText(TaskState::kStopped), "STOPPED");
  EXPECT_EQ(ParseTaskState(""), std::nullopt);
}

TEST(States, Signals) {
  const struct {
    int number;
    const char* name;
  } rows[] = {{1, "SIGHUP"},   {6, "SIGABRT"}, {9, "SIGKILL"}, {11, "SIGSEGV"},
              {15, "SIGTERM"}, {42, "SIG42"},  {64, "SIG64"}};
  for (const auto& row : rows) {
    EXPECT_EQ(SignalName(row.number), row.name);
    EXPECT_EQ(SignalNumber(row.name), row.number) << row.name;
  }
  EXPECT_EQ(SignalNumber("SIGIOT"), 6);
  for (const char* text : {"", "SIG", "SIG0", "SIG65", "SIG-1", "SIG042", "SIG9x", "KILL", "9", "sigterm"}) {
    EXPECT_EQ(SignalNumber(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace howdah::core
