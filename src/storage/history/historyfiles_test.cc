#include <gtest/gtest.h>

#include "howdah/storage/history/keep.h"
#include "howdah/storage/history/read.h"
#include "howdah/storage/history/write.h"
#include "test_files.h"

namespace howdah::storage::history {
namespace {

using core::JobChanged;
using core::JobState;
using Names = std::vector<std::string>;

constexpr char kId[] = "application_1700000000000_0001";
Instant At(int64_t seconds) { return Instant(std::chrono::seconds(1559155036 + seconds)); }  // 2019-05-29T18:37:16Z

core::JournalEntry Entry(int64_t seconds, JobChanged::Type type, JobState state) {
  JobChanged change;
  change.type = type;
  change.state = state;
  return {At(seconds), change};
}

core::JournalEntry Submitted() {
  return {At(-60), core::JobSubmitted{kId, "mnist", "yarn", "plain", "Ann-Lee", "", {{"worker", 1}}}};
}

jobspec::JobSpec Spec() {
  jobspec::JobSpec spec;
  spec.name = "mnist";
  spec.tony_history = "hdfs://ns1/tony";
  return spec;
}

const std::string kJob = std::string("/tony/intermediate/") + kId;
const std::string kName = std::string(kId) + "-1559155036000-";

TEST(Writing, JobIsInProgressUntilItEnds) {
  MemoryFiles files;
  const jobspec::JobSpec spec = Spec();
  std::vector<core::JournalEntry> journal = {Submitted()};
  ASSERT_TRUE(Begin(files, {spec, journal, {"node1", ""}}, At(0)).ok());
  EXPECT_EQ(files.Names(), (Names{kJob + "/" + kName + "ann_lee.jhist.inprogress", kJob + "/tony-final.xml"}));
  // A later application master must leave this changed file as it is.
  files.files[kJob + "/tony-final.xml"] += " ";
  const auto before = files.files;
  ASSERT_TRUE(Begin(files, {spec, journal, {"node2", ""}}, At(7)).ok());
  EXPECT_EQ(files.files, before);

  journal.push_back(Entry(1, JobChanged::Type::kAmStarted, JobState::kStarting));
  journal.push_back(Entry(9, JobChanged::Type::kFinished, JobState::kKilled));
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(End(files, {spec, journal, {"node1", ""}}).ok());
    EXPECT_EQ(files.Names(),
              (Names{kJob + "/" + kName + "1559155045000-ann_lee-KILLED.jhist", kJob + "/tony-final.xml"}));
  }
  const auto found = Scan(files, LocationOf("/tony"), std::nullopt);
  ASSERT_TRUE(found.ok() && found->jobs.size() == 1);
  EXPECT_EQ(compat::tony::history::ValueOf(*ReadConfiguration(files, found->jobs.front()), "howdah.user"), "Ann-Lee");
  const auto events = ReadEvents(files, found->jobs.front());
  ASSERT_TRUE(events.ok());
  ASSERT_EQ(events->events.size(), 2u);
  EXPECT_EQ(events->events[0].host, "node1");
}

// The order matters, because the client and the application master may both write the end, and either may die at any
// step.
TEST(Writing, ConfigurationIsWrittenFirstAndTheFinalEventFileLast) {
  MemoryFiles files;
  const jobspec::JobSpec spec = Spec();
  std::vector<core::JournalEntry> journal = {Submitted()};
  ASSERT_TRUE(Begin(files, {spec, journal, {}}, At(0)).ok());
  journal.push_back(Entry(9, JobChanged::Type::kFinished, JobState::kKilled));
  ASSERT_TRUE(End(files, {spec, journal, {}}).ok());
  EXPECT_EQ(files.written, (Names{"tony-final.xml", kName + "ann_lee.jhist.inprogress",
                                  kName + "1559155045000-ann_lee-KILLED.jhist"}));
}

TEST(Writing, FilesThatFailedAtTheStartAreWrittenAtTheEnd) {
  MemoryFiles files;
  files.failing = true;
  const jobspec::JobSpec spec = Spec();
  const std::vector<core::JournalEntry> journal = {Submitted(),
                                                   Entry(0, JobChanged::Type::kAmStarted, JobState::kStarting),
                                                   Entry(9, JobChanged::Type::kFinished, JobState::kSucceeded)};
  const Status begun = Begin(files, {spec, {Submitted()}, {}}, At(0));
  ASSERT_FALSE(begun.ok());
  EXPECT_TRUE(begun.error().message.starts_with("writing the history for TonY's tools to hdfs://ns1/tony: "));
  EXPECT_FALSE(End(files, {spec, journal, {}}).ok());
  files.failing = false;
  ASSERT_TRUE(End(files, {spec, journal, {}}).ok());
  EXPECT_EQ(files.Names(),
            (Names{kJob + "/" + kName + "1559155045000-ann_lee-SUCCEEDED.jhist", kJob + "/tony-final.xml"}));
}

MemoryFiles SomeJobs() {
  MemoryFiles files;
  const auto add = [&](const std::string& path) { files.files[path] = ""; };
  add("/t/finished/2018/12/31/app_1/app_1-1000-1546300799000-ann-SUCCEEDED.jhist");
  add("/t/finished/2019/05/28/app_2/app_2-1559000000000-1559077200000-bob-FAILED.jhist");
  add("/t/finished/2019/05/28/app_2/config.xml");
  add("/t/finished/2019/05/28/app_3/metadata.json");  // has no file of events, so it is not a job
  add("/t/finished/notes/x");
  add("/t/intermediate/app_4/app_4-1559155036000-ann.jhist.inprogress");
  add("/t/intermediate/app_4/app_4-1559155030000-1559155035000-ann-FAILED.jhist");  // written by an earlier AM
  add("/t/intermediate/app_5/app_5-1559155037000-1559155038000-bob-FAILED.jhist");
  return files;
}

TEST(Scanning, EachJobIsFoundByItsNewestFile) {
  MemoryFiles files = SomeJobs();
  const auto texts = [&](std::optional<Instant> since) {
    Names names;
    const auto found = Scan(files, LocationOf("/t"), since);
    if (!found.ok()) return Names{found.error().message};
    for (const Found& job : found->jobs) names.push_back(job.text + (job.moved ? " moved" : ""));
    return names;
  };
  EXPECT_EQ(texts(std::nullopt),
            (Names{"app_5-1559155037000-1559155038000-bob-FAILED.jhist", "app_4-1559155036000-ann.jhist.inprogress",
                   "app_2-1559000000000-1559077200000-bob-FAILED.jhist moved",
                   "app_1-1000-1546300799000-ann-SUCCEEDED.jhist moved"}));
  EXPECT_EQ(texts(At(3600)), (Names{"app_4-1559155036000-ann.jhist.inprogress"}));
  files.failing = true;
  EXPECT_EQ(texts(std::nullopt), (Names{"listing /t/intermediate: the disk is broken"}));
  MemoryFiles nothing;
  EXPECT_TRUE(Scan(nothing, LocationOf("/t"), std::nullopt)->jobs.empty());
}

TEST(Scanning, UnreadableJobIsSkippedAndReported) {
  MemoryFiles files = SomeJobs();
  files.unreadable = {"/t/intermediate/app_4", "/t/finished/2019/05"};
  const auto found = Scan(files, LocationOf("/t"), std::nullopt);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->jobs.size(), 2u);
  const Names problems = {"listing /t/intermediate/app_4: Permission denied",
                          "listing /t/finished/2019/05: Permission denied"};
  EXPECT_EQ(found->problems, problems);
  const auto moved = Move(
      files, LocationOf("/t"), [](Instant) { return Duration(0); },
      [](const std::string& id) { return Result<journal::JobView>(Failed("no " + id)); }, Mode::kApply);
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(moved->lines.size(), 1u);
  EXPECT_EQ(moved->problems, Names{problems[0]});
}

