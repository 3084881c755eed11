#include "howdah/cli/output/startup_lines.h"

#include <gtest/gtest.h>

namespace howdah::cli::output {
namespace {

using core::JobState;
using core::TaskState;
using JobType = core::JobChanged::Type;
using TaskType = core::TaskChanged::Type;

constexpr Instant kStart(std::chrono::seconds(1'795'000'000));

// A job whose entries are shown as they are written.
class Story {
 public:
  explicit Story(std::vector<core::JobSubmitted::Role> roles) {
    Line(core::JobSubmitted{.id = "j", .roles = std::move(roles)});
    Job(JobType::kAmStarted, JobState::kStarting);
  }

  std::string Job(JobType type, JobState state) {
    core::JobChanged change;
    change.type = type;
    change.state = state;
    return Line(change);
  }
  std::string Task(TaskType type, TaskState state, int index, const std::string& reason = "",
                   const std::string& role = "worker") {
    core::TaskChanged change;
    change.type = type;
    change.role = role;
    change.index = index;
    change.state = state;
    if (type == TaskType::kAllocated) change.node = "n" + std::to_string(index);
    if (!reason.empty()) change.reason = reason;
    return Line(change);
  }
  std::string Allocated(int index, const std::string& reason = "") {
    return Task(TaskType::kAllocated, TaskState::kAllocated, index, reason);
  }
  std::string Ready(int index) { return Task(TaskType::kReady, TaskState::kReady, index); }

 private:
  std::string Line(core::Change change) {
    const core::JournalEntry entry{kStart, std::move(change)};
    view_.Apply(entry);
    return lines_.Take(entry, view_).value_or("");
  }

  journal::JobView view_;
  StartupLines lines_;
};

void Create(Story& story, int tasks) {
  for (int i = 0; i < tasks; ++i) EXPECT_EQ(story.Task(TaskType::kPending, TaskState::kPending, i), "");
}

TEST(StartupLines, EachStageGivesOneLineForTheFirstTask) {
  Story story({{.name = "worker", .instances = 3}});
  Create(story, 3);
  EXPECT_EQ(story.Allocated(0), "") << "the grant of a container has no stage yet";
  EXPECT_EQ(story.Allocated(0, "localizing files on n0, 4.0s after the launch"),
            "11:06:40.000  worker:0: localizing files on n0, 4.0s after the launch");
  EXPECT_EQ(story.Allocated(1, "localizing files on n1, 3.9s after the launch"), "") << "the same stage elsewhere";
  EXPECT_EQ(story.Allocated(0, "localizing files on n0, 8.0s after the launch"), "") << "the same stage later";
  EXPECT_EQ(story.Allocated(1, "executor started on n1 but not connected"),
            "11:06:40.000  worker:1: executor started on n1 but not connected");
  story.Allocated(2);
  EXPECT_EQ(story.Ready(0), "");
  EXPECT_EQ(story.Ready(2), "");
  EXPECT_EQ(story.Ready(1), "11:06:40.000  3 tasks connected; preparing working directories");
}

TEST(StartupLines, RestartShowsItsStagesAgain) {
  Story story({{.name = "worker", .instances = 1}});
  Create(story, 1);
  EXPECT_NE(story.Allocated(0, "localizing files on n0"), "");
  EXPECT_NE(story.Ready(0), "");
  story.Job(JobType::kRunning, JobState::kRunning);
  EXPECT_EQ(story.Ready(0), "") << "a task that starts alone in a running job";
  story.Job(JobType::kRecovering, JobState::kRecovering);
  EXPECT_NE(story.Allocated(0, "localizing files on n0"), "");
  EXPECT_EQ(story.Ready(0), "11:06:40.000  1 task connected; preparing working directories");
}

TEST(StartupLines, TasksOfLaterRolesAreNotAwaited) {
  Story story({{.name = "worker", .instances = 1}, {.name = "report", .instances = 1, .later = true}});
  Create(story, 1);
  story.Task(TaskType::kPending, TaskState::kPending, 0, "", "report");
  EXPECT_EQ(story.Ready(0), "11:06:40.000  1 task connected; preparing working directories");
}

TEST(StartupLines, TextOfBackendCannotControlTheTerminal) {
  Story story({{.name = "worker", .instances = 1}});
  Create(story, 1);
  EXPECT_EQ(story.Allocated(0, "pulling\x1b[31m\nfiles").find_first_of("\x1b\n"), std::string::npos);
}

}  // namespace
}  // namespace howdah::cli::output
