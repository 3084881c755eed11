// Tests the order in which the loop logs, performs and records, as a list of calls to its ports.
#include "howdah/am/loop/job_loop.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace howdah::am::loop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Instant kSubmitted = Instant(std::chrono::hours(1));

jobspec::JobSpec OneWorker() {
  jobspec::JobSpec spec;
  spec.name = "job";
  jobspec::RoleSpec role;
  role.name = "worker";
  role.memory_bytes = 64 << 20;
  role.command.shell = "true";
  spec.roles.push_back(role);
  return spec;
}

std::string NameOf(const core::Event& event) {
  if (std::holds_alternative<core::AmStarted>(event)) return "AmStarted";
  if (std::holds_alternative<core::AmResumed>(event)) return "AmResumed";
  if (std::holds_alternative<core::ContainerGranted>(event)) return "ContainerGranted";
  if (std::holds_alternative<core::ExecutorRegistered>(event)) return "ExecutorRegistered";
  if (std::holds_alternative<core::HeartbeatReceived>(event)) return "HeartbeatReceived";
  if (std::holds_alternative<core::TaskStarted>(event)) return "TaskStarted";
  if (std::holds_alternative<core::RankExited>(event)) return "RankExited";
  return "event " + std::to_string(event.index());
}

std::string NameOf(const core::Action& action) {
  if (std::holds_alternative<core::RequestContainers>(action)) return "RequestContainers";
  if (std::holds_alternative<core::CancelRequests>(action)) return "CancelRequests";
  if (std::holds_alternative<core::LaunchExecutor>(action)) return "LaunchExecutor";
  if (std::holds_alternative<core::StartTask>(action)) return "StartTask";
  return "action " + std::to_string(action.index());
}

std::string NameOf(const core::Change& change) {
  if (const auto* task = std::get_if<core::TaskChanged>(&change)) return "task " + std::string(ToText(task->state));
  const auto& job = std::get<core::JobChanged>(change);
  return "job " +
         (job.state ? std::string(ToText(*job.state)) : "am attempt " + std::to_string(job.am_attempt.value()));
}

// The ports of one AM. They record every call since the last Take.
class Process final : Clock, Timers, EventLog, Journal, Performer {
 public:
  JobLoop loop{OneWorker(), {{false}}, kSubmitted, 1, {*this, *this, *this, *this, *this}};
  std::vector<LoggedEvent> log;
  Instant now = kSubmitted;
  std::optional<Instant> armed;
  std::string log_fails, flush_fails;

  void Post(const core::Event& event) { loop.Post(event); }
  std::vector<std::string> Take() { return std::exchange(seen_, {}); }
  // The calls made while the events are drained together.
  std::vector<std::string> Drain(const std::vector<core::Event>& events) {
    for (const core::Event& event : events) Post(event);
    loop.Drain();
    return Take();
  }

 private:
  Instant Now() override { return now; }
  void DrainSoon() override { seen_.push_back("drain soon"); }
  void Arm(std::optional<Instant> deadline) override { armed = deadline; }
  Status Append(const std::vector<LoggedEvent>& events) override {
    if (!log_fails.empty()) return Failed(log_fails);
    std::string text = "log";
    for (const LoggedEvent& logged : events) {
      log.push_back(logged);
      text += " " + NameOf(logged.event);
    }
    seen_.push_back(text);
    return {};
  }
  void Add(const core::JournalEntry& entry) override { seen_.push_back("add " + NameOf(entry.change)); }
  Status Flush() override {
    if (!flush_fails.empty()) return Failed(flush_fails);
    seen_.push_back("flush");
    return {};
  }
  void Perform(const core::Action& action) override { seen_.push_back("perform " + NameOf(action)); }
  void Replayed(const LoggedEvent& logged, const std::vector<core::Action>& actions) override {
    seen_.push_back("replayed " + NameOf(logged.event) + ", " + std::to_string(actions.size()) + " actions");
  }
  void OnDrained() override { seen_.push_back("drained"); }
  void OnFailed(const Error& error) override { seen_.push_back("failed: " + error.message); }

  std::vector<std::string> seen_;
};

const ContainerId kC1{"c1"};
const core::Event kStarted = core::AmStarted{"node0", 0};
const core::Event kGranted = core::ContainerGranted{kC1, 0, "node1"};
const core::Event kRegistered = core::ExecutorRegistered{kC1, {"host", 4000}};
const core::Event kTaskStarted = core::TaskStarted{kC1, 0, {100}, kSubmitted};

