#include "trace.h"

#include <gmock/gmock.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace howdah::portal {
namespace {

using core::TaskChanged;
using core::TaskState;
using testing::ElementsAre;

Instant After(int seconds) { return *ParseInstant("2026-11-21T06:45:00.000Z") + std::chrono::seconds(seconds); }

AttemptLog FailedJob() {
  AttemptLog log;
  core::JobSubmitted submitted{.id = "j", .name = "a \"b\"", .on = "local"};
  submitted.roles = {{"ps", 1}, {"worker", 1}};
  log.Take({After(0), submitted});
  const auto take = [&](int at, TaskChanged::Type type, TaskState state, const std::string& reason = "") {
    TaskChanged change{.type = type, .role = "worker", .state = state};
    if (type == TaskChanged::Type::kAllocated) change.container = "c1", change.node = "node7";
    if (!reason.empty()) change.reason = reason;
    log.Take({After(at), change});
  };
  take(0, TaskChanged::Type::kPending, TaskState::kPending);
  take(2, TaskChanged::Type::kAllocated, TaskState::kAllocated);
  take(3, TaskChanged::Type::kStarted, TaskState::kRunning);
  take(5, TaskChanged::Type::kExited, TaskState::kFailed, "exit code 7");
  return log;
}

TEST(Trace, TasksAreThreadsOfTheirRole) {
  const journal::Stretches stretches = {{journal::Spent::kQueue, After(0), After(2)}};
  const auto trace = nlohmann::json::parse(TraceJson(FailedJob(), stretches, After(9)));
  EXPECT_EQ(trace["otherData"]["begin"], "2026-11-21T06:45:00.000Z");
  std::vector<std::string> lines;
  for (const auto& event : trace["traceEvents"]) {
    const std::string phase = event["ph"], where = event["pid"].dump() + "/" + event["tid"].dump();
    if (phase == "M" && event["args"].contains("name"))
      lines.push_back(where + " " + std::string(event["args"]["name"]));
    if (phase == "X")
      lines.push_back(where + " " + std::string(event["name"]) + " " + event["ts"].dump() + "+" + event["dur"].dump());
    if (phase == "i") lines.push_back(where + " " + std::string(event["name"]) + " " + event["ts"].dump());
  }
  EXPECT_THAT(lines, ElementsAre("1/0 job a \"b\"", "1/0 time breakdown", "1/0 queue 0+2000000", "2/0 worker",
                                 "2/0 worker:0", "2/0 PENDING 0+2000000", "2/0 ALLOCATED 2000000+1000000",
                                 "2/0 RUNNING 3000000+2000000", "2/0 failure 5000000"));
}

TEST(Trace, EmptyJournalGivesAnEmptyTrace) {
  const auto trace = nlohmann::json::parse(TraceJson(AttemptLog(), {}, After(0)));
  EXPECT_EQ(trace["otherData"]["job"], "");
  for (const auto& event : trace["traceEvents"]) EXPECT_EQ(event["ph"], "M");
}

}  // namespace
}  // namespace howdah::portal