TEST(Scanning, LargeConfigurationIsRefused) {
  MemoryFiles files = SomeJobs();
  const std::string path = "/t/intermediate/app_5/tony-final.xml";
  files.files[path] = "<configuration>" + std::string(1 << 20, ' ') + "</configuration>";
  const auto found = Scan(files, LocationOf("/t"), std::nullopt);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(ReadConfiguration(files, found->jobs.front()).error().message, "reading " + path + ": it is too large");
}

Result<journal::JobView> NoJobIsKnown(const std::string& id) { return Error{ErrorCode::kNotFound, "no " + id}; }

Duration SixHours(Instant) { return std::chrono::hours(6); }

TEST(Moving, JobIsMovedToLocalDayOfItsEnd) {
  MemoryFiles files = SomeJobs();
  const auto before = files.Names();
  EXPECT_EQ(
      Move(files, LocationOf("/t"), SixHours, NoJobIsKnown, Mode::kDryRun)->lines,
      (Names{
          "moved /t/intermediate/app_5 to /t/finished/2019/05/30/app_5",
          "left /t/intermediate/app_4: its history is in progress, and it is not known whether the job still runs"}));
  EXPECT_EQ(files.Names(), before);
  files.files["/t/intermediate/app_5/.left"] = "half a fi";
  const auto done = Move(files, LocationOf("/t"), SixHours, NoJobIsKnown, Mode::kApply);
  ASSERT_TRUE(done.ok() && done->problems.empty());
  EXPECT_FALSE(files.files.contains("/t/finished/2019/05/30/app_5/.left"));
  EXPECT_TRUE(files.files.contains("/t/finished/2019/05/30/app_5/app_5-1559155037000-1559155038000-bob-FAILED.jhist"));
  EXPECT_TRUE(files.files.contains("/t/intermediate/app_4/app_4-1559155036000-ann.jhist.inprogress"));
}

