#include "howdah/compat/tony/history/job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include "howdah/journal/ledger.h"

namespace howdah::compat::tony::history {
namespace {

using core::JobChanged;
using core::JobState;
using core::TaskChanged;
using core::TaskState;

constexpr int64_t kStart = 1542325695566;
Instant At(int64_t millis) { return Instant(std::chrono::milliseconds(kStart + millis)); }

core::JournalEntry Job(int64_t millis, JobChanged::Type type, JobState state) {
  JobChanged change;
  change.type = type;
  change.state = state;
  return {At(millis), change};
}

core::JournalEntry Task(int64_t millis, TaskChanged::Type type, int index, TaskState state, int attempt = 0,
                        std::optional<int> code = std::nullopt) {
  TaskChanged change;
  change.type = type;
  change.role = "worker";
  change.index = index;
  change.state = state;
  change.attempt = attempt;
  if (type == TaskChanged::Type::kAllocated) change.node = "node2", change.container = "container_0_02";
  if (code) change.exit = ExitStatus{code, std::nullopt};
  if (code && *code != 0) change.reason = "exit code " + std::to_string(*code);
  return {At(millis), change};
}

core::JournalEntry Submitted() {
  core::JobSubmitted change;
  change.id = "application_1541469337545_0031";
  change.name = "mnist";
  change.on = "yarn";
  change.framework = "pytorch";
  change.user = "Ann-Lee";
  change.roles = {{"worker", 2}};
  return {At(-1000), change};
}

std::vector<std::string> Described(const std::vector<Event>& events) {
  std::vector<std::string> lines;
  for (const Event& event : events) lines.push_back(DescribeEvent(event).substr(14));
  return lines;
}

std::string Recorded() {
  // The file was written by TonY's own EventHandler (tests/history/tony).
  std::ifstream file(std::string(HOWDAH_SOURCE_DIR) + "/src/compat/tony/avro/testdata/null.avro", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Events, JournalGivesStartAndFinishOfEveryAttempt) {
  using enum TaskChanged::Type;
  std::vector<core::JournalEntry> journal = {
      Submitted(), Job(0, JobChanged::Type::kAmStarted, JobState::kStarting),
      Task(5, kAllocated, 0, TaskState::kAllocated), Task(10, kStarted, 0, TaskState::kRunning),
      Task(11, kStarted, 1, TaskState::kRunning), Job(11, JobChanged::Type::kRunning, JobState::kRunning),
      // worker:0 fails and starts again; worker:1 is stopped at the end.
      Task(20, kExited, 0, TaskState::kReady, 0, 7), Task(21, kStarted, 0, TaskState::kRunning, 1),
      Task(30, kExited, 0, TaskState::kSucceeded, 1, 0), Task(31, kStopped, 1, TaskState::kStopped)};
  std::get<TaskChanged>(journal[8].change).usage = core::Usage{1, 2048, 0.5, 1024};
  EXPECT_EQ(EventsOf(journal, "application_1541469337545_0031", {"node1", ""}).size(), 7u);
  journal.push_back(Job(32, JobChanged::Type::kFinished, JobState::kSucceeded));
  journal.push_back(Job(33, JobChanged::Type::kFinished, JobState::kFailed));  // ignored after the end
  const auto events = EventsOf(journal, "application_1541469337545_0031", {"node1", "container_0_01"});
  EXPECT_EQ(Described(events),
            (std::vector<std::string>{
                "APPLICATION_INITED  application_1541469337545_0031  2 tasks  on node1  container_0_01",
                "TASK_STARTED  worker:0  on node2  container_0_02", "TASK_STARTED  worker:1  on NA  NA",
                "TASK_FINISHED  worker:0  FAILED  exit code 7", "TASK_STARTED  worker:0  on node2  container_0_02",
                "TASK_FINISHED  worker:0  SUCCEEDED  MAX_MEMORY_BYTES=2048  AVG_MEMORY_BYTES=1024  CPU_SECONDS=0.5",
                "TASK_FINISHED  worker:1  FINISHED",
                "APPLICATION_FINISHED  application_1541469337545_0031  1 finished  0 failed"}));
  const auto bytes = WriteEvents(events);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto back = ReadEvents(*bytes);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->events, events);
}

TEST(Metrics, HaveTonYsNamesAndUnits) {
  EXPECT_TRUE(MetricsOf(core::Usage()).empty());
  core::Usage usage{.memory_peak_bytes = 4096, .memory_average_bytes = 1024};
  usage.gpu = core::GpuUse{1.0 / 3, 0.57, 0.25, 1};
  EXPECT_EQ(MetricsOf(usage), (std::vector<Metric>{{"MAX_MEMORY_BYTES", 4096},
                                                   {"AVG_MEMORY_BYTES", 1024},
                                                   {"MAX_GPU_UTILIZATION", 57},
                                                   {"AVG_GPU_UTILIZATION", 33.33},
                                                   {"MAX_GPU_FB_MEMORY_USAGE", 100},
                                                   {"AVG_GPU_FB_MEMORY_USAGE", 25}}));
}

// A role has failed despite exit code 0 if its output lacks the values that it must export.
TEST(Events, FailedTaskWithExitCodeZeroIsFailed) {
  using enum TaskChanged::Type;
  const auto events = EventsOf(
      {Submitted(), Task(10, kStarted, 0, TaskState::kRunning), Task(20, kExited, 0, TaskState::kFailed, 0, 0)},
      "application_1541469337545_0031", {"node1", ""});
  EXPECT_EQ(Described(events).back(), "TASK_FINISHED  worker:0  FAILED");
}

TEST(Events, FileWrittenByTonYIsRead) {
  const auto read = ReadEvents(Recorded());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->cut, "");
  ASSERT_EQ(read->events.size(), 6u);
  EXPECT_EQ(read->events[2].container, "container_0_03");
  EXPECT_EQ(read->events[3].metrics[1], (Metric{"AVG_MEMORY_BYTES", 1.25e9}));
  EXPECT_EQ(EncodeEvent(read->events[4]),
            R"({"time":"2018-11-15T23:48:15.596Z","type":"TASK_FINISHED","taskType":"worker","taskIndex":1,)"
            R"("status":"FAILED","metrics":[],"containerDiagnostic":"Exception from container-launch.\nexit 1"})");
  EXPECT_EQ(Described(read->events)[4], "TASK_FINISHED  worker:1  FAILED  Exception from container-launch. exit 1");
}

// Random damage must result in a value or an error. The sanitizers detect memory errors.
TEST(Events, ReadingDamagedFilesIsSafe) {
  const std::string whole = Recorded();
  std::mt19937 random(20261121);
  const auto number = [&](size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random); };
  const size_t values_at = whole.size() - 400;  // damage only bytes after the schema
  size_t shown = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string file = whole;
    for (size_t changes = 1 + number(6); changes > 0; --changes) {
      const size_t at = number(2) == 0 ? number(file.size()) : values_at + number(400);
      file[at] = static_cast<char>(number(256));
    }
    const auto read = ReadEvents(file);
    if (!read.ok()) continue;
    shown += ViewOf({"app", At(0), At(1), "ann", "FAILED"}, {}, read->events).tasks.size();
    for (const Event& event : read->events) shown += EncodeEvent(event).empty() + DescribeEvent(event).empty();
    shown += MetricsOf(read->events).size();
  }
  EXPECT_GT(shown, 100u);  // some of the damaged files can still be read
}

