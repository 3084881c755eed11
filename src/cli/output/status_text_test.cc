#include "howdah/cli/output/status_text.h"

#include <gtest/gtest.h>

#include "howdah/cli/output/text_table.h"

namespace howdah::cli::output {
namespace {

using core::JobState;
using core::TaskState;
using JobType = core::JobChanged::Type;
using TaskType = core::TaskChanged::Type;

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

TEST(StatusText, DescribesJobAndTasks) {
  EXPECT_EQ(DescribeJob(Job(), At(5), false),
            "howdah-1  RUNNING\nname         mnist\nsubmitted    2026-11-18 11:06:40\ntook         5.0s\n\n"
            "TASK      STATE    ATTEMPT  NODE  RANK  TIME  USAGE  REASON\n"
            "ps:0      RUNNING  0\n"
            "worker:0  PENDING  0\n"
            "worker:1  FAILED   0                    2.0s         exit code 7\n");
}

TEST(StatusText, ShowsOnlyTheCauseOfTheNewestRestart) {
  journal::JobView view = Job();
  view.time_breakdown.Begin(At(0), 3);
  for (const int generation : {1, 2}) {
    view.time_breakdown.Advance(At(generation));
    view.time_breakdown.OnJob(JobState::kRecovering, generation, "worker:" + std::to_string(generation) + " failed");
  }
  const std::string text = DescribeJob(view, At(5), false);
  EXPECT_NE(text.find("restarted    2026-11-18 11:06:42 because worker:2 failed\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("worker:1 failed"), std::string::npos) << text;
}

TEST(StatusText, LeftFilesAreNamedInOneLineOnceTheJobHasEnded) {
  journal::JobView view = Job();
  view.on = "yarn";
  const std::string begin =
      "; the key `outputs` of the job file, or `run --outputs`, keeps such files, as in outputs: ";
  const std::string keep = begin + "['*.pt']";
  view.tasks[1].left_files = core::LeftFiles{.count = 1, .bytes = 1000, .names = {"model.pt"}};
  EXPECT_EQ(LeftFilesText(view), "") << "it is not known yet which files will be left";
  view.state = JobState::kSucceeded;
  EXPECT_EQ(LeftFilesText(view), "worker:0 left model.pt (1000 B) in its working directory, which is removed" + keep);
  view.tasks[1].left_files = core::LeftFiles{.count = 4, .bytes = 3 << 20, .names = {"b/c.pt", "a"}};
  view.tasks[2].left_files = core::LeftFiles{.count = 1, .bytes = 7, .names = {"a"}};
  EXPECT_EQ(LeftFilesText(view),
            "worker:0 left b/c.pt, a and 2 more files (3 MiB) in its working directory, which is removed, and 1 more "
            "task left files" +
                begin + "[b/]");
  view.on = "local";
  view.tasks[0].left_files = core::LeftFiles{.count = 2, .bytes = 5};
  EXPECT_EQ(LeftFilesText(view),
            "ps:0 left 2 files (5 B) in its working directory, which is removed, and 2 more tasks left files" + begin +
                "['*.pt', out/]; `run --keep` keeps the directories");
  EXPECT_NE(DescribeJob(view, At(5), false).find("left files   ps:0 left 2 files"), std::string::npos);
  for (journal::TaskView& task : view.tasks) task.left_files.reset();
  EXPECT_EQ(LeftFilesText(view), "");
}

TEST(StatusText, LeftFilesBesideTheWorkingDirectoryNeedAnAbsolutePath) {
  journal::JobView view = Job();
  view.on = "yarn";
  view.state = JobState::kSucceeded;
  view.tasks[1].left_files = core::LeftFiles{.count = 1, .bytes = 7, .names = {"../data/a"}};
  const std::string absolute = "; write files outside the working directory (../) to an absolute path";
  EXPECT_EQ(LeftFilesText(view),
            "worker:0 left ../data/a (7 B) beside its working directory, where files are removed, too" + absolute);
  view.tasks[1].left_files = core::LeftFiles{.count = 2, .bytes = 8, .names = {"../data/a", "b/c.pt"}};
  EXPECT_EQ(LeftFilesText(view),
            "worker:0 left ../data/a, b/c.pt (8 B) in its working directory, which is removed; the key `outputs` of "
            "the job file, or `run --outputs`, keeps such files, as in outputs: [b/]" +
                absolute);
}

TEST(StatusText, ExampleOfOutputsKeepsTheFileThatItIsAbout) {
  const std::pair<std::string, std::string> rows[] = {
      {"model.pt", "outputs: ['*.pt']"},      {"log.tar.gz", "outputs: ['*.gz']"},
      {"out/ckpt.pt", "outputs: [out/]"},     {"runs/a/b/events.1", "outputs: [runs/]"},
      {"Makefile", "outputs: ['Makefile']"},  {".history", "outputs: ['.history']"},
      {"it's.pt", "outputs: ['*.pt', out/]"}, {"[a]/x", "outputs: ['*.pt', out/]"},
  };
  for (const auto& [name, outputs] : rows) {
    journal::JobView view = Job();
    view.on = "yarn";
    view.state = JobState::kSucceeded;
    view.tasks[0].left_files = core::LeftFiles{.count = 1, .bytes = 1, .names = {name}};
    EXPECT_TRUE(LeftFilesText(view).ends_with("as in " + outputs)) << LeftFilesText(view);
  }
}

TEST(StatusText, LiveTableOfLargeJobHasOneLinePerRole) {
  const auto few = LiveTable(Job(), At(5), 80, 10, false);
  ASSERT_EQ(few.size(), 4u);
  EXPECT_EQ(few[0], "mnist  RUNNING  5.0s");
  const auto many = LiveTable(Job(), At(5), 80, 3, false);
  ASSERT_EQ(many.size(), 3u);
  EXPECT_EQ(many[2], "worker  2 tasks: 1 PENDING, 1 FAILED");
  for (const std::string& line : LiveTable(Job(), At(5), 10, 10, true)) EXPECT_LE(WidthOf(line), 10u);
}

TEST(StatusText, LiveTableShowsStepAndMemory) {
  journal::JobView view = Job();
  const auto at_step = [](int64_t step) { return core::TaskProgress{.step = step, .checkpoint = {}, .at = At(2)}; };
  view.tasks[1].state = view.tasks[2].state = TaskState::kRunning;
  view.tasks[1].progress = at_step(120);
  view.tasks[2].progress = at_step(110);
  view.tasks[1].usage.memory_bytes = int64_t{3} << 30;
  view.tasks[2].usage.memory_bytes = int64_t{1} << 30;
  const auto tasks = LiveTable(view, At(5), 200, 10, false);
  ASSERT_EQ(tasks.size(), 4u);
  EXPECT_NE(tasks[2].find("step 120  3 GiB"), std::string::npos) << tasks[2];
  EXPECT_NE(tasks[3].find("step 110  1 GiB"), std::string::npos) << tasks[3];
  const auto roles = LiveTable(view, At(5), 200, 3, false);
  ASSERT_EQ(roles.size(), 3u);
  EXPECT_EQ(roles[1], "ps  1 tasks: 1 RUNNING");
  EXPECT_EQ(roles[2], "worker  2 tasks: 2 RUNNING  step 110, at most 3 GiB");
}

TEST(StatusText, ProgressLineReportsStateChangesAndFailures) {
  core::JobChanged running;
  running.type = JobType::kRunning;
  EXPECT_EQ(ProgressLine({At(0), running}, JobState::kStarting, JobState::kRunning), "11:06:40.000  RUNNING");
  core::TaskChanged exited;
  exited.type = TaskType::kExited;
  exited.role = "worker";
  exited.state = TaskState::kReady;
  exited.exit = ExitStatus{7, std::nullopt};
  EXPECT_EQ(ProgressLine({At(0), exited}, JobState::kRunning, JobState::kRunning),
            "11:06:40.000  worker:0 ended with exit code 7, attempt 0; it restarts");
  exited.exit = ExitStatus{0, std::nullopt};
  EXPECT_EQ(ProgressLine({At(0), exited}, JobState::kRunning, JobState::kRunning), std::nullopt);
  core::JobChanged finished;
  finished.type = JobType::kFinished;
  EXPECT_EQ(ProgressLine({At(0), finished}, JobState::kRunning, JobState::kFailed), std::nullopt);
}

}  // namespace
}  // namespace howdah::cli::output
