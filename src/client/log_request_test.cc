#include "howdah/client/log_request.h"

#include <gtest/gtest.h>

namespace howdah::client {
namespace {

using backend::LogSource;
using backend::LogStream;
using core::TaskState;

LogSource Source(const std::string& role, int index, LogStream stream = LogStream::kStdout, int attempt = 0) {
  return {role, index, attempt, 0, stream};
}

journal::TaskView Task(const std::string& role, int index, TaskState state) {
  journal::TaskView task;
  task.role = role;
  task.index = index;
  task.state = state;
  return task;
}

journal::JobView ThreeTasks() {
  journal::JobView view;
  view.id = "howdah-1";
  view.tasks = {Task("ps", 0, TaskState::kRunning), Task("worker", 0, TaskState::kPending),
                Task("worker", 1, TaskState::kFailed)};
  return view;
}

TEST(SelectLogs, UnknownRolesAndTasksAreRejected) {
  LogRequest request;
  request.task = "worker:1";
  request.only_stderr = true;
  const auto no_sources = [] { return std::vector<LogSource>(); };
  const auto selection = SelectLogs(request, ThreeTasks(), no_sources);
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(selection->role, "worker");
  EXPECT_EQ(selection->index, 1);
  EXPECT_FALSE(selection->want_stdout);
  EXPECT_TRUE(HaveEnded(ThreeTasks(), *selection));
  for (const char* task : {"worker:2", "wroker", "worker:", "worker:x", ":0", "worker:1x"}) {
    request.task = task;
    const auto wrong = SelectLogs(request, ThreeTasks(), no_sources);
    ASSERT_FALSE(wrong.ok()) << task;
    EXPECT_EQ(wrong.error().code, ErrorCode::kUsage);
    EXPECT_NE(wrong.error().message.find("ps:0, worker:0, worker:1"), std::string::npos);
  }
}

TEST(SelectLogs, TaskThatTheJobHasNoMoreIsSelectedByItsOutput) {
  const auto sources = [] { return std::vector<LogSource>{Source("worker", 2), Source("worker", 3)}; };
  LogRequest request;
  request.task = "worker:2";
  const auto selection = SelectLogs(request, ThreeTasks(), sources);
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(selection->index, 2);
  EXPECT_TRUE(HaveEnded(ThreeTasks(), *selection));
  for (const char* task : {"worker:4", "ps:2", "worker:", "worker:2x"}) {
    request.task = task;
    EXPECT_FALSE(SelectLogs(request, ThreeTasks(), sources).ok()) << task;
  }
}

TEST(ChooseSources, NewestAttemptIsChosenUnlessOneIsNamed) {
  const std::vector<LogSource> all = {Source("w", 0), Source("w", 0, LogStream::kStderr),
                                      Source("w", 0, LogStream::kStdout, 1), Source("w", 1)};
  backend::LogSelection selection;
  EXPECT_EQ(ChooseSources(all, selection)->size(), 2u);
  selection.attempt = 0;
  selection.index = 0;
  EXPECT_EQ(ChooseSources(all, selection)->size(), 2u);
  selection.attempt = 2;
  const auto none = ChooseSources(all, selection);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "attempt 2 has no output; the attempts with output are 0, 1");
}

}  // namespace
}  // namespace howdah::client