TEST(View, EventsOfTonYGiveStatusWithTasks) {
  const auto read = ReadEvents(Recorded());
  const FileName name{"application_1541469337545_0031", At(0), At(38071), "ann", "FAILED"};
  const auto view = ViewOf(name, {{"tony.application.name", "mnist", "", false}}, read->events);
  EXPECT_EQ(view.id, "application_1541469337545_0031");
  EXPECT_EQ(view.name, "mnist");
  EXPECT_EQ(view.on, "yarn");
  EXPECT_EQ(view.user, "ann");
  EXPECT_EQ(view.state, JobState::kFailed);
  EXPECT_EQ(view.exit_code, 1);
  EXPECT_EQ(view.reason, "worker:1: Exception from container-launch.\nexit 1");
  auto events = read->events;
  events[4].diagnostic = "worker:1 failed with exit code 1";
  EXPECT_EQ(ViewOf(name, {}, events).reason, "worker:1 failed with exit code 1");
  events[4].diagnostic = "NA";
  EXPECT_EQ(ViewOf(name, {}, events).reason, "worker:1 failed");
  EXPECT_EQ(view.finished, At(38071));
  ASSERT_EQ(view.tasks.size(), 2u);
  EXPECT_EQ(view.tasks[0].state, TaskState::kSucceeded);
  EXPECT_EQ(view.tasks[0].node, "node2");
  EXPECT_EQ(view.tasks[0].usage.memory_peak_bytes, 2'500'000'000);
  EXPECT_EQ(view.tasks[1].state, TaskState::kFailed);
  const auto metrics = MetricsOf(read->events);
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].metrics.size(), 3u);
  EXPECT_TRUE(metrics[1].metrics.empty());
}