TEST(JobLoop, EventIsLoggedBeforeItsActionsAndTheJournalIsFlushedOncePerDrain) {
  struct Row {
    const char* what;
    std::vector<core::Event> events;
    std::vector<std::string> seen;
  };
  const Row rows[] = {
      {"one event",
       {kStarted},
       {"drain soon", "log AmStarted", "add job STARTING", "add task PENDING", "perform RequestContainers", "flush",
        "drained"}},
      {"two events in one drain",
       {kGranted, kRegistered},
       {"drain soon", "log ContainerGranted", "add task ALLOCATED", "perform LaunchExecutor", "log ExecutorRegistered",
        "add task READY", "perform StartTask", "flush", "drained"}},
      {"an event that changes nothing but a heartbeat",
       {core::HeartbeatReceived{kC1}},
       {"drain soon", "flush", "drained"}},
      {"the heartbeat is logged before the event that depends on it",
       {core::ContainerExited{ContainerId{"c9"}}, core::RankExited{kC1, 7, 0, {.code = 0}, kSubmitted, {}}},
       {"drain soon", "log event 4", "log HeartbeatReceived RankExited", "flush", "drained"}},
  };
  Process process;
  for (const Row& row : rows) EXPECT_EQ(process.Drain(row.events), row.seen) << row.what;
}

TEST(JobLoop, SecondPostDoesNotRequestASecondDrain) {
  Process process;
  process.Post(kStarted);
  process.Post(kGranted);
  EXPECT_THAT(process.Take(), ElementsAre("drain soon"));
}

TEST(JobLoop, TimeNeverGoesBack) {
  Process process;
  process.now = kSubmitted + std::chrono::seconds(5);
  process.Drain({kStarted});
  process.now = kSubmitted;
  process.Drain({kGranted});
  ASSERT_EQ(process.log.size(), 2u);
  EXPECT_EQ(process.log[1].at, process.log[0].at);
}

TEST(JobLoop, DeadlineOfTheJobIsArmed) {
  Process process;
  process.Drain({kStarted});
  EXPECT_EQ(process.armed, process.loop.job().NextDeadline());
  EXPECT_TRUE(process.armed);
}

TEST(JobLoop, NothingIsPerformedIfTheEventLogFails) {
  Process process;
  process.log_fails = "disk full";
  EXPECT_THAT(process.Drain({kStarted, kGranted}), ElementsAre("drain soon", "failed: disk full"));
  EXPECT_THAT(process.Drain({kGranted}), Not(testing::Contains(HasSubstr("perform"))));
}

TEST(JobLoop, StopsIfTheJournalFails) {
  Process process;
  process.flush_fails = "disk full";
  EXPECT_EQ(process.Drain({kStarted}).back(), "failed: disk full");
}

TEST(JobLoop, ResumeWritesOnlyMissingEntriesAndPerformsNothing) {
  struct Row {
    size_t recorded;  // number of entries that the journal has
    std::vector<std::string> added;
  };
  const Row rows[] = {{0, {"add job STARTING", "add task PENDING", "add task ALLOCATED"}},
                      {2, {"add task ALLOCATED"}},
                      {3, {}},
                      {9, {}}};  // the journal may be newer than the copy of the event log
  Process first;
  first.Drain({kStarted, kGranted});
  for (const Row& row : rows) {
    Process next;
    next.loop.Resume(first.log, row.recorded);
    std::vector<std::string> added, rest;
    for (const std::string& text : next.Take()) (text.starts_with("add") ? added : rest).push_back(text);
    EXPECT_EQ(added, row.added) << row.recorded;
    EXPECT_THAT(rest, ElementsAre("replayed AmStarted, 3 actions", "replayed ContainerGranted, 2 actions"));
    EXPECT_THAT(next.log, IsEmpty());
  }
}

TEST(JobLoop, ResumedCoreRepeatsItsOrders) {
  Process first;
  first.Drain({kStarted, kGranted});
  Process next;
  next.loop.Resume(first.log, 3);
  next.Take();
  EXPECT_THAT(
      next.Drain({core::AmResumed{1, "was killed"}}),
      ElementsAre("drain soon", "log AmResumed", "add job am attempt 1", "perform LaunchExecutor", "flush", "drained"));
}

}  // namespace
}  // namespace howdah::am::loop
