#include "event_log.h"

#include <gtest/gtest.h>

#include "howdah/os/files/files.h"
#include "howdah/os/process/testing.h"
#include "logged_event.h"

namespace howdah::am {
namespace {

Instant At(int64_t seconds) { return Instant(std::chrono::seconds(1'795'000'000 + seconds)); }

std::vector<core::Event> EveryKind() {
  const ContainerId c{"c7"};
  const core::Diagnosis why{"KeyError: 'x'", "look", false};
  core::RankExited killed{c, 2, 1, {.signal = 9}, At(4), why};
  killed.diagnosis.consequence = killed.diagnosis.node_fault = true;
  killed.diagnosis.no_restart = "the feed train has failed";
  killed.diagnosis.rule = 1;
  return {core::AmStarted{"node1", 1, 2, 3, "http://example.com/1"},
          core::AmResumed{4, "was killed by signal 9 (SIGKILL)", "http://example.com/1"},
          core::ContainerGranted{c, 1, "node7"},
          core::ContainerGranted{c, 1, "node7", core::Resources{int64_t{3} << 30, 2, 4, {{"fpga", 5}}, "a100"}},
          core::ContainerGranted{c, -1, "node7", core::Resources{}},
          core::AmContainerReported{c, "node7", core::Resources{int64_t{1} << 30, 1, 0}, At(2)},
          core::ContainerStarting{c, "after 12s"},
          core::ContainerExited{c, "its node was lost", true},
          core::ContainerExited{c, "it was preempted", true, true},
          core::ContainerExited{c, "its image is not trusted", false, false, true},
          core::ReclaimAnnounced{c, "its node is being decommissioned"},
          core::ReclaimAnnounced{c, "the scheduler preempts it", true},
          core::RequestsDelayed{"the queue is full"},
          core::RequestsDelayed{"1 job is ahead", true},
          core::RequestsRefused{"too large"},
          core::ExecutorRegistered{c, {"10.0.0.7", 40123}, 3, "10.0.0.7:40124 secret"},
          core::ExecutorRefused{c, "another version"},
          core::ExecutorDisconnected{c},
          core::ExecutorStoring{c},
          core::TaskStarted{c, 2, {4711, 4712}, At(3)},
          core::TaskStarted{c, 2, {4711}, At(3), std::chrono::seconds(2)},
          killed,
          core::RankExited{c, 2, 0, {.code = 0}, At(4), {}},
          core::RankExited{c, 2, 0, {.code = 0}, At(4), {}, {{"PARAMS", "{\"lr\": 1}\xff"}}},
          core::TaskStartFailed{c, 2, At(5), 127, why},
          core::TaskStartFailed{c, 2, At(5), std::nullopt, why},
          core::TaskEnded{c, 2, At(6)},
          core::TaskEnded{c, 2, At(6), core::LeftFiles{.count = 2, .bytes = 1000, .names = {"a.pt", "\xff"}}},
          core::TaskProgressed{c, 2, {.step = 7, .checkpoint = 5, .checkpoint_at = At(3), .at = At(4)}},
          core::TaskProgressed{c, 2, {.at = At(4)}},
          core::TaskSaving{c, 2},
          core::RendezvousReported{{1, 3}, 2, core::RendezvousReported::Step::kRejoining},
          core::TaskHung{c, 2, At(9), At(4), "output", "main (train.py:3)"},
          core::StackSampled{c, 2, "main (train.py:3)"},
          core::ScaleRequested{1, 8, "ann"},
          core::StopRequested{"ann", std::chrono::seconds(3)},
          core::StopRequested{"ann", std::nullopt},
          core::Ticked{},
          core::OrdersDelayed{At(8)},
          core::TokensIssued{At(9), core::kRenewedByClient, true},
          core::TensorBoardReported{"http://127.0.0.1:6006", ""},
          core::FinishPrepared{{{"step-12", At(7)}}, "the disk is full"},
          core::FinishPrepared{}};
}

TEST(LoggedEvent, EveryKindSurvivesARoundTrip) {
  for (const core::Event& event : EveryKind()) {
    const wire::LoggedEvent record = ToRecord(event, At(1));
    const auto back = EventOf(record);
    ASSERT_TRUE(back) << testing::PrintToString(record.SerializeAsString());
    EXPECT_EQ(back->index(), event.index());
    EXPECT_EQ(ToRecord(*back, At(1)).SerializeAsString(), record.SerializeAsString())
        << testing::PrintToString(record.SerializeAsString());
  }
  const auto stop = EventOf(ToRecord(core::StopRequested{"ann", std::nullopt}, At(1)));
  EXPECT_EQ(std::get<core::StopRequested>(*stop).grace, std::nullopt);
  const auto exit = EventOf(ToRecord(core::RankExited{{"c"}, 0, 0, {.code = 0}, At(1), {}}, At(1)));
  EXPECT_TRUE(std::get<core::RankExited>(*exit).exit.success());
  const core::RankExited printed{{"c"}, 0, 0, {.code = 0}, At(1), {}, {{"A", "\xff=b"}, {"B", ""}}};
  EXPECT_EQ(std::get<core::RankExited>(*EventOf(ToRecord(printed, At(1)))).exports, printed.exports);
  const core::RankExited returned{{"c"}, 0, 0, {.code = 0}, At(1), {}, {}, false, 0};
  EXPECT_EQ(std::get<core::RankExited>(*EventOf(ToRecord(returned, At(1)))).result_bytes, 0);
  EXPECT_EQ(std::get<core::RankExited>(*EventOf(ToRecord(printed, At(1)))).result_bytes, std::nullopt);
  core::RankExited stopped = printed;
  stopped.during_stop = true;
  EXPECT_TRUE(std::get<core::RankExited>(*EventOf(ToRecord(stopped, At(1)))).during_stop);
  EXPECT_FALSE(EventOf(wire::LoggedEvent()));
}

std::vector<loop::LoggedEvent> EventsIn(const std::string& path) {
  std::vector<loop::LoggedEvent> events;
  EXPECT_TRUE(EventLog::Read(path, [&](const loop::LoggedEvent& logged) { events.push_back(logged); }).ok());
  return events;
}

TEST(LoggedEvent, ExecutorTimeOutOfRangeIsClamped) {
  wire::Ended message;
  message.set_at_micros(INT64_MAX);
  const auto event = EventOf(ContainerId{"c7"}, message);
  EXPECT_EQ(FormatInstant(std::get<core::TaskEnded>(event).at), "9999-12-31T23:59:59.999Z");
}

TEST(LoggedEvent, PeerDurationOutOfRangeIsClamped) {
  for (const int64_t micros : {INT64_MIN, INT64_MAX}) {
    const Duration limited = micros < 0 ? Duration() : Duration(std::chrono::hours(100 * 365 * 24));
    wire::Started started;
    started.set_filling_micros(micros);
    EXPECT_EQ(std::get<core::TaskStarted>(EventOf(ContainerId{"c7"}, started)).filling, limited);
    wire::LoggedEvent stop;
    stop.mutable_stop()->set_grace_micros(micros);
    EXPECT_EQ(std::get<core::StopRequested>(*EventOf(stop)).grace, limited);
  }
}

TEST(LoggedEvent, NamesOfLeftFilesAreLimitedInLengthAndNumber) {
  wire::Ended message;
  message.mutable_left()->set_count(9);
  message.mutable_left()->set_bytes(1000);
  const std::string longest(core::LeftFiles::kLongestName, 'x');
  for (const std::string& name : {longest + "x", longest, std::string("b"), std::string("c"), std::string("d")}) {
    message.mutable_left()->add_names(name);
  }
  const auto event = EventOf(ContainerId{"c7"}, message);
  EXPECT_EQ(std::get<core::TaskEnded>(event).left_files, (core::LeftFiles{9, 1000, {longest, "b", "c"}}));
  EXPECT_EQ(std::get<core::TaskEnded>(EventOf(ContainerId{"c7"}, wire::Ended())).left_files, std::nullopt);
}

TEST(EventLog, EventsOfTwoAmsAreReadInOrder) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "events.bin";
  EXPECT_TRUE(EventsIn(path).empty());
  core::Usage usage{1, 2, 3.5, 4};
  usage.gpu = core::GpuUse{0.5, 0.75, 0.25, 1};
  {
    auto log = EventLog::Open(path, {At(0), 1});
    ASSERT_TRUE(log.ok());
    EXPECT_FALSE(log->existed() || log->had_events());
    ASSERT_TRUE(log->Append({{core::HeartbeatReceived{{"c2"}}, At(2)},
                             {core::HeartbeatReceived{{"c1"}, usage}, At(3)},
                             {core::Ticked{}, At(4)}})
                    .ok());
  }
  {
    auto log = EventLog::Open(path, {At(99), 99});
    ASSERT_TRUE(log.ok());
    ASSERT_TRUE(log->Append({{core::AmResumed{1, ""}, At(6)}}).ok());
  }
  const auto log = EventLog::Open(path, {At(999), 999});
  ASSERT_TRUE(log.ok());
  EXPECT_TRUE(log->existed() && log->had_events());
  EXPECT_EQ(log->beginning().submitted, At(0));
  EXPECT_EQ(log->beginning().journal_entries, 1u);
  const std::vector<loop::LoggedEvent> events = EventsIn(path);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(std::get<core::HeartbeatReceived>(events[0].event).container.text, "c2");
  EXPECT_EQ(std::get<core::HeartbeatReceived>(events[0].event).usage, std::nullopt);
  EXPECT_EQ(events[0].at, At(2));
  EXPECT_EQ(std::get<core::HeartbeatReceived>(events[1].event).container.text, "c1");
  EXPECT_EQ(std::get<core::HeartbeatReceived>(events[1].event).usage, usage);
  EXPECT_EQ(events[1].at, At(3));
  EXPECT_TRUE(std::holds_alternative<core::Ticked>(events[2].event));
  EXPECT_EQ(std::get<core::AmResumed>(events[3].event).attempt, 1);
}

TEST(EventLog, TornRecordAtTheEndIsOverwritten) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "events.bin";
  ASSERT_TRUE(EventLog::Open(path, {At(0), 1})->Append({{core::Ticked{}, At(1)}}).ok());
  const std::string whole = os::files::Content(path);
  ASSERT_TRUE(EventLog::Open(path, {At(0), 1})->Append({{core::AmResumed{1, "died"}, At(2)}}).ok());
  const std::string longer = os::files::Content(path);
  for (size_t size = whole.size(); size < longer.size(); ++size) {
    ASSERT_TRUE(os::files::WriteFileAtomically(path, longer.substr(0, size)).ok());
    EXPECT_EQ(EventsIn(path).size(), 1u) << size;
    ASSERT_TRUE(EventLog::Open(path, {At(0), 1})->Append({{core::AmResumed{1, "died"}, At(2)}}).ok());
    EXPECT_EQ(os::files::Content(path), longer) << size;
  }
}

TEST(EventLog, LogOfAnAmThatDiedBeforeTheFirstEventHasNoEvents) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "events.bin";
  ASSERT_TRUE(EventLog::Open(path, {At(0), 1}).ok());
  const auto log = EventLog::Open(path, {At(0), 1});
  ASSERT_TRUE(log.ok());
  EXPECT_TRUE(log->existed());
  EXPECT_FALSE(log->had_events());
}

TEST(EventLog, LogWithoutItsFirstRecordIsAnError) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "events.bin";
  auto file = os::files::RecordFile::Open(path, [](std::string_view) -> Status { return {}; });
  ASSERT_TRUE(file.ok() && file->Append({ToRecord(core::Ticked{}, At(1)).SerializeAsString()}).ok());
  EXPECT_FALSE(EventLog::Open(path, {At(0), 1}).ok());
}

}  // namespace
}  // namespace howdah::am