TEST(View, RunningJobsAndHowdahsJobIdsAreRecognised) {
  const FileName running{"application_1_1", At(0), std::nullopt, "ann_lee", ""};
  const std::vector<Setting> ours = {{kJobIdSetting, "howdah-1", "", false},
                                     {kUserSetting, "Ann-Lee", "", false},
                                     {kBackendSetting, "local", "", false}};
  Event started;
  started.type = Event::Type::kTaskStarted;
  started.time = At(3);
  started.role = "ps";
  started.index = 10;
  std::vector<Event> events = {started};
  for (const auto& [role, index] : {std::pair("worker", 1), {"ps", 2}, {"worker", 0}, {"ps", 2}}) {
    events.push_back(started);
    events.back().role = role;
    events.back().index = index;
  }
  auto view = ViewOf(running, ours, events);
  EXPECT_EQ(view.state, JobState::kRunning);
  EXPECT_EQ(view.exit_code, std::nullopt);
  EXPECT_EQ(view.id, "howdah-1");
  EXPECT_EQ(view.user, "Ann-Lee");
  EXPECT_EQ(view.on, "local");
  std::string tasks;
  for (const auto& task : view.tasks)
    tasks += task.role + std::to_string(task.index) + "/" + std::to_string(task.attempt) + " ";
  EXPECT_EQ(tasks, "ps2/1 ps10/0 worker0/0 worker1/0 ");
  EXPECT_EQ(view.tasks[0].state, TaskState::kRunning);
  FileName killed = running;
  killed.completed = At(9);
  killed.status = "KILLED";
  view = ViewOf(killed, ours, events);
  EXPECT_EQ(view.exit_code, 4);
  EXPECT_EQ(view.tasks[0].state, TaskState::kStopped);
  EXPECT_EQ(view.tasks[0].finished, At(9));
}

// The text of the entries, without times.
std::vector<std::string> Described(const std::vector<core::JournalEntry>& journal) {
  std::vector<std::string> lines;
  for (const core::JournalEntry& entry : journal) lines.push_back(journal::DescribeEntry(entry).substr(14));
  return lines;
}

Event TaskEvent(Event::Type type, int64_t millis, int index, const std::string& status = "") {
  Event event;
  event.type = type;
  event.time = At(millis);
  event.role = "worker";
  event.index = index;
  event.status = status;
  if (type == Event::Type::kTaskStarted) event.host = "node" + std::to_string(index);
  return event;
}

const std::vector<Setting> kRequests = {{"tony.application.name", "mnist", "", false},
                                        {"tony.worker.instances", "2", "", false},
                                        {"tony.worker.memory", "3g", "", false},
                                        {"tony.worker.vcores", "2", "", false},
                                        {"tony.worker.gpus", "1", "", false}};

