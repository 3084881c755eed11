#include "howdah/journal/job_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "howdah/base/ids.h"
#include "test_entries.h"

namespace howdah::journal {
namespace {

using core::JobState;
using core::TaskState;
using JobType = core::JobChanged::Type;
using TaskType = core::TaskChanged::Type;

std::vector<std::string> Names(const JobView& view) {
  std::vector<std::string> names;
  for (const TaskView& task : view.tasks) names.push_back(TaskText(task.role, task.index));
  return names;
}

JobView Fresh() {
  JobView view;
  view.Apply(Submitted(10, {{"ps", 1}, {"worker", 2}}));
  return view;
}

TEST(JobView, SubmittedJobIsQueuedWithPendingTasks) {
  const JobView view = Fresh();
  EXPECT_EQ(view.id, "howdah-20261121-000000-abcd");
  EXPECT_EQ(view.user, "ann");
  EXPECT_EQ(view.state, JobState::kQueued);
  EXPECT_EQ(view.submitted, At(10));
  EXPECT_EQ(Names(view), (std::vector<std::string>{"ps:0", "worker:0", "worker:1"}));
  EXPECT_EQ(view.tasks[2].state, TaskState::kPending);
}

TEST(JobView, StartedIsFirstRunningTimeAndFinishedIsTheEnd) {
  JobView view = Fresh();
  view.Apply({At(11), JobChange(JobType::kAmStarted, JobState::kStarting)});
  EXPECT_EQ(view.started, std::nullopt);
  view.Apply({At(12), JobChange(JobType::kRunning, JobState::kRunning)});
  view.Apply({At(13), JobChange(JobType::kRecovering, JobState::kRecovering)});
  view.Apply({At(14), JobChange(JobType::kRunning, JobState::kRunning)});
  EXPECT_EQ(view.started, At(12));
  EXPECT_EQ(view.finished, std::nullopt);
  auto end = JobChange(JobType::kFinished, JobState::kFailed);
  end.exit_code = 1;
  end.reason = "worker:1 failed";
  view.Apply({At(15), end});
  EXPECT_EQ(view.finished, At(15));
  EXPECT_EQ(view.exit_code, 1);
}

TEST(JobView, FinalStateSetsFinished) {
  JobView view = Fresh();
  view.Apply({At(15), JobChange(JobType::kFinished, JobState::kKilled)});
  view.Apply({At(16), JobChange(JobType::kRunning, JobState::kRunning)});
  view.Apply({At(17), TaskChange(TaskType::kStarted, "worker", 9, TaskState::kRunning)});
  EXPECT_EQ(view.state, JobState::kKilled);
  EXPECT_EQ(view.tasks.size(), 3u);
}

TEST(JobView, ReasonStaysUntilChangedOrCleared) {
  JobView view = Fresh();
  auto waiting = JobChange(JobType::kWaiting);
  waiting.reason = "waits for memory";
  view.Apply({At(11), waiting});
  view.Apply({At(12), JobChange(JobType::kAmStarted)});
  EXPECT_EQ(view.reason, "waits for memory");
  waiting.reason = "";
  view.Apply({At(13), waiting});
  EXPECT_EQ(view.reason, "");
}

TEST(JobView, TaskViewFollowsTaskFromPendingToItsEnd) {
  JobView view = Fresh();
  auto allocated = TaskChange(TaskType::kAllocated, "worker", 1, TaskState::kAllocated);
  allocated.container = "c7";
  allocated.node = "node7";
  view.Apply({At(11), allocated});
  auto started = TaskChange(TaskType::kStarted, "worker", 1, TaskState::kRunning);
  started.pids = {{4711, 4712}};
  started.ranks = {{2, 3}};
  started.started = At(12);
  view.Apply({At(12), started});
  auto exited = TaskChange(TaskType::kExited, "worker", 1, TaskState::kReady);
  exited.exit = ExitStatus{std::nullopt, 11};
  exited.reason = "it crashed";
  exited.finished = At(13);
  view.Apply({At(13), exited});
  const TaskView& task = *view.Find("worker", 1);
  EXPECT_EQ(task.node, "node7");
  EXPECT_EQ(task.pids, (std::vector<int>{4711, 4712}));
  EXPECT_EQ(task.exit->signal, 11);
  EXPECT_EQ(task.finished, At(13));

  auto ended = TaskChange(TaskType::kExited, "worker", 1, TaskState::kFailed);
  ended.usage = core::Usage{0, 4096, 1.5};
  ended.left_files = core::LeftFiles{.count = 1, .bytes = 7, .names = {"model.pt"}};
  view.Apply({At(13), ended});
  EXPECT_EQ(task.usage, *ended.usage);
  EXPECT_EQ(task.left_files, ended.left_files);

  // A new attempt in the same container clears the old attempt's values, except the ranks and the reason for the new
  // attempt.
  view.Apply({At(14), TaskChange(TaskType::kReady, "worker", 1, TaskState::kReady, 1)});
  EXPECT_EQ(task.attempt, 1);
  EXPECT_TRUE(task.pids.empty());
  EXPECT_EQ(task.exit, std::nullopt);
  EXPECT_EQ(task.finished, std::nullopt);
  EXPECT_EQ(task.left_files, std::nullopt);
  EXPECT_EQ(task.reason, "it crashed");
  EXPECT_EQ(task.container, "c7");
  EXPECT_EQ(task.ranks, (std::vector<int>{2, 3}));

  // The task waits for a container again.
  view.Apply({At(15), TaskChange(TaskType::kPending, "worker", 1, TaskState::kPending, 1)});
  EXPECT_EQ(task.container, "");
  EXPECT_EQ(task.node, "");
  EXPECT_EQ(task.reason, "it crashed");

  JobView killed = view;
  killed.Apply({At(16), TaskChange(TaskType::kStopped, "worker", 1, TaskState::kStopped, 1)});
  EXPECT_EQ(killed.Find("worker", 1)->reason, "");
  view.Apply({At(16), TaskChange(TaskType::kStarted, "worker", 1, TaskState::kRunning, 1)});
  EXPECT_EQ(task.reason, "");
}

// An executor reports the usage of its container, in which one attempt may follow another.
TEST(JobView, CpuTimeOfEarlierContainersIsKept) {
  JobView view = Fresh();
  const auto run = [&](int index, int attempt, const std::string& container, double cpu_seconds) {
    auto started = TaskChange(TaskType::kStarted, "worker", index, TaskState::kRunning, attempt);
    started.container = container;
    view.Apply({At(11), started});
    auto ended = TaskChange(TaskType::kExited, "worker", index, TaskState::kFailed, attempt);
    ended.usage = core::Usage{.cpu_seconds = cpu_seconds};
    view.Apply({At(12), ended});
  };
  const auto all = [&view] {
    double sum = view.earlier_cpu_seconds;
    for (const TaskView& task : view.tasks) sum += task.container_cpu_seconds;
    return sum;
  };
  run(0, 0, "c1", 1.5);
  EXPECT_EQ(all(), 1.5);
  run(0, 1, "c1", 20);
  EXPECT_EQ(all(), 20);
  view.Apply({At(13), TaskChange(TaskType::kPending, "worker", 0, TaskState::kPending, 2)});
  EXPECT_EQ(all(), 20);
  run(0, 2, "c2", 4);
  run(1, 0, "c3", 300);
  run(1, 1, "c4", 1000);
  EXPECT_EQ(all(), 1324);
  view.Apply({At(13), TaskChange(TaskType::kRemoved, "worker", 1, TaskState::kFailed)});
  EXPECT_EQ(all(), 1324);
}

TEST(JobView, TensorBoardAdviceIsShownWithoutOtherAdvice) {
  JobView view = Fresh();
  auto change = JobChange(core::JobChanged::Type::kTensorboard);
  change.advice = "pip install tensorboard";
  view.Apply({At(1), change});
  change = JobChange(core::JobChanged::Type::kRunning, core::JobState::kRunning);
  change.advice = "";
  view.Apply({At(2), change});
  EXPECT_EQ(view.advice, "pip install tensorboard");
  change = JobChange(core::JobChanged::Type::kFinished, core::JobState::kFailed);
  change.advice = "more memory";
  view.Apply({At(3), change});
  EXPECT_EQ(view.advice, "more memory");
}

TEST(JobView, ScalingKeepsTasksInOrder) {
  JobView view;
  view.Apply(Submitted(0, {{"worker", 2}, {"ps", 1}}));
  view.Apply({At(1), core::RoleScaled{"worker", 2, 4, "ann"}});
  view.Apply({At(1), TaskChange(TaskType::kPending, "worker", 3, TaskState::kPending)});
  view.Apply({At(1), TaskChange(TaskType::kPending, "worker", 2, TaskState::kPending)});
  EXPECT_EQ(Names(view), (std::vector<std::string>{"worker:0", "worker:1", "worker:2", "worker:3", "ps:0"}));
  view.Apply({At(2), TaskChange(TaskType::kStopped, "worker", 2, TaskState::kStopped)});
  view.Apply({At(2), TaskChange(TaskType::kRemoved, "worker", 2, TaskState::kStopped)});
  view.Apply({At(2), TaskChange(TaskType::kRemoved, "worker", 77, TaskState::kStopped)});
  EXPECT_EQ(Names(view), (std::vector<std::string>{"worker:0", "worker:1", "worker:3", "ps:0"}));
  EXPECT_EQ(view.Find("worker", 2), nullptr);
  EXPECT_EQ(view.Find("watcher", 0), nullptr);
}

TEST(JobView, TasksAreOrderedByRoleAndIndex) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomChanges changes(seed);
    JobView view = Fresh();
    for (int i = 0; i < 60; ++i) {
      const core::JournalEntry entry = changes.Next();
      if (std::holds_alternative<core::TaskChanged>(entry.change)) view.Apply(entry);
      int changes_of_role = 0;
      for (size_t t = 1; t < view.tasks.size(); ++t) {
        const TaskView &before = view.tasks[t - 1], &after = view.tasks[t];
        if (before.role != after.role) ++changes_of_role;
        ASSERT_TRUE(before.role != after.role || before.index < after.index) << seed;
      }
      ASSERT_LE(changes_of_role, 1) << seed;
    }
  }
}

