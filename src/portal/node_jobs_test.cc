#include "node_jobs.h"

#include <gtest/gtest.h>

#include <chrono>

#include "howdah/core/states.h"

namespace howdah::portal {
namespace {

using core::TaskChanged;
using core::TaskState;
using Type = TaskChanged::Type;

Instant NodeTime(int seconds) { return *ParseInstant("2026-11-21T06:45:00.000Z") + std::chrono::seconds(seconds); }

// A job whose worker fails on node7 at the time 10, and then runs there again.
void TellNodeStory(NodeJobsReader& reader, const std::string& id) {
  core::JobSubmitted submitted{.id = id, .name = "n", .on = "yarn"};
  submitted.roles = {{"worker", 2}};
  reader.Take({NodeTime(0), submitted});
  const auto start = [&](int index, int attempt, const std::string& node) {
    TaskChanged allocated{.type = Type::kAllocated, .role = "worker", .index = index, .state = TaskState::kAllocated};
    allocated.attempt = attempt;
    allocated.node = node, allocated.container = "c" + std::to_string(index);
    reader.Take({NodeTime(1), allocated});
    TaskChanged started{.type = Type::kStarted, .role = "worker", .index = index, .state = TaskState::kRunning};
    started.attempt = attempt;
    started.started = NodeTime(2);
    reader.Take({NodeTime(2), started});
  };
  start(0, 0, "node7");
  start(1, 0, "node8");
  TaskChanged failed{.type = Type::kExited, .role = "worker", .index = 0, .state = TaskState::kFailed};
  failed.exit = ExitStatus{.code = 3};
  failed.reason = "exit code 3";
  failed.finished = NodeTime(10);
  reader.Take({NodeTime(10), failed});
  core::JobChanged advice{.type = core::JobChanged::Type::kRecovering, .state = core::JobState::kRecovering};
  advice.advice = "node7 is avoided for 10m00s: 3 attempts failed there within 1m00s, at most 0 on any other node";
  reader.Take({NodeTime(11), advice});
  start(0, 1, "node7");
}

NodeJobs ReadNode(const std::string& node, Instant since, Instant now) {
  NodeJobsReader reader(node, since, now);
  reader.Begin();
  TellNodeStory(reader, "j");
  reader.End();
  return std::move(reader).Result();
}

TEST(NodeJobs, HasTheTasksFailuresAndAvoidanceOfOneNode) {
  const NodeJobs jobs = ReadNode("node7", NodeTime(0), NodeTime(60));
  ASSERT_EQ(jobs.tasks.size(), 1u);
  EXPECT_EQ(jobs.tasks[0].job, "j");
  EXPECT_EQ(jobs.tasks[0].index, 0);
  EXPECT_EQ(jobs.tasks[0].attempt, 1);
  EXPECT_EQ(jobs.tasks[0].started, NodeTime(2));
  ASSERT_EQ(jobs.failures.size(), 1u);
  EXPECT_EQ(jobs.failures[0].failure.at, NodeTime(10));
  ASSERT_EQ(jobs.avoidance.size(), 1u);
  EXPECT_EQ(jobs.avoidance[0].until, NodeTime(11 + 600));
  const NodeJobs other = ReadNode("node8", NodeTime(0), NodeTime(60));
  EXPECT_EQ(other.tasks.size(), 1u);
  EXPECT_TRUE(other.failures.empty());
  EXPECT_TRUE(other.avoidance.empty());
}

TEST(NodeJobs, LeavesOutOldFailuresAndPastAvoidance) {
  const NodeJobs jobs = ReadNode("node7", NodeTime(11), NodeTime(11 + 601));
  EXPECT_TRUE(jobs.failures.empty());
  EXPECT_TRUE(jobs.avoidance.empty());
}

TEST(NodeJobs, EndedJobHasOnlyItsFailures) {
  NodeJobsReader reader("node7", NodeTime(0), NodeTime(60));
  reader.Begin();
  TellNodeStory(reader, "j");
  core::JobChanged end{.type = core::JobChanged::Type::kFinished, .state = core::JobState::kFailed};
  reader.Take({NodeTime(20), end});
  reader.End();
  const NodeJobs jobs = std::move(reader).Result();
  EXPECT_TRUE(jobs.tasks.empty());
  EXPECT_EQ(jobs.failures.size(), 1u);
  EXPECT_TRUE(jobs.avoidance.empty());
}

TEST(NodeJobs, NewestFailuresOfAllJobsAreKept) {
  NodeJobsReader reader("node7", NodeTime(0), NodeTime(60));
  for (size_t i = 0; i < NodeJobs::kMostFailures + 5; ++i) {
    reader.Begin();
    TellNodeStory(reader, "j" + std::to_string(i));
    reader.End();
  }
  EXPECT_EQ(std::move(reader).Result().failures.size(), NodeJobs::kMostFailures);
}

}  // namespace
}  // namespace howdah::portal