TEST(JournalOf, TasksHoldTheirRequestFromStartToEnd) {
  using enum Event::Type;
  const FileName name{"application_1_1", At(0), At(10'000), "ann", "KILLED"};
  const std::vector<Event> events = {TaskEvent(kTaskStarted, 1'000, 0), TaskEvent(kTaskStarted, 2'000, 1),
                                     TaskEvent(kTaskFinished, 5'000, 1, "SUCCEEDED")};
  journal::Ledger ledger;
  for (const auto& entry : JournalOf(name, kRequests, events, "tony")) ledger.Take(entry);
  EXPECT_EQ(ledger.job().id, "application_1_1");
  EXPECT_EQ(ledger.job().on, "tony");
  EXPECT_EQ(ledger.job().state, JobState::kKilled);
  ASSERT_TRUE(ledger.known());
  EXPECT_DOUBLE_EQ(journal::Seconds(ledger.Total().gpus), 9 + 3);
  EXPECT_DOUBLE_EQ(journal::Seconds(ledger.Total().vcores), 2 * (9 + 3));
  EXPECT_DOUBLE_EQ(journal::GibSeconds(ledger.Total().memory), 3 * (9 + 3));
  EXPECT_EQ(ledger.job().tasks[0].state, TaskState::kStopped);
  EXPECT_EQ(ledger.job().tasks[1].state, TaskState::kSucceeded);
}

TEST(JournalOf, NoHardwareIsRecordedIfARoleHasNoRequest) {
  const FileName name{"application_1_1", At(0), At(10'000), "ann", "SUCCEEDED"};
  Event other = TaskEvent(Event::Type::kTaskStarted, 1'000, 0);
  other.role = "ps";
  journal::Ledger ledger;
  for (const auto& entry : JournalOf(name, kRequests, {TaskEvent(Event::Type::kTaskStarted, 1'000, 0), other}, "tony"))
    ledger.Take(entry);
  EXPECT_FALSE(ledger.known());
  EXPECT_EQ(ledger.job().tasks.size(), 2u);
}

TEST(JournalOf, LaterEventsContinueTheJournal) {
  using enum Event::Type;
  const FileName name{"application_1_1", At(0), std::nullopt, "ann", ""};
  std::vector<Event> events = {TaskEvent(kTaskStarted, 1'000, 0)};
  const auto early = Described(JournalOf(name, kRequests, events, "tony"));
  events.push_back(TaskEvent(kTaskStarted, 2'000, 1));
  FileName ended = name;
  ended.completed = At(3'000);
  ended.status = "SUCCEEDED";
  auto late = Described(JournalOf(ended, kRequests, events, "tony"));
  ASSERT_GT(late.size(), early.size());
  EXPECT_TRUE(std::equal(early.begin() + 1, early.end(), late.begin() + 1));
}

TEST(JournalOf, TimesOfADamagedFileStayInTheLifeOfTheJob) {
  using enum Event::Type;
  const FileName name{"application_1_1", At(0), At(1'000), "ann", "SUCCEEDED"};
  const std::vector<Event> events = {TaskEvent(kTaskStarted, int64_t{1} << 49, 0), TaskEvent(kTaskStarted, -5'000, 1)};
  const auto journal = JournalOf(name, kRequests, events, "tony");
  for (size_t i = 0; i < journal.size(); ++i) {
    EXPECT_GE(journal[i].time, i == 0 ? At(0) : journal[i - 1].time);
    EXPECT_LE(journal[i].time, At(1'000));
  }
}

TEST(EndName, NameContainsUserStartEndAndStatus) {
  journal::JobView view;
  view.Apply(Submitted());
  view.Apply(Job(5000, JobChanged::Type::kFinished, JobState::kKilled));
  EXPECT_EQ(WriteFileName(EndName(view, At(0))),
            "application_1541469337545_0031-1542325695566-1542325700566-ann_lee-KILLED.jhist");
}

TEST(Configuration, SpecialCharactersSurviveWritingAndReading) {
  const std::vector<Setting> settings = {
      {"a", "<x> & \"y\" 'é'\n z ", "tony.xml", true}, {"b", "", "", false}, {"c", "  ", "d", false}};
  const auto back = ReadConfiguration(WriteConfiguration(settings));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, settings);
  EXPECT_EQ(ValueOf(*back, "a"), settings[0].value);
  EXPECT_EQ(ValueOf(*back, "z"), "");
  EXPECT_EQ(ReadConfiguration(WriteConfiguration({{"e", std::string("\x1b[0m"), "", false}}))->at(0).value, " [0m");
}

TEST(Configuration, RepeatedPropertyAmongThousandsKeepsItsLastValueAndPosition) {
  constexpr int kMany = 50'000;
  std::vector<Setting> settings = {{"n7", "early", "", false}};
  for (int i = 0; i < kMany; ++i) settings.push_back({"n" + std::to_string(i), std::to_string(i), "", false});
  const auto read = ReadConfiguration(WriteConfiguration(settings));
  ASSERT_TRUE(read.ok());
  settings.erase(settings.begin());
  EXPECT_EQ(*read, settings);
}

TEST(View, ManyTasksAreOrderedByRoleAndIndex) {
  constexpr int kMany = 50'000;
  std::vector<Event> events;
  for (int i = 0; i < kMany; ++i) {
    Event event;
    event.type = Event::Type::kTaskStarted;
    event.role = i % 2 == 0 ? "worker" : "ps";
    event.index = kMany - i;
    events.push_back(event);
  }
  const auto name = ParseFileName("application_1541469337545_0031-1542325695566-ann.jhist.inprogress");
  const journal::JobView view = ViewOf(*name, {}, events);
  ASSERT_EQ(view.tasks.size(), size_t{kMany});
  EXPECT_EQ(view.tasks.front().role, "worker");
  EXPECT_EQ(view.tasks.front().index, 2);
  EXPECT_EQ(view.tasks.front().attempt, 0);
  EXPECT_EQ(view.tasks.back().role, "ps");
  EXPECT_EQ(view.tasks.back().index, kMany - 1);
  EXPECT_EQ(MetricsOf(events).size(), size_t{kMany});
}

TEST(Configuration, PropertiesWithoutNameOrValueAreSkipped) {
  const auto read = ReadConfiguration(
      "<?xml version=\"1.0\"?>\n<configuration>\n<property><name>a</name><value>1</value></property>\n"
      "<property><name>b</name></property><property><value>2</value></property>\n"
      "<property><name>a</name><value>3</value><final>true</final><source>s</source></property></configuration>");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, (std::vector<Setting>{{"a", "3", "s", true}}));
  const auto wrong = ReadConfiguration("<configuration>\n<property>\n</configuration>");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("line 3: "), std::string::npos) << wrong.error().message;
}

TEST(Configuration, SpecHasTheRolesOfTonysKeys) {
  std::vector<Setting> settings = kRequests;
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"tony.application.framework", "pytorch"},
                                                        {"tony.application.tags", "a,b"},
                                                        {"tony.yarn.queue", "ml"},
                                                        {"tony.ps.instances", "1"},
                                                        {"tony.evaluator.instances", "0"},
                                                        {"tony.chief.instances", "1"},
                                                        {"tony.chief.memory", "512"},
                                                        {"tony.worker.command", "python3 train.py"},
                                                        {"tony.am.retry-count", "3"}}) {
    settings.push_back({name, value, "", false});
  }
  const jobspec::JobSpec spec = SpecOf(settings);
  EXPECT_EQ(spec.name, "mnist");
  EXPECT_EQ(spec.framework, jobspec::Framework::kPytorch);
  EXPECT_EQ(spec.queue, "ml");
  EXPECT_EQ(spec.tags, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(spec.roles.size(), 3u) << "a role without instances has no tasks";
  EXPECT_EQ(spec.roles[0].memory_bytes, int64_t{3} << 30);
  EXPECT_EQ(spec.roles[0].gpus, 1);
  EXPECT_EQ(spec.roles[0].command.shell, "python3 train.py");
  EXPECT_EQ(spec.roles[1].memory_bytes, int64_t{2} << 30) << "the default of TonY";
  EXPECT_EQ(spec.roles[2].memory_bytes, int64_t{512} << 20) << "a number without unit is in MiB";
}

TEST(Configuration, SettingsAreDerivedUnlessTonysConfigurationIsGiven) {
  jobspec::JobSpec spec;
  spec.name = "mnist";
  spec.framework = jobspec::Framework::kPytorch;
  spec.tags = {"x", "y"};
  jobspec::RoleSpec role;
  role.name = "worker";
  role.instances = {2, 2};
  role.memory_bytes = (int64_t{3} << 30) + 1;
  role.command.argv = {"python", "train.py"};
  spec.roles = {role};
  role.name = "ps";
  role.kind = jobspec::RoleKind::kService;
  spec.roles.push_back(role);
  journal::JobView view;
  view.Apply(Submitted());
  auto settings = SettingsOf(spec, view);
  EXPECT_EQ(ValueOf(settings, "tony.application.framework"), "pytorch");
  EXPECT_EQ(ValueOf(settings, "tony.application.tags"), "x,y");
  EXPECT_EQ(ValueOf(settings, "tony.application.untracked.jobtypes"), "ps");
  EXPECT_EQ(ValueOf(settings, "tony.worker.instances"), "2");
  EXPECT_EQ(ValueOf(settings, "tony.worker.memory"), "3073m");
  EXPECT_EQ(ValueOf(settings, "tony.worker.command"), "python train.py");
  EXPECT_EQ(ValueOf(settings, kUserSetting), "Ann-Lee");
  spec.configuration = {{"tony.worker.instances", "2", "tony.xml"}};
  settings = SettingsOf(spec, view);
  EXPECT_EQ(settings.front(), (Setting{"tony.worker.instances", "2", "tony.xml", false}));
  EXPECT_EQ(ValueOf(settings, "tony.worker.memory"), "");
  EXPECT_EQ(ValueOf(settings, kJobIdSetting), "application_1541469337545_0031");
}

}  // namespace
}  // namespace howdah::compat::tony::history