TEST(StatusJson, HasExactlyTheDocumentedShape) {
  JobView view = Fresh();
  EXPECT_EQ(ToJson(view, false),
            R"({"id":"howdah-20261121-000000-abcd","name":"mnist","state":"QUEUED","exit_code":null,"on":"local",)"
            R"("framework":"pytorch","generation":0,"reason":null,"advice":null,"cause":null,)"
            R"("submitted":"2026-11-21T00:00:10.000Z","started":null,"finished":null,"tokens":null,)"
            R"("urls":{"tracking":null,"tensorboard":null}})");
  auto started = TaskChange(TaskType::kStarted, "ps", 0, TaskState::kFailed);
  started.node = "node7";
  started.pids = {{4711}};
  started.exit = ExitStatus{std::nullopt, 11};
  view.Apply({At(12), started});
  view.tasks.resize(1);
  view.tasks[0].usage = {100, 200, 1.5};
  const std::string json = ToJson(view, true);
  EXPECT_EQ(
      json.substr(json.find("\"tasks\""), json.find(",\"account\"") - json.find("\"tasks\"")),
      R"("tasks":[{"role":"ps","index":0,"state":"FAILED","attempt":0,"ready":false,"node":"node7","container":null,)"
      R"("granted":null,"ranks":[],"pids":[4711],"exit_code":null,"signal":"SIGSEGV","reason":null,)"
      R"("started":null,"finished":null,"usage":{"memory_bytes":100,"memory_peak_bytes":200,"cpu_seconds":1.5},)"
      R"("progress":null,)"
      R"("left_files":null,"result_bytes":[]}],"children":[])");
}

