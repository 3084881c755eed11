#include "local_follow.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "job_fixture.h"
#include "orphaned_job.h"

namespace howdah::backend::local {
namespace {

using backend::LogSelection;
using backend::LogSource;
using backend::LogStream;

constexpr int kDeadlineMillis = 60'000;

class Collect final : public backend::FollowSink {
 public:
  void OnEntry(const core::JournalEntry& entry) override { entries.push_back(entry); }
  void OnNote(const std::string& line) override { ADD_FAILURE() << line; }
  void OnLog(const LogSource& source, std::string_view bytes) override {
    of_this_read += bytes.size();
    if (count_only) {
      counts[source] += bytes.size();
    } else {
      logs[source] += bytes;
    }
  }
  std::vector<core::JournalEntry> entries;
  std::map<LogSource, std::string> logs;
  std::map<LogSource, size_t> counts;
  size_t of_this_read = 0;
  bool count_only = false;
};

// Polls the follow's descriptor and reads until `done` returns true.
template <typename Done>
void ReadUntil(LocalFollow& follow, Collect& sink, const Done& done) {
  while (!done()) {
    pollfd wanted{follow.fd(), POLLIN, 0};
    ASSERT_EQ(poll(&wanted, 1, kDeadlineMillis), 1) << "nothing to read, entries: " << sink.entries.size();
    sink.of_this_read = 0;
    follow.Read(sink);
    ASSERT_LE(sink.of_this_read, size_t{1} << 20);
  }
}

void ReadToTheEnd(LocalFollow& follow, Collect& sink) {
  ReadUntil(follow, sink, [&] { return follow.ended(); });
}

std::unique_ptr<LocalFollow> StartAt(JobFixture& job, std::optional<LogSelection> logs, Duration poll_for) {
  auto follow = LocalFollow::Start(
      job.files(), std::move(logs), [&job] { EXPECT_TRUE(EndOrphanedJob(job.files(), job.id()).ok()); }, poll_for);
  EXPECT_TRUE(follow.ok());
  return std::move(*follow);
}

constexpr Duration kInotifyOnly{0}, kPollingOnly = std::chrono::hours(1), kBoth = std::chrono::milliseconds(2);

class Follow : public testing::TestWithParam<Duration> {
 protected:
  static std::unique_ptr<LocalFollow> Start(JobFixture& job, std::optional<LogSelection> logs = LogSelection()) {
    return StartAt(job, std::move(logs), GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(, Follow, testing::Values(kInotifyOnly, kPollingOnly, kBoth), [](const auto& info) {
  return info.param == kInotifyOnly ? "Inotify" : info.param == kPollingOnly ? "Polling" : "PollingThenInotify";
});

LogSource Source(const std::string& role, int index, int attempt = 0, LogStream stream = LogStream::kStdout,
                 int rank = 0) {
  return {role, index, attempt, rank, stream};
}

TEST_P(Follow, JournalAndOutputOfEndedJobAreDelivered) {
  JobFixture job;
  job.Log("worker-0/0", "stdout", "one\ntwo");
  job.Log("worker-0/0", "stderr", "oh\n");
  job.Log("worker-1/1/3", "stdout", "rank three\n");
  job.Finish();
  const auto follow = Start(job);
  Collect sink;
  ReadToTheEnd(*follow, sink);
  ASSERT_EQ(sink.entries.size(), 2u);
  EXPECT_EQ(sink.logs.size(), 3u);
  EXPECT_EQ(sink.logs[Source("worker", 0)], "one\ntwo");
  EXPECT_EQ(sink.logs[Source("worker", 0, 0, LogStream::kStderr)], "oh\n");
  EXPECT_EQ(sink.logs[Source("worker", 1, 1, LogStream::kStdout, 3)], "rank three\n");
}

TEST_P(Follow, WithoutSelectionOnlyTheJournalIsDelivered) {
  JobFixture job;
  job.Log("worker-0/0", "stdout", "one\n");
  job.Finish();
  const auto follow = Start(job, std::nullopt);
  Collect sink;
  ReadToTheEnd(*follow, sink);
  EXPECT_EQ(sink.entries.size(), 2u);
  EXPECT_TRUE(sink.logs.empty());
}

TEST_P(Follow, OnlySelectedLogsAreDelivered) {
  JobFixture job;
  for (const char* attempt : {"worker-0/0", "worker-0/1", "worker-1/0", "ps-0/0"}) {
    job.Log(attempt, "stdout", "out\n");
    job.Log(attempt, "stderr", "err\n");
  }
  job.Finish();
  LogSelection selection;
  selection.role = "worker";
  selection.index = 0;
  selection.attempt = 1;
  selection.want_stdout = false;
  const auto follow = Start(job, selection);
  Collect sink;
  ReadToTheEnd(*follow, sink);
  ASSERT_EQ(sink.logs.size(), 1u);
  EXPECT_EQ(sink.logs.begin()->first, Source("worker", 0, 1, LogStream::kStderr));
}

TEST_P(Follow, TailSkipsOutputThatExistsAtTheStart) {
  JobFixture job;
  const os::files::Fd lock = job.HoldLock();
  const std::string line(3 << 20, 'x');  // longer than one read
  job.Log("worker-0/0", "stdout", "one\ntwo\n" + line + "\nfour");
  job.Log("worker-1/0", "stdout", "only\n");
  LogSelection selection;
  selection.tail_lines = 2;
  const auto follow = Start(job, selection);
  EXPECT_TRUE(follow->starts_at_tail());
  Collect sink;
  const std::string tail = line + "\nfour";
  ReadUntil(*follow, sink, [&] { return sink.logs[Source("worker", 0)].size() >= tail.size(); });
  job.Log("worker-0/0", "stdout", "\nfive\nsix\nseven\n");
  job.Log("worker-0/1", "stdout", "a\nb\nc\n");
  job.Finish();
  ReadToTheEnd(*follow, sink);
  EXPECT_TRUE(sink.logs[Source("worker", 0)] == tail + "\nfive\nsix\nseven\n");
  EXPECT_EQ(sink.logs[Source("worker", 1)], "only\n");
  EXPECT_EQ(sink.logs[Source("worker", 0, 1)], "a\nb\nc\n") << "a file that is new";
}

TEST_P(Follow, FilesOutsideTheLayoutAreIgnored) {
  JobFixture job;
  job.Log("worker-0/0", "core.4711", "x");
  job.Log("stray", "stdout", "x");
  job.Log("worker-x/0", "stdout", "x");
  job.Log("worker-0/0/1/2", "stdout", "x");
  job.Finish();
  const auto follow = Start(job);
  Collect sink;
  ReadToTheEnd(*follow, sink);
  EXPECT_TRUE(sink.logs.empty());
}

TEST_P(Follow, LogReplacedByPipeOrLinkIsSkipped) {
  JobFixture job;
  job.Log("worker-0/0", "stderr", "text\n");
  const std::string attempt = job.files().logs() + "/worker-0/0/";
  ASSERT_EQ(mkfifo((attempt + "stdout").c_str(), 0600), 0);
  ASSERT_TRUE(os::files::MakeDirectories(job.files().logs() + "/worker-1/0").ok());
  ASSERT_EQ(symlink((attempt + "stderr").c_str(), (job.files().logs() + "/worker-1/0/stdout").c_str()), 0);
  job.Finish();
  const auto follow = Start(job);
  Collect sink;
  ReadToTheEnd(*follow, sink);
  EXPECT_EQ(sink.logs, (std::map<LogSource, std::string>{{Source("worker", 0, 0, LogStream::kStderr), "text\n"}}));
}

TEST_P(Follow, RoleNameMayHaveDashesAndDigits) {
  JobFixture job;
  job.Log("a-1-2/0", "stdout", "x");
  job.Finish();
  const auto follow = Start(job);
  Collect sink;
  ReadToTheEnd(*follow, sink);
  EXPECT_EQ(sink.logs.begin()->first, Source("a-1", 2));
}

// Directories and files of tasks, attempts and ranks are created and written during the follow. Then the job ends.
TEST_P(Follow, FilesCreatedDuringTheFollowAreDelivered) {
  JobFixture job;
  const os::files::Fd lock = job.HoldLock();
  const auto follow = Start(job);
  constexpr int kTasks = 60, kLines = 50;
  std::thread writer([&] {
    for (int task = 0; task < kTasks; ++task) {
      const std::string attempt =
          "worker-" + std::to_string(task) + "/" + std::to_string(task % 2) + (task % 3 == 0 ? "/1" : "");
      for (int line = 0; line < kLines; ++line) job.Log(attempt, line % 2 == 0 ? "stdout" : "stderr", "a line\n");
    }
    job.Finish();
  });
  Collect sink;
  ReadToTheEnd(*follow, sink);
  writer.join();
  EXPECT_EQ(sink.logs.size(), size_t{kTasks} * 2);
  size_t bytes = 0;
  for (const auto& [source, text] : sink.logs) bytes += text.size();
  EXPECT_EQ(bytes, size_t{kTasks} * kLines * 7);
}

// One more Read after the delivery of an entry is enough to deliver all output that was written before the entry.
TEST_P(Follow, OutputWrittenBeforeAnEntryIsDeliveredByTheNextRead) {
  JobFixture job;
  const os::files::Fd lock = job.HoldLock();
  const auto follow = Start(job);
  Collect sink;
  for (int i = 1; i <= 50; ++i) {
    job.Log("worker-0/0", "stdout", "x");
    job.Append(core::RoleScaled{"worker", i, i + 1, "ann"});
    ReadUntil(*follow, sink, [&] { return sink.entries.size() == static_cast<size_t>(i) + 1; });
    while (follow->Read(sink)) {
    }
    ASSERT_EQ(sink.logs[Source("worker", 0)].size(), static_cast<size_t>(i));
  }
}

TEST_P(Follow, AllOutputOfFastWritersIsDelivered) {
  JobFixture job;
  const os::files::Fd lock = job.HoldLock();
  const auto follow = Start(job);
  constexpr size_t kBlock = size_t{1} << 18, kBlocks = 64;
  std::vector<std::thread> writers;
  for (int task = 0; task < 4; ++task) {
    writers.emplace_back([&job, task] {
      const std::string block(kBlock, 'x');
      for (size_t i = 0; i < kBlocks; ++i) job.Log("worker-" + std::to_string(task) + "/0", "stdout", block);
    });
  }
  std::thread end([&] {
    for (std::thread& writer : writers) writer.join();
    job.Finish();
  });
  Collect sink;
  sink.count_only = true;
  ReadToTheEnd(*follow, sink);
  end.join();
  ASSERT_EQ(sink.counts.size(), 4u);
  for (const auto& [source, bytes] : sink.counts) EXPECT_EQ(bytes, kBlock * kBlocks);
}

TEST(FollowWithInotify, DescriptorIsReadableOnlyWithNewData) {
  JobFixture job;
  const os::files::Fd lock = job.HoldLock();
  const auto follow = StartAt(job, LogSelection(), kInotifyOnly);
  Collect sink;
  while (follow->Read(sink)) {
  }
  pollfd wanted{follow->fd(), POLLIN, 0};
  EXPECT_EQ(poll(&wanted, 1, 0), 0);
  job.Log("worker-0/0", "stdout", "x");
  EXPECT_EQ(poll(&wanted, 1, kDeadlineMillis), 1);
}

TEST_P(Follow, IncompleteAndUnknownLinesAreSkipped) {
  JobFixture job;
  const os::files::Fd lock = job.HoldLock();
  job.AppendText("{\"time\":\"2026-11-21T06:45:12.301Z\",\"type\":\"JobTeleported\"}\n{\"time\":\"20");
  const auto follow = Start(job);
  Collect sink;
  while (follow->Read(sink)) {
  }
  EXPECT_EQ(sink.entries.size(), 1u);
  job.AppendText("\n");
  job.Finish();
  ReadToTheEnd(*follow, sink);
  EXPECT_EQ(sink.entries.size(), 2u);
}

// The process that holds am.lock is killed. The follow records the end of the job.
TEST_P(Follow, EndOfOrphanedJobIsRecordedAndDelivered) {
  JobFixture job;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t am = fork();
  if (am == 0) {
    const os::files::Fd lock = job.HoldLock();
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto follow = Start(job);
  Collect sink;
  while (follow->Read(sink)) {
  }
  EXPECT_FALSE(follow->ended());
  kill(am, SIGKILL);
  ReadToTheEnd(*follow, sink);
  waitpid(am, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  journal::JobView view;
  for (const auto& entry : sink.entries) view.Apply(entry);
  EXPECT_EQ(view.state, core::JobState::kFailed);
  EXPECT_EQ(view.exit_code, 1);
  EXPECT_NE(view.reason.find("the application master (attempt 0) and its guardian died"), std::string::npos)
      << view.reason;
  for (const auto& task : view.tasks) EXPECT_EQ(task.state, core::TaskState::kStopped);
}

TEST_P(Follow, DeletedJobEndsTheFollow) {
  JobFixture job;
  const os::files::Fd lock = job.HoldLock();
  const auto follow = Start(job);
  Collect sink;
  while (follow->Read(sink)) {
  }
  ASSERT_TRUE(os::files::RemoveTree(job.files().directory()).ok());
  ReadToTheEnd(*follow, sink);
  EXPECT_EQ(sink.entries.size(), 1u);
}

}  // namespace
}  // namespace howdah::backend::local
