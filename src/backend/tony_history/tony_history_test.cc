#include "howdah/backend/tony_history/tony_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "howdah/backend/job_metrics.h"
#include "howdah/compat/tony/history/events.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/ledger.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/temporary_directory.h"
#include "howdah/os/process/clock.h"
#include "howdah/storage/local_files.h"

namespace howdah::backend::tony_history {
namespace {

using compat::tony::history::Event;
using compat::tony::history::FileName;
using compat::tony::history::Setting;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Instant At(int64_t seconds) { return Instant(std::chrono::seconds(1'790'000'000 + seconds)); }

Event TaskEvent(Event::Type type, int64_t seconds, const std::string& status = "") {
  Event event;
  event.type = type;
  event.time = At(seconds);
  event.role = "worker";
  event.host = "node2";
  event.status = status;
  return event;
}

// A history on this machine, as TonY writes it.
class TonyHistoryTest : public testing::Test {
 protected:
  TonyHistoryTest() : directory_(std::move(*os::files::TemporaryDirectory::Make("test"))) {}

  std::string DirectoryOf(const FileName& name, bool moved = false) const {
    return directory_.path() + (moved ? "/finished/2026/09/21/" : "/intermediate/") + name.application;
  }
  void Write(const FileName& name, std::vector<Setting> settings, const std::vector<Event>& events) {
    const std::string directory = DirectoryOf(name);
    ASSERT_TRUE(os::files::RemoveTree(directory).ok());
    ASSERT_TRUE(os::files::MakeDirectories(directory).ok());
    settings.push_back({"tony.worker.instances", "1", "", false});
    const std::string xml = compat::tony::history::WriteConfiguration(settings);
    ASSERT_TRUE(os::files::WriteFileAtomically(directory + "/tony-final.xml", xml, 0644).ok());
    const std::string file = directory + "/" + compat::tony::history::WriteFileName(name);
    ASSERT_TRUE(os::files::WriteFileAtomically(file, *compat::tony::history::WriteEvents(events), 0644).ok());
  }
  TonyHistory Open() const {
    return TonyHistory({.files = storage::OpenLocalFiles(),
                        .location = storage::history::LocationOf(directory_.path()),
                        .user = "Ann-Lee",
                        .interval = std::chrono::milliseconds(20)});
  }

  const FileName running_{"application_1_0001", At(0), std::nullopt, "ann_lee", ""};
  const FileName ended_{"application_1_0001", At(0), At(9), "ann_lee", "SUCCEEDED"};
  const FileName other_{"application_1_0002", At(100), At(200), "bob", "FAILED"};
  const std::vector<Event> started_ = {TaskEvent(Event::Type::kTaskStarted, 1)};
  const std::vector<Setting> named_ = {{"tony.application.name", "mnist", "", false},
                                       {"tony.yarn.queue", "ml", "", false},
                                       {"tony.containers.command", "python3 train.py", "", false}};
  const std::vector<Setting> of_howdah_ = {{compat::tony::history::kJobIdSetting, "application_1_0001", "", false}};

 private:
  os::files::TemporaryDirectory directory_;
};

TEST_F(TonyHistoryTest, JobsOfAllUsersAreListedNewestFirst) {
  Write(ended_, named_, started_);
  Write(other_, named_,
        {TaskEvent(Event::Type::kTaskStarted, 101), TaskEvent(Event::Type::kTaskFinished, 199, "FAILED")});
  TonyHistory history = Open();
  EXPECT_THAT(*history.Jobs(std::nullopt), ElementsAre(JobId{"application_1_0002"}, JobId{"application_1_0001"}));
  EXPECT_EQ(history.Resolve("last")->text, "application_1_0002");
  const auto views = history.List(/*ended_too=*/true, {});
  ASSERT_TRUE(views.ok());
  ASSERT_EQ(views->size(), 2u);
  EXPECT_EQ(views->front().name, "mnist");
  EXPECT_EQ(views->front().on, "tony");
  EXPECT_EQ(views->front().user, "bob");
  EXPECT_THAT(*history.List(/*ended_too=*/false, {}), IsEmpty());
  const auto view = history.Status({"application_1_0002"});
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->reason, "worker:0 failed");
  EXPECT_EQ(view->tasks.at(0).node, "node2");
}

TEST_F(TonyHistoryTest, OwnJobsOfHowdahAreLeftOut) {
  Write(ended_, of_howdah_, started_);
  TonyHistory history = Open();
  EXPECT_THAT(*history.Jobs(std::nullopt), IsEmpty());
  EXPECT_EQ(history.Status({"application_1_0001"}).error().code, ErrorCode::kNotFound);
  FileName of_other = ended_;
  of_other.user = "bob";
  Write(of_other, of_howdah_, started_);
  EXPECT_EQ(Open().Status({"application_1_0001"})->user, "bob");
}

TEST_F(TonyHistoryTest, OwnJobIsLeftOutUntilItsConfigurationCanBeRead) {
  for (const bool ran_with_howdah : {true, false}) {
    Write(ended_, ran_with_howdah ? of_howdah_ : named_, started_);
    const std::string configuration = DirectoryOf(ended_) + "/tony-final.xml", kept = configuration + ".kept";
    ASSERT_EQ(rename(configuration.c_str(), kept.c_str()), 0);
    ASSERT_TRUE(os::files::MakeDirectories(configuration).ok());  // cannot be read as a file
    TonyHistory history = Open();
    EXPECT_THAT(*history.Jobs(std::nullopt), IsEmpty());
    ASSERT_EQ(rmdir(configuration.c_str()), 0);
    ASSERT_EQ(rename(kept.c_str(), configuration.c_str()), 0);
    EXPECT_EQ(history.Jobs(std::nullopt)->size(), ran_with_howdah ? 0u : 1u);
  }
}

TEST_F(TonyHistoryTest, JobIsFoundAfterItsDirectoryWasMoved) {
  Write(ended_, named_, started_);
  TonyHistory history = Open();
  ASSERT_TRUE(history.Status({"application_1_0001"}).ok());
  ASSERT_TRUE(os::files::MakeDirectories(DirectoryOf(ended_, /*moved=*/true)).ok());
  ASSERT_TRUE(os::files::RemoveTree(DirectoryOf(ended_, /*moved=*/true)).ok());
  ASSERT_EQ(rename(DirectoryOf(ended_).c_str(), DirectoryOf(ended_, /*moved=*/true).c_str()), 0);
  EXPECT_TRUE(history.Status({"application_1_0001"}).ok());
}

TEST_F(TonyHistoryTest, JobFileDescribesTheConfiguration) {
  Write(ended_, named_, started_);
  const auto text = Open().JobFile({"application_1_0001"});
  ASSERT_TRUE(text.ok()) << text.error().message;
  const auto spec = jobspec::ReadEffective(*text);
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec->queue, "ml");
  EXPECT_EQ(spec->roles.at(0).name, "worker");
  EXPECT_EQ(spec->roles.at(0).command.shell, "python3 train.py");
}

class Entries final : public backend::FollowSink {
 public:
  void OnEntry(const core::JournalEntry& entry) override { view.Apply(entry), ++count; }
  void OnLog(const backend::LogSource&, std::string_view) override {}
  void OnNote(const std::string& line) override { notes.push_back(line); }
  journal::JobView view;
  int count = 0;
  std::vector<std::string> notes;
};

TEST_F(TonyHistoryTest, FollowDeliversTheJournalToItsEnd) {
  Write(running_, named_, started_);
  TonyHistory history = Open();
  const auto follow = history.FollowJob({"application_1_0001"}, std::nullopt);
  ASSERT_TRUE(follow.ok());
  constexpr int kLimitMillis = 60'000;
  Entries sink;
  const auto read = [&] {
    pollfd readable{(*follow)->fd(), POLLIN, 0};
    ASSERT_EQ(poll(&readable, 1, kLimitMillis), 1);
    (*follow)->Read(sink);
  };
  read();
  EXPECT_EQ(sink.view.state, core::JobState::kRunning);
  EXPECT_FALSE((*follow)->ended());
  const int before = sink.count;
  Write(ended_, named_, started_);
  read();
  EXPECT_EQ(sink.view.state, core::JobState::kSucceeded);
  EXPECT_TRUE((*follow)->ended());
  EXPECT_EQ(sink.count, before + 3) << "the end of the task, the release of its container, and the end of the job";
  EXPECT_THAT(sink.notes, IsEmpty());
}

TEST_F(TonyHistoryTest, WatchReportsAJobOnceAndAgainWhenItEnds) {
  const Instant now = os::process::Clock().Now();
  const FileName fresh{"application_1_0003", now, std::nullopt, "bob", ""};
  FileName done = fresh;
  done.completed = now;
  done.status = "KILLED";
  Write(fresh, named_, started_);
  TonyHistory history = Open();
  const auto watch = history.Watch();
  ASSERT_TRUE(watch.ok());
  EXPECT_THAT(*(*watch)->Changed(), ElementsAre(JobId{"application_1_0003"}));
  Write(done, named_, started_);
  constexpr int kLimitMillis = 60'000;
  pollfd readable{(*watch)->fd(), POLLIN, 0};
  ASSERT_EQ(poll(&readable, 1, kLimitMillis), 1);
  EXPECT_THAT(*(*watch)->Changed(), ElementsAre(JobId{"application_1_0003"}));
}

TEST_F(TonyHistoryTest, NothingCanBeChangedAndTheErrorNamesTheProgram) {
  Write(running_, named_, started_);
  TonyHistory history = Open();
  const JobId id{"application_1_0001"};
  EXPECT_THAT(history.Stop(id, "bob", std::nullopt).error().message,
              HasSubstr("`yarn application -kill application_1_0001`"));
  EXPECT_THAT(history.Submit({}, {}).error().message, HasSubstr("`howdah tony`"));
  EXPECT_THAT(history.Metrics(id, {}).error().message, HasSubstr("`howdah history metrics application_1_0001`"));
  EXPECT_THAT(history.ReadLog(id, {}, std::nullopt, {}).error().message, HasSubstr("`yarn logs"));
  EXPECT_THAT(history.LogSources(id).error().message, HasSubstr("`yarn logs"));
}

}  // namespace
}  // namespace howdah::backend::tony_history