TEST(StatusJson, FeedsAreShownIfThereAreAny) {
  JobView view = Fresh();
  EXPECT_EQ(ToJson(view, true).find("\"feeds\""), std::string::npos);
  view.feeds = {{.name = "train",
                 .pass = 1,
                 .rows = 4'000'000'000,
                 .bytes = int64_t{1} << 40,
                 .unix_bytes = 5,
                 .tls_bytes = int64_t{1} << 39,
                 .rows_per_second = 410'000.5,
                 .readers_waited = 0.625,
                 .sources_waited = 0.25,
                 .left_out = 7,
                 .repeated = 8,
                 .sources = 2,
                 .bottleneck = "ranks waited 62 % of the time for the source"},
                {.name = "val"}};
  EXPECT_EQ(FeedsToJson({view.feeds[1]}),
            R"([{"name":"val","pass":0,"rows":0,"bytes":0,"unix_bytes":0,"tls_bytes":0,"rows_per_second":0.0,)"
            R"("readers_waited":0.0,"sources_waited":0.0,"left_out":0,"repeated":0,"sources":0,"bottleneck":null}])");
  const auto read = FromJson(ToJson(view, true));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->feeds, view.feeds);
  EXPECT_EQ(ToJson(view, false).find("\"feeds\""), std::string::npos);
}

