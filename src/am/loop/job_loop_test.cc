// Tests the order in which the loop logs, performs and records. Each test compares the list of calls to the loop's
// ports.
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

jobspec::JobSpec Workers(int count) {
  jobspec::JobSpec spec;
  spec.name = "job";
  jobspec::RoleSpec role;
  role.name = "worker";
  role.instances = {count, count};
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
  if (std::holds_alternative<core::OrdersDelayed>(event)) return "OrdersDelayed";
  return "event " + std::to_string(event.index());
}

std::string NameOf(const core::Action& action) {
  if (std::holds_alternative<core::RequestContainers>(action)) return "RequestContainers";
  if (std::holds_alternative<core::CancelRequests>(action)) return "CancelRequests";
  if (std::holds_alternative<core::LaunchExecutor>(action)) return "LaunchExecutor";
  if (std::holds_alternative<core::StartTask>(action)) return "StartTask";
  if (std::holds_alternative<core::StopTask>(action)) return "StopTask";
  if (const auto* kill = std::get_if<core::KillContainer>(&action)) return "KillContainer " + kill->container.text;
  return "action " + std::to_string(action.index());
}

std::string NameOf(const core::Change& change) {
  if (const auto* task = std::get_if<core::TaskChanged>(&change)) return "task " + std::string(ToText(task->state));
  const auto& job = std::get<core::JobChanged>(change);
  if (job.am_attempt && !job.state) return "job am attempt " + std::to_string(*job.am_attempt);
  return "job " + (job.state ? std::string(ToText(*job.state)) : "change " + std::to_string(int(job.type)));
}

// The ports of one AM. They record every call. Take returns the calls since the last Take.
class Process final : Clock, Timers, EventLog, Journal, Performer {
 public:
  explicit Process(int workers = 1)
      : loop(Workers(workers), {{false}}, kSubmitted, 1, {*this, *this, *this, *this, *this}) {}

  JobLoop loop;
  std::vector<LoggedEvent> log;
  Instant now = kSubmitted;
  std::optional<Instant> armed;
  std::string log_fails, flush_fails;
  bool log_full = false, journal_full = false;

  void Post(const core::Event& event) { loop.Post(event); }
  std::vector<std::string> Take() { return std::exchange(seen_, {}); }
  // Posts the events and runs one pass. Returns the calls made.
  std::vector<std::string> RunPass(const std::vector<core::Event>& events) {
    for (const core::Event& event : events) Post(event);
    loop.RunPass();
    return Take();
  }

 private:
  Instant Now() override { return now; }
  void PassSoon() override { seen_.push_back("pass soon"); }
  void Arm(std::optional<Instant> deadline) override { armed = deadline; }
  void PassAfter(Duration) override { seen_.push_back("pass later"); }
  Status Append(const std::vector<LoggedEvent>& added) override {
    if (!log_fails.empty()) return Failed(log_fails);
    unwritten_.insert(unwritten_.end(), added.begin(), added.end());
    if (log_full) return Error{ErrorCode::kNoSpace, "disk full"};
    const std::vector<LoggedEvent> events = std::exchange(unwritten_, {});
    if (events.empty()) return {};
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
    if (journal_full) return Error{ErrorCode::kNoSpace, "disk full"};
    seen_.push_back("flush");
    return {};
  }
  void Perform(const core::Action& action) override { seen_.push_back("perform " + NameOf(action)); }
  void Replayed(const LoggedEvent& logged, const std::vector<core::Action>& actions) override {
    seen_.push_back("replayed " + NameOf(logged.event) + ", " + std::to_string(actions.size()) + " actions");
  }
  void OnPassDone() override { seen_.push_back("pass done"); }
  void OnFailed(const Error& error) override { seen_.push_back("failed: " + error.message); }
  void OnNoSpace(const Error& error) override { seen_.push_back("no space: " + error.message); }
  void OnSpace(Duration full_for) override { seen_.push_back("space after " + FormatDuration(full_for)); }
  void FreeReserve() override { seen_.push_back("free reserve"); }

  std::vector<std::string> seen_;
  std::vector<LoggedEvent> unwritten_;
};

