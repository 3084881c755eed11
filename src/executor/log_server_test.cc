// Tests how the executor serves the task's logs: reports of growth, pieces, and the wait for readers before the exit.
#include "log_server.h"

#include <gmock/gmock.h>

#include "log_files.h"
#include "task_fixture.h"

namespace howdah::executor {
namespace {

using testing::ElementsAre;

void Watch(Task& task, bool on) {
  wire::ToExecutor message;
  message.mutable_watch_logs()->set_on(on);
  task.Send(message);
}

wire::LogData Pull(Task& task, int attempt, int rank, bool is_stderr, int64_t offset, int max, bool tail = false) {
  wire::ToExecutor message;
  wire::PullLog& pull = *message.mutable_pull_log();
  pull.set_tag(42);
  pull.mutable_file()->set_attempt(attempt);
  pull.mutable_file()->set_local_rank(rank);
  pull.mutable_file()->set_is_stderr(is_stderr);
  pull.set_offset(offset);
  pull.set_max(max);
  pull.set_tail(tail);
  task.Send(message);
  for (;;) {
    const auto answer = task.Receive();
    if (!answer) return {};
    if (!answer->has_log_data()) continue;
    EXPECT_EQ(answer->log_data().tag(), 42u);
    return answer->log_data();
  }
}

// Waits until the reported size of a stream is at least `wanted`, and returns that size.
int64_t AwaitSize(Task& task, bool is_stderr, int64_t wanted) {
  for (;;) {
    const auto message = task.Receive();
    if (!message) return -1;
    if (!message->has_log_sizes()) continue;
    for (const wire::LogFileSize& size : message->log_sizes().sizes()) {
      if (size.file().is_stderr() == is_stderr && size.size() >= wanted) return size.size();
    }
  }
}

std::vector<int64_t> SizesOf(const google::protobuf::RepeatedPtrField<wire::LogFileSize>& logs) {
  std::vector<int64_t> sizes;
  for (const wire::LogFileSize& log : logs) sizes.push_back(log.size());
  return sizes;
}

TEST(Logs, GrowthIsReportedWhileWatched) {
  Task task("echo one; until [ -e go ]; do sleep 0.01; done; echo two >&2; until [ -e end ]; do sleep 0.01; done");
  task.Start(0);
  task.ReceiveStarted();
  Watch(task, true);
  const auto all = task.Receive();
  ASSERT_TRUE(all && all->has_log_sizes());
  EXPECT_TRUE(all->log_sizes().all());
  EXPECT_EQ(all->log_sizes().sizes_size(), 2);
  if (all->log_sizes().sizes(0).size() < 4) {
    EXPECT_EQ(AwaitSize(task, false, 4), 4);
  }
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/go", "").ok());
  EXPECT_EQ(AwaitSize(task, true, 4), 4);
  Watch(task, false);
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/end", "").ok());
  EXPECT_EQ(task.ReceiveExit().code(), 0) << "logs are not reported any more";
}

TEST(Logs, PiecesOfEveryAttemptCanBePulled) {
  Task task("echo attempt $HOWDAH_ATTEMPT; echo error >&2");
  task.RunAttempt(0);
  task.RunAttempt(1);
  EXPECT_EQ(Pull(task, 0, 0, false, 0, 100).bytes(), "attempt 0\n");
  const wire::LogData piece = Pull(task, 1, 0, false, 2, 3);
  EXPECT_EQ(piece.bytes(), "tem");
  EXPECT_EQ(piece.offset(), 2);
  EXPECT_EQ(piece.size(), 10);
  EXPECT_EQ(Pull(task, 1, 0, true, 0, 100).bytes(), "error\n");
  const wire::LogData tail = Pull(task, 1, 0, false, 0, 2, true);
  EXPECT_EQ(tail.bytes(), "1\n");
  EXPECT_EQ(tail.offset(), 8);
  for (const wire::LogData& nothing :
       {Pull(task, 2, 0, false, 0, 100), Pull(task, 0, 1, false, 0, 100), Pull(task, -1, 0, false, 0, 100),
        Pull(task, 0, -1, false, 0, 100), Pull(task, 0, 0, false, 10, 100), Pull(task, 0, 0, false, -5, 100),
        Pull(task, 0, 0, false, INT64_MAX, 100), Pull(task, 0, 0, false, INT64_MIN, 100),
        Pull(task, 0, 0, false, 0, -1)}) {
    EXPECT_EQ(nothing.bytes(), "") << Shown(nothing);
  }
}

TEST(Logs, PieceIsAtMost64KiB) {
  Task task("head -c 200000 /dev/zero");
  task.RunAttempt(0);
  EXPECT_EQ(Pull(task, 0, 0, false, 0, 1 << 30).bytes().size(), 64u << 10);
  EXPECT_EQ(Pull(task, 0, 0, false, 0, 1 << 30, true).offset(), 200'000 - (64 << 10));
}

TEST(Logs, NamedPipeInPlaceOfALogDoesNotBlock) {
  Task task("rm ../logs/0/stdout; mkfifo ../logs/0/stdout; touch made; until [ -e end ]; do sleep 0.01; done");
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("made"));
  EXPECT_EQ(Pull(task, 0, 0, false, 0, 100).bytes(), "");
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/end", "").ok());
  EXPECT_EQ(task.ReceiveExit().code(), 0);
}

TEST(Logs, EndOfAttemptReportsSizes) {
  Task task;
  task.role().processes = 2;
  task.role().command.shell = "head -c $((10 + HOWDAH_LOCAL_RANK)) /dev/zero; echo e >&2";
  task.Launch();
  task.Start(0);
  task.ReceiveStarted();
  task.ReceiveExit();
  task.ReceiveExit();
  const auto ended = task.Receive();
  ASSERT_TRUE(ended && ended->has_ended());
  EXPECT_THAT(SizesOf(ended->ended().logs()), ElementsAre(10, 2, 11, 2));
  EXPECT_EQ(ended->ended().logs(3).file().local_rank(), 1);
  EXPECT_TRUE(ended->ended().logs(3).file().is_stderr());
}

TEST(Logs, FailedStartReportsSizes) {
  Task task;
  task.role().command.argv = {"no-such-program"};
  task.Launch();
  task.Start(0);
  const auto failed = task.Receive();
  ASSERT_TRUE(failed && failed->has_start_failed());
  EXPECT_THAT(SizesOf(failed->start_failed().logs()), ElementsAre(0, 35)) << task.Log("0/stderr");
}

TEST(Logs, LingeringExecutorServesLogsUntilReleased) {
  Task task("echo last words; until [ -e never ]; do sleep 0.01; done");
  task.Start(0);
  task.ReceiveStarted();
  task.Leave(std::chrono::seconds(600));
  const wire::RankExited exited = task.ReceiveExit();
  EXPECT_EQ(exited.signal(), SIGKILL);
  task.ExpectEnded(0);
  EXPECT_EQ(Pull(task, 0, 0, false, 0, 100).bytes(), task.Log("0/stdout"));
  task.Start(1);  // ignored, because the executor is lingering
  EXPECT_EQ(Pull(task, 0, 0, true, 0, 100).bytes(), "");
  task.Leave();
  EXPECT_EQ(task.Wait(), 0);
}

TEST(Logs, ExecutorLingersAtMostForTheLimit) {
  Task task("true");
  task.RunAttempt(0);
  task.Leave(std::chrono::milliseconds(50));
  EXPECT_EQ(task.Wait(), 0);
}

TEST(Logs, FlatLayoutHasNoDirectories) {
  Task task;
  task.options.flat_logs = true;
  task.role().command.shell = "echo out; echo err >&2";
  task.Launch();
  task.RunAttempt(0);
  task.RunAttempt(1);
  EXPECT_THAT(*os::files::ListDirectory(task.options.logs_dir),
              ElementsAre("attempt-0.stderr", "attempt-0.stdout", "attempt-1.stderr", "attempt-1.stdout"));
  EXPECT_EQ(task.Log("attempt-1.stderr"), "err\n");
  EXPECT_EQ(Pull(task, 1, 0, false, 0, 100).bytes(), "out\n");
}

TEST(Logs, FileNamesDependOnTheLayout) {
  TaskOptions options;
  options.logs_dir = "/l";
  const auto names = [&](int processes) {
    const LogFiles files = LogFilesOf(options, processes, 3, processes - 1);
    return std::vector<std::string>{files.out, files.err, files.error_file};
  };
  EXPECT_THAT(names(1), ElementsAre("/l/3/stdout", "/l/3/stderr", "/l/3/error.json"));
  EXPECT_THAT(names(2), ElementsAre("/l/3/1/stdout", "/l/3/1/stderr", "/l/3/1/error.json"));
  options.flat_logs = true;
  EXPECT_THAT(names(1), ElementsAre("/l/attempt-3.stdout", "/l/attempt-3.stderr", "/l/attempt-3.error.json"));
  EXPECT_THAT(names(2), ElementsAre("/l/attempt-3.rank-1.stdout", "/l/attempt-3.rank-1.stderr",
                                    "/l/attempt-3.rank-1.error.json"));
}

}  // namespace
}  // namespace howdah::executor
