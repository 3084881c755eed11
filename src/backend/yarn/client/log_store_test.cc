#include "log_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::backend::yarn::client {
namespace {

using backend::LogSource;
using backend::LogStream;
using core::JournalEntry;
using core::TaskChanged;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Type = core::TaskChanged::Type;

TaskChanged Entry(Type type, int attempt, const std::string& role = "worker", int index = 0) {
  TaskChanged entry;
  entry.type = type;
  entry.role = role;
  entry.index = index;
  entry.attempt = attempt;
  return entry;
}

TaskChanged Allocated(int attempt, const std::string& container, const std::string& node,
                      const std::string& role = "worker") {
  TaskChanged entry = Entry(Type::kAllocated, attempt, role);
  entry.container = container;
  entry.node = node;
  return entry;
}

TaskChanged Started(int attempt, std::vector<int> pids, const std::string& role = "worker") {
  TaskChanged entry = Entry(Type::kStarted, attempt, role);
  entry.pids = std::move(pids);
  return entry;
}

TaskChanged Exited(int attempt) {
  TaskChanged entry = Entry(Type::kExited, attempt);
  entry.exit = ExitStatus{};
  return entry;
}

// Returns one line per log file: "worker:0.0 attempt-0.stdout in c1 on n1".
std::vector<std::string> StagingLayout(const std::vector<TaskChanged>& tasks) {
  std::vector<JournalEntry> journal = {{Instant{}, core::JobSubmitted{}}, {Instant{}, core::JobChanged{}}};
  for (const TaskChanged& task : tasks) journal.push_back({Instant{}, task});
  std::vector<std::string> lines;
  for (const auto& [source, location] : LogLocations(journal)) {
    lines.push_back(source.role + ":" + std::to_string(source.index) + "." + std::to_string(source.local_rank) + " " +
                    location.file + " in " + location.container + " on " + location.node);
  }
  return lines;
}

TEST(LogLocations, StartedTaskHasBothStreams) {
  EXPECT_THAT(StagingLayout({Entry(Type::kPending, 0), Allocated(0, "c1", "n1"), Started(0, {7}), Exited(0)}),
              ElementsAre("worker:0.0 attempt-0.stdout in c1 on n1", "worker:0.0 attempt-0.stderr in c1 on n1"));
}

TEST(LogLocations, UnstartedAttemptHasNoLogs) {
  EXPECT_THAT(StagingLayout({}), IsEmpty());
  EXPECT_THAT(StagingLayout({Entry(Type::kPending, 0), Allocated(0, "c1", "n1"), Entry(Type::kReady, 0),
                             Entry(Type::kStopped, 0)}),
              IsEmpty());
  EXPECT_THAT(StagingLayout({Allocated(0, "c1", "n1"), Entry(Type::kExited, 0)}), IsEmpty());
}

TEST(LogLocations, AttemptThatFailedToStartHasLogs) {
  EXPECT_THAT(StagingLayout({Allocated(0, "c1", "n1"), Exited(0)}),
              ElementsAre("worker:0.0 attempt-0.stdout in c1 on n1", "worker:0.0 attempt-0.stderr in c1 on n1"));
}

TEST(LogLocations, EachRankHasItsOwnFiles) {
  EXPECT_THAT(
      StagingLayout({Allocated(0, "c1", "n1"), Started(0, {7, 8}), Exited(0)}),
      ElementsAre("worker:0.0 attempt-0.rank-0.stdout in c1 on n1", "worker:0.0 attempt-0.rank-0.stderr in c1 on n1",
                  "worker:0.1 attempt-0.rank-1.stdout in c1 on n1", "worker:0.1 attempt-0.rank-1.stderr in c1 on n1"));
}

TEST(LogLocations, EachAttemptIsLocatedInItsOwnContainer) {
  EXPECT_THAT(
      StagingLayout({Allocated(0, "c1", "n1"), Started(0, {7}), Exited(0), Started(1, {8}), Entry(Type::kLost, 1),
                     Entry(Type::kPending, 2), Allocated(2, "c2", "n2"), Started(2, {9})}),
      ElementsAre("worker:0.0 attempt-0.stdout in c1 on n1", "worker:0.0 attempt-0.stderr in c1 on n1",
                  "worker:0.0 attempt-1.stdout in c1 on n1", "worker:0.0 attempt-1.stderr in c1 on n1",
                  "worker:0.0 attempt-2.stdout in c2 on n2", "worker:0.0 attempt-2.stderr in c2 on n2"));
}

TEST(LogLocations, UnstartedRoleHasNoLogsAfterAnotherRoleStarted) {
  EXPECT_THAT(StagingLayout({Allocated(0, "c1", "n1"), Allocated(0, "c2", "n1", "ps"), Started(0, {7}, "ps")}),
              ElementsAre("ps:0.0 attempt-0.stdout in c2 on n1", "ps:0.0 attempt-0.stderr in c2 on n1"));
}

TEST(Matches, SelectionIsByRoleIndexAttemptAndStream) {
  const LogSource source{"worker", 1, 2, 0, LogStream::kStderr};
  using Selection = backend::LogSelection;
  const struct {
    Selection selection;
    bool wanted;
  } rows[] = {
      {{}, true},
      {{"worker", 1, 2, true, true}, true},
      {{"ps", {}, {}, true, true}, false},
      {{"worker", 0, {}, true, true}, false},
      {{"worker", 1, 0, true, true}, false},
      {{{}, {}, {}, true, false}, false},
      {{{}, {}, {}, false, true}, true},
  };
  for (const auto& row : rows) EXPECT_EQ(Matches(row.selection, source), row.wanted);
}

}  // namespace
}  // namespace howdah::backend::yarn::client