TEST(Moving, EndMissingInTheHistoryIsTakenFromTheStatus) {
  MemoryFiles files = SomeJobs();
  files.files["/t/intermediate/app_4/tony-final.xml"] =
      "<configuration><property><name>howdah.job.id</name><value>howdah-4</value></property></configuration>";
  files.files.erase("/t/intermediate/app_4/app_4-1559155030000-1559155035000-ann-FAILED.jhist");
  std::string asked;
  journal::JobView view;
  const auto status_of = [&](const std::string& id) -> Result<journal::JobView> {
    asked = id;
    return view;
  };
  view.state = JobState::kRunning;
  EXPECT_EQ(Move(files, LocationOf("/t"), SixHours, status_of, Mode::kApply)->lines.size(), 1u);
  EXPECT_EQ(asked, "howdah-4");
  view.state = JobState::kKilled;
  view.finished = At(9);
  EXPECT_EQ(Move(files, LocationOf("/t"), SixHours, status_of, Mode::kApply)->lines,
            (Names{"renamed /t/intermediate/app_4/app_4-1559155036000-ann.jhist.inprogress to "
                   "app_4-1559155036000-1559155045000-ann-KILLED.jhist",
                   "moved /t/intermediate/app_4 to /t/finished/2019/05/30/app_4"}));
  EXPECT_TRUE(files.files.contains("/t/finished/2019/05/30/app_4/app_4-1559155036000-1559155045000-ann-KILLED.jhist"));
}

TEST(Purging, OldDaysAndOldJobsAreRemoved) {
  const auto utc = [](Instant) { return Duration(0); };
  const Instant day = *compat::tony::history::EndOfDay("2019/05/28");
  for (const auto& [before, gone] : std::vector<std::pair<Instant, Names>>{
           {day - Duration(1), {"removed /t/finished/2018/12/31"}},
           {day, {"removed /t/finished/2018/12/31", "removed /t/finished/2019/05/28"}}}) {
    MemoryFiles files = SomeJobs();
    for (const char* job : {"app_4", "app_5"}) files.modified[std::string("/t/intermediate/") + job] = day;
    EXPECT_EQ(Purge(files, LocationOf("/t"), before, utc, NoJobIsKnown, Mode::kDryRun)->lines, gone);
    EXPECT_EQ(files.Names(), SomeJobs().Names());
    EXPECT_EQ(Purge(files, LocationOf("/t"), before, utc, NoJobIsKnown, Mode::kApply)->lines, gone);
    EXPECT_EQ(files.files.size(), before < day ? 7u : 4u);
    EXPECT_TRUE(files.files.contains("/t/finished/notes/x"));
  }
}

TEST(Purging, RunningJobsAreKept) {
  MemoryFiles files = SomeJobs();
  const auto utc = [](Instant) { return Duration(0); };
  journal::JobView running;
  running.state = JobState::kRunning;
  const auto status_of = [&](const std::string& id) -> Result<journal::JobView> {
    if (id == "app_4") return running;
    return Error{ErrorCode::kNotFound, ""};
  };
  EXPECT_EQ(Purge(files, LocationOf("/t"), At(86400), utc, status_of, Mode::kApply)->lines.back(),
            "removed /t/intermediate/app_5");
  EXPECT_TRUE(files.files.contains("/t/intermediate/app_4/app_4-1559155036000-ann.jhist.inprogress"));
}

}  // namespace
}  // namespace howdah::storage::history
