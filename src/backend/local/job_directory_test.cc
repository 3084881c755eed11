// Tests of functions that read a job's directory: journal, ids, and orphaned jobs.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "am_client.h"
#include "job_fixture.h"
#include "job_host.h"
#include "job_ids.h"
#include "job_processes.h"
#include "journal_reader.h"
#include "orphaned_job.h"
#include "submit.h"

namespace howdah::backend::local {
namespace {

core::JobChanged Change(core::JobChanged::Type type, std::optional<core::JobState> state) {
  core::JobChanged change;
  change.type = type;
  change.state = state;
  return change;
}

TEST(Journal, SkippingTaskEntriesKeepsTheJobState) {
  JobFixture job;
  job.Append(Change(core::JobChanged::Type::kRunning, core::JobState::kRunning), 1);
  core::TaskChanged started;
  started.type = core::TaskChanged::Type::kStarted;
  started.role = "worker";
  started.index = 1;
  started.state = core::TaskState::kRunning;
  job.Append(started, 2);
  const auto whole = FoldJournal(job.files().journal(), Tasks::kIncluded);
  const auto brief = FoldJournal(job.files().journal(), Tasks::kSkipped);
  ASSERT_TRUE(whole.ok() && brief.ok());
  EXPECT_EQ(whole->tasks[2].state, core::TaskState::kRunning);
  EXPECT_EQ(brief->tasks[2].state, core::TaskState::kPending);
  EXPECT_EQ(brief->state, core::JobState::kRunning);
  EXPECT_FALSE(HasEndEntry(job.files().journal()));
  job.Finish();
  EXPECT_TRUE(HasEndEntry(job.files().journal()));
}

TEST(Journal, MissingJournalIsNotFound) {
  const auto view = FoldJournal("/nowhere/journal.jsonl", Tasks::kIncluded);
  ASSERT_FALSE(view.ok());
  EXPECT_EQ(view.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(HasEndEntry("/nowhere/journal.jsonl"));
}

TEST(Journal, OverlongLineIsSkipped) {
  JobFixture job;
  job.AppendText(std::string(size_t{40} << 20, 'x') + "\n");
  job.Finish();
  const auto view = FoldJournal(job.files().journal(), Tasks::kIncluded);
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->state, core::JobState::kSucceeded);
}

TEST(AmAddress, DamagedFileIsAnError) {
  JobFixture job;
  for (const char* text : {"", "[]", "{}", R"({"address": 7})", R"({"address": "127.0.0.1:4000")"}) {
    ASSERT_TRUE(os::files::WriteFileAtomically(job.files().am_address(), text).ok());
    EXPECT_FALSE(AmAddress(job.files()).ok()) << text;
  }
  ASSERT_TRUE(os::files::WriteFileAtomically(job.files().am_address(), R"({"address": "127.0.0.1:4000"})").ok());
  const auto address = AmAddress(job.files());
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(*address, "127.0.0.1:4000");
}

TEST(JobIds, LastSelectsTheNewerOfTwoJobsSubmittedInOneSecond) {
  JobFixture job("howdah-20261121-064512-zzzz");
  EXPECT_EQ(ResolveId(job.layout(), "last")->text, "howdah-20261121-064512-zzzz");
  // This job was submitted later within the same second, although its name sorts first.
  const JobFiles later(job.layout().job(JobId{"howdah-20261121-064512-aaaa"}));
  ASSERT_TRUE(os::files::MakeDirectories(later.directory()).ok());
  core::JobSubmitted submitted;
  submitted.id = "howdah-20261121-064512-aaaa";
  ASSERT_TRUE(
      os::files::WriteFileAtomically(later.journal(), journal::EncodeEntry({JobFixture::At(5), submitted}) + "\n")
          .ok());
  EXPECT_EQ(ResolveId(job.layout(), "last")->text, "howdah-20261121-064512-aaaa");
  EXPECT_EQ(JobsNewestFirst(job.layout())->size(), 2u);
  EXPECT_EQ(ResolveId(job.layout(), "howdah-20261121-064512-zzzz")->text, "howdah-20261121-064512-zzzz");
}

TEST(JobIds, ErrorForUnknownIdListsSimilarIds) {
  JobFixture job("howdah-20261121-064512-x7k2");
  for (const char* name : {"howdah-20261121-064512-x7k3", "", "../jobs", ".", "/etc", "Last"}) {
    const auto found = ResolveId(job.layout(), name);
    ASSERT_FALSE(found.ok()) << name;
    EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
    EXPECT_NE(found.error().message.find("did you mean howdah-20261121-064512-x7k2"), std::string::npos);
  }
  const Layout nothing("/nowhere");
  EXPECT_NE(ResolveId(nothing, "last").error().message.find("no job yet"), std::string::npos);
}

// By the time the user reads the error, the job's directory no longer exists.
TEST(Submit, AmThatDoesNotStartIsReportedWithoutNamingARemovedFile) {
  JobFixture home;
  const std::string agent = home.home() + "/agent";
  ASSERT_TRUE(os::files::WriteFileAtomically(agent, "#!/bin/sh\nexec sleep 2\n", 0700).ok());
  jobspec::JobSpec spec;
  spec.name = "mnist";
  const auto id =
      SubmitLocally({home.home(), agent, {{"PATH", "/usr/bin:/bin"}}, std::chrono::milliseconds(50)}, spec, {});
  ASSERT_FALSE(id.ok());
  EXPECT_NE(id.error().message.find("the application master did not start within 50ms"), std::string::npos)
      << id.error().message;
  EXPECT_EQ(id.error().message.find(home.home()), std::string::npos) << id.error().message;
}

TEST(Submit, FilesOfInterruptedSubmissionsAreRemoved) {
  JobFixture home;  // has a journal
  ASSERT_TRUE(WriteJobHost(home.files(), {}).ok());
  const auto begin = [&](const char* id) {
    JobFiles files(home.layout().job(JobId{id}));
    EXPECT_TRUE(os::files::MakeDirectories(files.staging()).ok());
    EXPECT_TRUE(os::files::WriteFileAtomically(files.am_lock(), "").ok());
    return files;
  };
  const JobFiles interrupted = begin("interrupted");
  ASSERT_TRUE(WriteJobHost(interrupted, {}).ok());
  const JobFiles in_progress = begin("in-progress");
  ASSERT_TRUE(WriteJobHost(in_progress, {getpid()}).ok());
  const JobFiles locked = begin("in-progress-in-another-container");
  ASSERT_TRUE(WriteJobHost(locked, {}).ok());
  const auto lock = os::files::FileLock::Wait(locked.am_lock());
  const JobFiles elsewhere = begin("in-progress-elsewhere");
  ASSERT_TRUE(
      os::files::WriteFileAtomically(elsewhere.host(), R"({"host": "another", "boot_id": "b", "processes": []})").ok());
  const JobFiles begun = begin("just-begun");

  const std::string agent = home.home() + "/agent";
  ASSERT_TRUE(os::files::WriteFileAtomically(agent, "#!/bin/sh\nexit 1\n", 0700).ok());
  EXPECT_FALSE(SubmitLocally({.home = home.home(), .agent = agent}, jobspec::JobSpec(), {}).ok());
  EXPECT_EQ(*os::files::ListDirectory(home.layout().jobs()),
            (std::vector<std::string>{home.id().text, "in-progress", "in-progress-elsewhere",
                                      "in-progress-in-another-container", "just-begun"}));
}

TEST(OrphanedJob, JobIsNotEndedWhileItsLockIsHeld) {
  JobFixture job;
  const os::files::Fd lock = job.HoldLock();
  ASSERT_TRUE(EndIfOrphaned(job.files(), job.id()).ok());
  EXPECT_FALSE(HasEndEntry(job.files().journal()));
}

TEST(OrphanedJob, StateOfEndedJobIsKept) {
  JobFixture job;
  job.Finish(core::JobState::kKilled);
  ASSERT_TRUE(EndIfOrphaned(job.files(), job.id()).ok());
  EXPECT_EQ(FoldJournal(job.files().journal(), Tasks::kIncluded)->state, core::JobState::kKilled);
}

TEST(OrphanedJob, EndIsRecordedAfterIncompleteLineAndFilesAreDeleted) {
  JobFixture job;
  job.AppendText("{\"time\":\"2026");
  ASSERT_TRUE(os::files::MakeDirectories(job.files().staging() + "/deep").ok());
  ASSERT_TRUE(os::files::MakeDirectories(job.files().work()).ok());
  ASSERT_TRUE(os::files::WriteFileAtomically(job.files().am_log(), "hello\nterminate called: bad luck\n").ok());
  ASSERT_TRUE(EndIfOrphaned(job.files(), job.id()).ok());
  ASSERT_TRUE(EndIfOrphaned(job.files(), job.id()).ok());
  EXPECT_TRUE(HasEndEntry(job.files().journal()));
  const auto view = FoldJournal(job.files().journal(), Tasks::kIncluded);
  EXPECT_EQ(view->state, core::JobState::kFailed);
  EXPECT_NE(view->reason.find("0 of 3 tasks were running and have been killed, except processes without HOWDAH_JOB_ID"),
            std::string::npos)
      << view->reason;
  EXPECT_NE(view->reason.find("last line of its log: terminate called: bad luck"), std::string::npos) << view->reason;
  EXPECT_NE(access(job.files().staging().c_str(), F_OK), 0);
  EXPECT_NE(access(job.files().work().c_str(), F_OK), 0);
}

// The test starts the process of a task in a session of its own, without a parent that would kill it.
TEST(OrphanedJob, RemainingProcessesAreKilled) {
  JobFixture job("howdah-20261121-064512-kill");
  const std::string mark = "HOWDAH_JOB_ID=" + job.id().text;
  const pid_t task = fork();
  if (task == 0) {
    setsid();
    char* arguments[] = {const_cast<char*>("sleep"), const_cast<char*>("86399"), nullptr};
    char* environment[] = {const_cast<char*>(mark.c_str()), nullptr};
    execve("/bin/sleep", arguments, environment);
    _exit(127);
  }
  // The environment variable appears in /proc only after exec.
  int killed = 0;
  while (killed == 0) killed = KillProcessesOf(job.files(), job.id());
  int status = 0;
  ASSERT_EQ(waitpid(task, &status, 0), task);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(KillProcessesOf(job.files(), job.id()), 0);
}

}  // namespace
}  // namespace howdah::backend::local