TEST(StatusJson, TimeBreakdownHasTheHardware) {
  JobView view = Fresh();
  EXPECT_NE(ToJson(view, true).find(R"("resources":null)"), std::string::npos) << "nothing was granted yet";
  core::ContainerChanged granted{.type = core::ContainerChanged::Type::kGranted, .container = "c0"};
  granted.granted = core::Resources{int64_t{3} << 29, 2, 1, {{"fpga", 4}}};
  view.Apply({At(12), granted});
  view.Apply({At(15), JobChange(JobType::kWaiting)});
  const std::string held = R"({"gpu_seconds":3.0,"memory_gib_seconds":4.5,"vcore_seconds":6.0,"other":{"fpga":12.0}})";
  const std::string none = R"({"gpu_seconds":0.0,"memory_gib_seconds":0.0,"vcore_seconds":0.0,"other":{}})";
  const std::string json = ToJson(view, true);
  std::string expected = R"("resources":{"held":)" + held + R"(,"waiting":)" + held;
  for (const char* bucket : {"localization", "start", "rendezvous", "useful", "lost", "recovering", "tail"}) {
    expected += ",\"" + std::string(bucket) + "\":" + (std::string(bucket) == "lost" ? "null" : none);
  }
  EXPECT_EQ(json.substr(json.find("\"resources\"")),
            expected + R"(,"busy_gpu_seconds":null,"goodput":0.0,"busy":null}}})");
}

TEST(StatusJson, SurvivesARoundTrip) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomChanges changes(seed);
    JobView view = Fresh();
    for (int i = 0; i < 30; ++i) view.Apply(changes.Next());
    const std::string json = ToJson(view, true);
    const auto back = FromJson(json);
    ASSERT_TRUE(back.has_value()) << json;
    EXPECT_EQ(ToJson(*back, true), json);
  }
}

TEST(StatusJson, InvalidJsonIsRejected) {
  for (const char* text : {"", "{}", "[]", "nonsense", R"({"id":"x"})", R"({"id":"x","state":"WELL"})",
                           R"({"id":"x","state":"RUNNING","tasks":[7]})"}) {
    EXPECT_EQ(FromJson(text).has_value(), false) << text;
  }
}

TEST(StatusJson, DeeplyNestedValueIsRejected) {
  constexpr int kDepth = 1'000'000;
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  EXPECT_FALSE(FromJson(R"({"id":"x","state":"RUNNING","account":)" + deep + "}").has_value());
}

// The journal alone is enough to rebuild the status.
TEST(StatusJson, StatusIsUnchangedByAJournalRoundTrip) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    RandomChanges changes(seed);
    JobView direct, through_file;
    for (int i = 0; i < 40; ++i) {
      const core::JournalEntry entry = changes.Next();
      direct.Apply(entry);
      through_file.Apply(*DecodeEntry(EncodeEntry(entry)));
    }
    EXPECT_EQ(ToJson(direct, true), ToJson(through_file, true));
  }
}

}  // namespace
}  // namespace howdah::journal