const ContainerId kC1{"c1"};
const core::Event kStarted = core::AmStarted{"node0", 0};
const core::Event kGranted = core::ContainerGranted{kC1, 0, "node1"};
const core::Event kRegistered = core::ExecutorRegistered{kC1, {"host", 4000}};
const core::Event kTaskStarted = core::TaskStarted{kC1, 0, {100}, kSubmitted};

TEST(JobLoop, EventIsLoggedBeforeItsActionsAndTheJournalIsFlushedOncePerPass) {
  struct Row {
    const char* what;
    std::vector<core::Event> events;
    std::vector<std::string> seen;
  };
  const Row rows[] = {
      {"one event",
       {kStarted},
       {"pass soon", "log AmStarted", "add job STARTING", "add task PENDING", "perform RequestContainers", "flush",
        "pass done"}},
      {"two events in one pass",
       {kGranted, kRegistered},
       {"pass soon", "log ContainerGranted", "add task ALLOCATED", "perform LaunchExecutor", "log ExecutorRegistered",
        "add task READY", "perform StartTask", "flush", "pass done"}},
      {"an event that changes nothing but a heartbeat",
       {core::HeartbeatReceived{kC1}},
       {"pass soon", "flush", "pass done"}},
      {"the heartbeat is logged before the event that depends on it",
       {core::ContainerExited{ContainerId{"c9"}}, core::RankExited{kC1, 7, 0, {.code = 0}, kSubmitted, {}}},
       {"pass soon", "log event 4", "log HeartbeatReceived RankExited", "flush", "pass done"}},
  };
  Process process;
  for (const Row& row : rows) EXPECT_EQ(process.RunPass(row.events), row.seen) << row.what;
}

TEST(JobLoop, SecondPostDoesNotAskForASecondPass) {
  Process process;
  process.Post(kStarted);
  process.Post(kGranted);
  EXPECT_THAT(process.Take(), ElementsAre("pass soon"));
}

TEST(JobLoop, ClockThatIsSetBackDoesNotMoveEventsBack) {
  Process process;
  process.now = kSubmitted + std::chrono::seconds(5);
  process.RunPass({kStarted});
  process.now = kSubmitted;
  process.RunPass({kGranted});
  ASSERT_EQ(process.log.size(), 2u);
  EXPECT_EQ(process.log[1].at, process.log[0].at);
}

TEST(JobLoop, NextDeadlineOfTheJobArmsTheTimer) {
  Process process;
  process.RunPass({kStarted});
  EXPECT_EQ(process.armed, process.loop.job().NextDeadline());
  EXPECT_TRUE(process.armed);
}

TEST(JobLoop, FailedEventLogPreventsAllActions) {
  Process process;
  process.log_fails = "disk full";
  EXPECT_THAT(process.RunPass({kStarted, kGranted}), ElementsAre("pass soon", "failed: disk full"));
  EXPECT_THAT(process.RunPass({kGranted}), Not(testing::Contains(HasSubstr("perform"))));
}

TEST(JobLoop, FullDiskDelaysActionsUntilTheirEventIsLogged) {
  Process process;
  process.RunPass({kStarted});
  process.log_full = true;
  EXPECT_THAT(process.RunPass({kGranted, kRegistered}), ElementsAre("pass soon", "no space: disk full", "pass later"));
  process.now += std::chrono::seconds(90);
  EXPECT_THAT(process.RunPass({kTaskStarted}), ElementsAre("pass later")) << "a post does not ask for a pass";
  process.log_full = false;
  std::vector<std::string> seen = process.RunPass({});
  EXPECT_EQ(seen.back(), "pass done");
  ASSERT_GT(seen.size(), 10u);
  seen.resize(10);
  EXPECT_THAT(seen, ElementsAre("log ContainerGranted", "flush", "space after 1m30s", "add task ALLOCATED",
                                "perform LaunchExecutor", "log OrdersDelayed", "log ExecutorRegistered",
                                "add task READY", "perform StartTask", "log TaskStarted"));
  ASSERT_EQ(process.log.size(), 5u);
  EXPECT_EQ(process.log[3].at, kSubmitted) << "events keep the time at which they were posted";
  EXPECT_EQ(process.log[4].at, kSubmitted + std::chrono::seconds(90));
  EXPECT_EQ(process.armed, process.loop.job().NextDeadline());
}

