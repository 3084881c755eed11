// What people see, as text.
#include <gtest/gtest.h>

#include "completion_script.h"
#include "log_request.h"
#include "line_merger.h"
#include "status_text.h"
#include "text_table.h"

namespace howdah::cli {
namespace {

using backend::LogSource;
using backend::LogStream;
using core::JobState;
using core::TaskState;
using JobType = core::JobChanged::Type;
using TaskType = core::TaskChanged::Type;

LogSource Source(const std::string& role, int index, LogStream stream = LogStream::kStdout, int attempt = 0) {
  return {role, index, attempt, 0, stream};
}

Instant At(int seconds) { return Instant(std::chrono::seconds(1'795'000'000 + seconds)); }

journal::TaskView Task(const std::string& role, int index, TaskState state) {
  journal::TaskView task;
  task.role = role;
  task.index = index;
  task.state = state;
  return task;
}

journal::JobView Job() {
  journal::JobView view;
  view.id = "howdah-1";
  view.name = "mnist";
  view.state = JobState::kRunning;
  view.submitted = At(0);
  view.tasks = {Task("ps", 0, TaskState::kRunning), Task("worker", 0, TaskState::kPending),
                Task("worker", 1, TaskState::kFailed)};
  view.tasks[2].exit = ExitStatus{7, std::nullopt};
  view.tasks[2].started = At(1);
  view.tasks[2].finished = At(3);
  return view;
}

TEST(LineMerger, OnlyWholeLinesEachBehindItsTask) {
  LineMerger merger(LineMerger::Prefix::kTask, false);
  std::string out;
  merger.Add(Source("worker", 0), "one\ntw", out);
  merger.Add(Source("ps", 0), "other\n", out);
  merger.Add(Source("worker", 0), "o\nthree", out);
  merger.Add(Source("worker", 0, LogStream::kStderr), "err", out);
  EXPECT_EQ(out, "worker:0 │ one\nps:0 │ other\nworker:0 │ two\n");
  out.clear();
  merger.Finish(out);
  EXPECT_EQ(out, "worker:0 │ three\nworker:0 │ err\n");
  out.clear();
  merger.Finish(out);
  EXPECT_EQ(out, "");
}

TEST(LineMerger, EmptyLinesStayAndPrefixesMayBeLeftOut) {
  LineMerger merger(LineMerger::Prefix::kNone, false);
  std::string out;
  merger.Add(Source("worker", 0), "\n\na\n", out);
  EXPECT_EQ(out, "\n\na\n");
}

TEST(LineMerger, EndlessLinesAreSplitAt64KiBInWhateverPiecesTheyCome) {
  for (const size_t piece : {size_t{1} << 20, size_t{65536}, size_t{65535}, size_t{1000}}) {
    LineMerger merger(LineMerger::Prefix::kTask, false);
    const std::string text(200'000, 'x');
    std::string out;
    for (size_t at = 0; at < text.size(); at += piece)
      merger.Add(Source("w", 0), std::string_view(text).substr(at, piece), out);
    merger.Finish(out);
    const std::string line = "w:0 │ " + std::string(65536, 'x') + "\n";
    EXPECT_EQ(out, line + line + line + "w:0 │ " + std::string(200'000 - 3 * 65536, 'x') + "\n") << piece;
  }
}

TEST(LineMerger, NothingIsLostOrMixedInAnyPieces) {
  const std::string text = "a\nbb\n\nccc\n";
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    LineMerger merger(LineMerger::Prefix::kNone, false);
    std::string out;
    for (size_t at = 0; at < text.size(); at += piece)
      merger.Add(Source("w", 0), std::string_view(text).substr(at, piece), out);
    EXPECT_EQ(out, text);
  }
}

TEST(TextTable, ColumnsStandBelowEachOtherWhateverIsInThem) {
  EXPECT_EQ(FormatTable({{"A", "B"}, {"\x1b[31mé\x1b[0m", "long"}, {"xyz", ""}}),
            "A    B\n\x1b[31mé\x1b[0m    long\nxyz\n");
  EXPECT_EQ(Clip("abcdef", 4), "abc…\x1b[0m");
  EXPECT_EQ(Clip("abcd", 4), "abcd");
  EXPECT_EQ(OneLine("a\nb\x1b"), "a b ");
}

TEST(StatusText, AJobAndItsTasks) {
  EXPECT_EQ(DescribeJob(Job(), At(5), false),
            "howdah-1  RUNNING\nname         mnist\nsubmitted    2026-11-18 11:06:40\ntook         5.0s\n\n"
            "TASK      STATE    ATTEMPT  NODE  RANK  TIME  USAGE  REASON\n"
            "ps:0      RUNNING  0\n"
            "worker:0  PENDING  0\n"
            "worker:1  FAILED   0                    2.0s         exit code 7\n");
}

TEST(StatusText, ALargeJobIsCountedByRoleInTheLiveTable) {
  const auto few = LiveTable(Job(), At(5), 80, 10, false);
  ASSERT_EQ(few.size(), 4u);
  EXPECT_EQ(few[0], "mnist  RUNNING  5.0s");
  const auto many = LiveTable(Job(), At(5), 80, 3, false);
  ASSERT_EQ(many.size(), 3u);
  EXPECT_EQ(many[2], "worker  2 tasks: 1 PENDING, 1 FAILED");
  for (const std::string& line : LiveTable(Job(), At(5), 10, 10, true)) EXPECT_LE(WidthOf(line), 10u);
}

TEST(StatusText, ProgressSaysWhatMattersOnce) {
  core::JobChanged running;
  running.type = JobType::kRunning;
  EXPECT_EQ(ProgressLine({At(0), running}, JobState::kStarting, JobState::kRunning), "11:06:40.000  RUNNING");
  core::TaskChanged exited;
  exited.type = TaskType::kExited;
  exited.role = "worker";
  exited.state = TaskState::kReady;
  exited.exit = ExitStatus{7, std::nullopt};
  EXPECT_EQ(ProgressLine({At(0), exited}, JobState::kRunning, JobState::kRunning),
            "11:06:40.000  worker:0 ended with exit code 7, attempt 0; it starts again");
  exited.exit = ExitStatus{0, std::nullopt};
  EXPECT_EQ(ProgressLine({At(0), exited}, JobState::kRunning, JobState::kRunning), std::nullopt);
  core::JobChanged finished;
  finished.type = JobType::kFinished;
  EXPECT_EQ(ProgressLine({At(0), finished}, JobState::kRunning, JobState::kFailed), std::nullopt);
}

TEST(StatusText, ExitCodes) {
  journal::JobView view;
  const std::pair<JobState, int> expected[] = {
      {JobState::kSucceeded, 0}, {JobState::kFailed, 1}, {JobState::kKilled, 4}};
  for (const auto& [state, code] : expected) {
    view.state = state;
    EXPECT_EQ(ExitCodeOf(view), code);
  }
  view.exit_code = 3;  // the gang did not come together
  EXPECT_EQ(ExitCodeOf(view), 3);
}

TEST(LogChoice, RolesAndTasksThatAreThere) {
  Arguments arguments;
  arguments.task = "worker:1";
  arguments.want_stderr = true;
  const auto selection = SelectLogs(arguments, Job());
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(selection->role, "worker");
  EXPECT_EQ(selection->index, 1);
  EXPECT_FALSE(selection->want_stdout);
  EXPECT_TRUE(HaveEnded(Job(), *selection));
  for (const char* task : {"worker:2", "wroker", "worker:", "worker:x", ":0", "worker:1x"}) {
    arguments.task = task;
    const auto wrong = SelectLogs(arguments, Job());
    ASSERT_FALSE(wrong.ok()) << task;
    EXPECT_EQ(wrong.error().code, ErrorCode::kUsage);
    EXPECT_NE(wrong.error().message.find("ps:0, worker:0, worker:1"), std::string::npos);
  }
}

TEST(LogChoice, TheNewestAttemptUnlessAnotherIsNamed) {
  const std::vector<LogSource> all = {Source("w", 0), Source("w", 0, LogStream::kStderr),
                                      Source("w", 0, LogStream::kStdout, 1), Source("w", 1)};
  backend::LogSelection selection;
  EXPECT_EQ(ChooseSources(all, selection)->size(), 2u);
  selection.attempt = 0;
  selection.index = 0;
  EXPECT_EQ(ChooseSources(all, selection)->size(), 2u);
  selection.attempt = 2;
  const auto none = ChooseSources(all, selection);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "attempt 2 has no output; there are attempts 0, 1");
}

TEST(Completion, NamesEveryCommand) {
  const auto commands = Grammar().Commands();
  EXPECT_EQ(commands.size(), 21u);
  for (const auto& command : commands) {
    for (const auto& script : {BashScript(commands), ZshScript(commands), FishScript(commands)}) {
      EXPECT_NE(script.find(command.name), std::string::npos) << command.name;
    }
  }
}

}  // namespace
}  // namespace howdah::cli
