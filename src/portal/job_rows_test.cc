#include "job_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "howdah/client/adviser.h"
#include "live_jobs.h"
#include "live_logs.h"

namespace howdah::portal {
namespace {

using core::TaskChanged;
using core::TaskState;

Instant TimeAt(int seconds) { return *ParseInstant("2026-11-21T06:45:00.000Z") + std::chrono::seconds(seconds); }

// A job with two workers that run on one GPU each.
advice::Facts RunningJob() {
  advice::Facts facts;
  const auto take = [&](int seconds, const core::Change& change) {
    client::TakeEntry(facts, {TimeAt(seconds), change});
  };
  core::JobSubmitted submitted{.id = "howdah-20261121-064500-x7k2", .name = "<b>\xff", .on = "local", .user = "ann"};
  submitted.roles = {{"worker", 2}};
  take(0, submitted);
  for (int i = 0; i < 2; ++i) {
    const std::string container = "c" + std::to_string(i);
    core::ContainerChanged granted{.container = container, .node = "node7"};
    granted.granted = core::Resources{.memory_bytes = int64_t{1} << 30, .vcores = 1, .gpus = 1};
    take(1, granted);
    TaskChanged allocated{.type = TaskChanged::Type::kAllocated, .role = "worker", .index = i};
    allocated.state = TaskState::kAllocated, allocated.container = container, allocated.node = "node7";
    take(1, allocated);
  }
  for (int i = 0; i < 2; ++i) {
    TaskChanged started{.type = TaskChanged::Type::kStarted, .role = "worker", .index = i};
    started.state = TaskState::kRunning, started.started = TimeAt(2);
    take(2, started);
  }
  core::JobChanged running{.type = core::JobChanged::Type::kRunning, .state = core::JobState::kRunning};
  take(2, running);
  for (int i = 0; i < 2; ++i) {
    TaskChanged progressed{.type = TaskChanged::Type::kProgressed, .role = "worker", .index = i};
    progressed.state = TaskState::kRunning;
    progressed.progress = core::TaskProgress{.step = 10 + i, .at = TimeAt(10), .steps = 100};
    take(10, progressed);
  }
  facts.ledger.AdvanceTo(TimeAt(22));
  return facts;
}

TEST(JobRows, RowHasTheFactsOfTheJob) {
  advice::Facts facts = RunningJob();
  facts.spec.queue = "ml";
  facts.spec.tags = {"team-a"};
  const JobRow row = RowOf(facts, /*has_spec=*/true, jobspec::Prices{.currency = "EUR", .usual = {.gpu_hour = 3600}});
  EXPECT_EQ(row.running_tasks, 2);
  EXPECT_EQ(row.tasks, 2);
  EXPECT_EQ(row.gpus, 2);
  EXPECT_EQ(row.queue, "ml");
  EXPECT_EQ(row.nodes, std::vector<std::string>{"node7"});
  ASSERT_TRUE(row.progress);
  EXPECT_EQ(row.progress->step, 10);
  EXPECT_EQ(row.progress->steps, 100);
  ASSERT_TRUE(row.goodput);
  ASSERT_TRUE(row.cost);
  EXPECT_NEAR(*row.cost, 42, 0.01);  // two GPUs from second 1 to 22, 1 EUR per second
}

// The journal of a job that runs from second 2 to second 12.
std::vector<core::JournalEntry> JournalOfShortJob() {
  core::JobSubmitted submitted{.id = "howdah-20261121-064500-x7k2", .name = "short", .on = "local", .user = "ann"};
  submitted.roles = {{"w", 1}};
  core::ContainerChanged granted{.container = "c0", .node = "node7"};
  granted.granted = core::Resources{.memory_bytes = int64_t{1} << 30, .vcores = 1};
  TaskChanged allocated{.type = TaskChanged::Type::kAllocated, .role = "w"};
  allocated.state = TaskState::kAllocated, allocated.container = "c0", allocated.node = "node7";
  TaskChanged started{.type = TaskChanged::Type::kStarted, .role = "w"};
  started.state = TaskState::kRunning, started.started = TimeAt(2);
  const core::JobChanged running{.type = core::JobChanged::Type::kRunning, .state = core::JobState::kRunning};
  const core::JobChanged ended{.type = core::JobChanged::Type::kFinished, .state = core::JobState::kSucceeded};
  return {{TimeAt(0), submitted}, {TimeAt(1), granted}, {TimeAt(1), allocated},
          {TimeAt(2), started},   {TimeAt(2), running}, {TimeAt(12), ended}};
}

TEST(JobRows, JobThatEndsBetweenTheReadsHasTheFiguresOfItsWholeJournal) {
  const auto whole = JournalOfShortJob();
  size_t known = whole.size() - 3;  // the task is allocated
  const auto read = [&](const auto& on_entry) -> Status {
    for (size_t i = 0; i < known; ++i) on_entry(whole[i]);
    return {};
  };
  const auto status = [&]() -> Result<journal::JobView> {
    known = whole.size();
    journal::JobView view;
    for (const core::JournalEntry& entry : whole) view.Apply(entry);
    return view;
  };
  const JobId id{"howdah-20261121-064500-x7k2"};
  const auto raced = ReadFacts(id, {read, status}, TimeAt(60));
  const auto later = ReadFacts(id, {read, status}, TimeAt(90));
  ASSERT_TRUE(raced.ok() && later.ok());
  const JobRow row = RowOf(*raced, /*has_spec=*/false, std::nullopt);
  EXPECT_EQ(row.state, core::JobState::kSucceeded);
  ASSERT_TRUE(row.goodput);
  EXPECT_GT(*row.goodput, 0.5);  // 10 of 11 seconds
  EXPECT_EQ(row.goodput, RowOf(*later, /*has_spec=*/false, std::nullopt).goodput);
}

TEST(JobRows, JobWhoseAmDiedBeforeTheFinalEntryCountsUntilItsEnd) {
  const auto whole = JournalOfShortJob();
  const auto read = [&](const auto& on_entry) -> Status {
    for (size_t i = 0; i + 1 < whole.size(); ++i) on_entry(whole[i]);
    return {};
  };
  const auto status = [&]() -> Result<journal::JobView> {
    journal::JobView view;
    for (const core::JournalEntry& entry : whole) view.Apply(entry);
    view.state = core::JobState::kFailed;
    view.finished = TimeAt(22);
    return view;
  };
  const auto facts = ReadFacts({"howdah-20261121-064500-x7k2"}, {read, status}, TimeAt(1000));
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->job.state, core::JobState::kFailed);
  EXPECT_EQ(facts->ledger.Total().vcores, 21'000'000);  // one vcore from second 1 to 22
}

TEST(JobRows, JsonIsValidWhateverTheNameIs) {
  const JobRow row = RowOf(RunningJob(), /*has_spec=*/false, std::nullopt);
  const auto json = nlohmann::json::parse(RowJson(row, TimeAt(32)));
  EXPECT_EQ(json["name"], "<b>\xef\xbf\xbd");
  EXPECT_EQ(json["user"], "ann");
  EXPECT_EQ(json["tasks"], (nlohmann::json{{"running", 2}, {"total", 2}}));
  EXPECT_EQ(json["took_seconds"], 30.0);
  EXPECT_TRUE(json["queue"].is_null());
  EXPECT_TRUE(json["cost"].is_null());
  EXPECT_TRUE(json["findings"].is_null());
}

TEST(JobRows, CsvHasOneFieldPerTitle) {
  JobRow row = RowOf(RunningJob(), /*has_spec=*/false, std::nullopt);
  row.name = "a b";
  const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  EXPECT_EQ(commas(RowCsv(row, TimeAt(32))), commas(RowCsvTitles()));
  row.reason = "a \"quoted\", long\nreason";
  EXPECT_NE(RowCsv(row, TimeAt(32)).find("\"a \"\"quoted\"\", long reason\"\n"), std::string::npos)
      << RowCsv(row, TimeAt(32));
}

TEST(LiveJobs, EventHasHeadTasksAndEntries) {
  const advice::Facts facts = RunningJob();
  journal::JobView changed = facts.job;
  changed.tasks.resize(1);
  const core::JournalEntry entry{TimeAt(3), core::RoleScaled{"worker", 2, 3, "ann"}};
  const auto json = nlohmann::json::parse(JobEventJson(changed, R"({"user":"ann"})", {"worker:1"}, {{7, entry}}));
  EXPECT_EQ(json["topic"], "job:howdah-20261121-064500-x7k2");
  EXPECT_EQ(json["job"]["state"], "RUNNING");
  EXPECT_EQ(json["job"]["user"], "ann");
  EXPECT_TRUE(json["job"]["account"].is_object());
  EXPECT_FALSE(json["job"].contains("tasks"));
  EXPECT_EQ(json["tasks"].size(), 1U);
  EXPECT_EQ(json["removed_tasks"], nlohmann::json{"worker:1"});
  EXPECT_EQ(json["events"][0]["seq"], 7);
  EXPECT_EQ(json["events"][0]["entry"]["type"], "RoleScaled");
}

TEST(LogTopic, OnlyWholeTopicsAreRead) {
  const LogTopic expected{{"howdah-1"}, {"my-role", 3, 2, 1, backend::LogStream::kStderr}};
  EXPECT_EQ(ParseLogTopic("log:howdah-1/my-role:3/2/1/stderr"), expected);
  for (const char* text :
       {"", "log:", "log:a", "log:a/w:0/0/0", "log:a/w:0/0/0/stdin", "log:a/w/0/0/stdout", "log:a/w:x/0/0/stdout",
        "log:a/w:0/-1/0/stdout", "log:a/w:0/0/0/stdout/", "log:/w:0/0/0/stdout", "log:a/../x:0/0/0/stdout",
        "log:a/.:0/0/0/stdout", "log:a/:0/0/0/stdout", "job:a/w:0/0/0/stdout"})
    EXPECT_EQ(ParseLogTopic(text), std::nullopt) << text;
}

}  // namespace
}  // namespace howdah::portal