// If the grace began at the decision to stop, the task would be killed right after its delayed stop order.
TEST(JobLoop, GraceOfAStopDelayedByAFullDiskBeginsWithItsOrder) {
  const ContainerId c2{"c2"};
  const auto granted = core::ContainerGranted{c2, 0, "node2"};
  Process process(2);
  process.RunPass({kStarted, kGranted, granted, kRegistered, core::ExecutorRegistered{c2, {"host", 4001}}, kTaskStarted,
                   core::TaskStarted{c2, 0, {200}, kSubmitted}});
  process.log_full = true;
  process.now += std::chrono::seconds(1);
  process.RunPass({core::RankExited{kC1, 0, 0, {.code = 1}, process.now, {}}});
  process.Post(core::TaskEnded{kC1, 0, process.now});
  process.Post(core::ContainerExited{kC1});
  process.now += std::chrono::minutes(5);
  process.Post(core::HeartbeatReceived{c2});
  process.log_full = false;
  EXPECT_THAT(process.RunPass({}), testing::Contains("perform StopTask"));
  const Duration grace = process.loop.job().spec().checkpoint.grace;
  EXPECT_THAT(process.RunPass({core::Ticked{}}), testing::Not(testing::Contains("perform KillContainer c2")));
  process.now += grace;
  EXPECT_THAT(process.RunPass({core::Ticked{}}), testing::Not(testing::Contains("perform KillContainer c2")));
  process.now += std::chrono::minutes(1);
  EXPECT_THAT(process.RunPass({core::Ticked{}}), testing::Contains("perform KillContainer c2"));
  // Replaying the log gives the next AM the same time limits.
  Process next(2);
  for (const LoggedEvent& past : process.log) next.loop.Replay(past, 0);
  EXPECT_EQ(next.loop.job().NextDeadline(), process.loop.job().NextDeadline());
}

TEST(JobLoop, JournalOnAFullDiskDelaysLaterEvents) {
  Process process;
  process.journal_full = true;
  process.RunPass({kStarted});
  EXPECT_THAT(process.RunPass({kGranted}), ElementsAre("pass later"));
  process.journal_full = false;
  EXPECT_THAT(process.RunPass({}), ElementsAre("flush", "space after 0ms", "log ContainerGranted", "add task ALLOCATED",
                                               "perform LaunchExecutor", "flush", "pass done"));
}

// If the waiting heartbeats were ignored, their container would be declared lost.
TEST(JobLoop, ContainerWithHeartbeatsDuringAFullDiskIsNotLost) {
  Process process;
  process.RunPass({kStarted, kGranted, kRegistered, kTaskStarted});
  process.log_full = true;
  process.RunPass({core::RankExited{kC1, 7, 0, {.code = 0}, kSubmitted, {}}, core::Ticked{}});
  for (int i = 0; i < 300; ++i) {
    process.now += std::chrono::seconds(1);
    process.Post(core::HeartbeatReceived{kC1});
    process.Post(core::Ticked{});
  }
  process.Take();
  process.log_full = false;
  // Heartbeats that change nothing are logged together with the next event that changes something.
  const auto heard = process.RunPass({});
  const auto ticked = process.RunPass({core::Ticked{}});
  for (const std::vector<std::string>& seen : {heard, ticked}) {
    EXPECT_THAT(seen, Not(testing::Contains(HasSubstr("LOST"))));
  }
  EXPECT_EQ(process.loop.job().finished(), false);
  process.RunPass({core::ContainerExited{kC1}});
  size_t heartbeats = 0;
  for (const LoggedEvent& logged : process.log) {
    const bool heartbeat = std::holds_alternative<core::HeartbeatReceived>(logged.event);
    heartbeats += heartbeat;
    EXPECT_TRUE(!heartbeat || logged.at == kSubmitted + std::chrono::seconds(300)) << "only the newest one waits";
  }
  EXPECT_LE(heartbeats, 1u);
}

TEST(JobLoop, DiskThatStaysFullEndsTheJobAfterTenMinutes) {
  Process process;
  process.log_full = true;
  process.RunPass({kStarted});
  process.now += JobLoop::kNoSpaceLimit - std::chrono::seconds(1);
  EXPECT_THAT(process.RunPass({}), ElementsAre("pass later"));
  process.now += std::chrono::seconds(1);
  EXPECT_THAT(process.RunPass({}), ElementsAre("failed: disk full, for 10m00s"));
  EXPECT_THAT(process.RunPass({}), IsEmpty());
}

TEST(JobLoop, TooManyWaitingEventsFailTheLoop) {
  Process process;
  process.log_full = true;
  process.RunPass({kStarted});
  for (size_t i = 0; i < JobLoop::kMostWaiting; ++i) process.Post(kGranted);
  EXPECT_THAT(process.RunPass({}), ElementsAre("pass later"));
  process.Post(kGranted);
  EXPECT_THAT(process.RunPass({}), ElementsAre("failed: disk full, for 0ms"));
}

TEST(JobLoop, StopRequestDuringAFullDiskFreesTheReservedSpaceOnce) {
  Process process;
  process.RunPass({kStarted});
  process.log_full = true;
  process.RunPass({kGranted});
  process.Post(core::StopRequested{"ann", std::nullopt});
  EXPECT_THAT(process.Take(), ElementsAre("free reserve", "pass soon"));
  process.log_full = false;
  EXPECT_EQ(process.RunPass({}).back(), "pass done");
  EXPECT_TRUE(std::holds_alternative<core::StopRequested>(process.log.back().event));
  // The reserve was freed already, so another full disk ends the job.
  process.log_full = true;
  EXPECT_EQ(process.RunPass({core::ContainerExited{kC1}}).back(), "failed: disk full");
}

TEST(JobLoop, StopRequestThatCannotBeLoggedFreesTheReservedSpace) {
  Process process;
  process.RunPass({kStarted});
  process.log_full = true;
  EXPECT_THAT(process.RunPass({core::StopRequested{"ann", std::nullopt}}),
              ElementsAre("pass soon", "no space: disk full", "pass later", "free reserve", "pass soon"));
  EXPECT_THAT(process.RunPass({}), ElementsAre("failed: disk full, for 0ms"));
}

TEST(JobLoop, FailedJournalEndsTheLoop) {
  Process process;
  process.flush_fails = "disk full";
  EXPECT_EQ(process.RunPass({kStarted}).back(), "failed: disk full");
}

TEST(JobLoop, ReplayWritesOnlyMissingJournalEntriesAndPerformsNoAction) {
  struct Row {
    size_t recorded;  // number of entries that the journal has
    std::vector<std::string> added;
  };
  const Row rows[] = {{0, {"add job STARTING", "add task PENDING", "add task ALLOCATED"}},
                      {2, {"add task ALLOCATED"}},
                      {3, {}},
                      {9, {}}};  // the journal may be newer than the copy of the event log
  Process first;
  first.RunPass({kStarted, kGranted});
  for (const Row& row : rows) {
    Process next;
    for (const LoggedEvent& past : first.log) next.loop.Replay(past, row.recorded);
    EXPECT_EQ(next.loop.replayed_entries(), 3u);
    std::vector<std::string> added, rest;
    for (const std::string& text : next.Take()) (text.starts_with("add") ? added : rest).push_back(text);
    EXPECT_EQ(added, row.added) << row.recorded;
    EXPECT_THAT(rest, ElementsAre("replayed AmStarted, 3 actions", "replayed ContainerGranted, 2 actions"));
    EXPECT_THAT(next.log, IsEmpty());
  }
}

TEST(JobLoop, ResumedCoreRepeatsItsOrders) {
  Process first;
  first.RunPass({kStarted, kGranted});
  Process next;
  for (const LoggedEvent& past : first.log) next.loop.Replay(past, 3);
  next.Take();
  EXPECT_THAT(next.RunPass({core::AmResumed{1, "was killed"}}),
              ElementsAre("pass soon", "log AmResumed", "add job am attempt 1", "perform LaunchExecutor", "flush",
                          "pass done"));
}

}  // namespace
}  // namespace howdah::am::loop
