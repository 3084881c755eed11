#include "howdah/executor/task_arguments.h"

#include <gmock/gmock.h>

namespace howdah::executor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TaskArguments, LocalCommandLineIsComplete) {
  const auto task = ParseTaskArguments(
      {"--job",  "j",    "--job-file",  "/j.json", "--container",   "c1",        "--role", "worker", "--index",
       "3",      "--am", "127.0.0.1:1", "--tls",   "/tls",          "--staging", "/s",     "--work", "/w",
       "--logs", "/l",   "--python",    "/p",      "--environment", "/e",        "--gpus", "0,12"});
  ASSERT_TRUE(task.ok()) << task.error().message;
  const TaskOptions& options = task->options;
  EXPECT_EQ(options.job_id + options.job_file + options.container + options.role, "j/j.jsonc1worker");
  EXPECT_EQ(options.index, 3);
  EXPECT_EQ(options.am_address, "127.0.0.1:1");
  EXPECT_EQ(options.staging_dir + options.work_dir + options.logs_dir + options.python_dir, "/s/w/l/p");
  EXPECT_EQ(task->tls_dir + task->environment_file, "/tls/e");
  EXPECT_FALSE(task->on_yarn);
  EXPECT_FALSE(options.keeps_work_dir);
  EXPECT_TRUE(ParseTaskArguments({"--keep-work"})->options.keeps_work_dir);
  ASSERT_TRUE(options.gpus.has_value());
  EXPECT_THAT(*options.gpus, ElementsAre(0, 12));
}

TEST(TaskArguments, FilesOfYarnContainerAreInItsDirectory) {
  TaskOptions options;
  UseContainerDirectory({.path = "/c", .log_dirs = "/d1/logs/c,/d2/logs/c", .python_dir = "/c/python"}, options);
  EXPECT_EQ(options.staging_dir, "/c/staging");
  EXPECT_EQ(options.work_dir, "/c/work");
  EXPECT_EQ(options.logs_dir, "/d1/logs/c");
  EXPECT_EQ(options.python_dir, "/c/python");
  EXPECT_EQ(options.job_file, "howdah/job.json");
  EXPECT_TRUE(options.am_may_move);
  EXPECT_TRUE(options.remove_work_dir);
  EXPECT_TRUE(options.flat_logs);
  UseContainerDirectory({.path = "/c", .log_dirs = "/d1", .python_dir = ""}, options);
  EXPECT_EQ(options.logs_dir + options.python_dir, "/d1");
  UseContainerDirectory({.path = "/c", .log_dirs = std::nullopt, .python_dir = ""}, options);
  EXPECT_EQ(options.logs_dir, "/c/logs");
}

TEST(TaskArguments, MissingGpuListMeansMachineWithoutGpus) {
  EXPECT_FALSE(ParseTaskArguments({"--yarn"})->options.gpus.has_value());
  EXPECT_THAT(*ParseTaskArguments({"--gpus", ""})->options.gpus, IsEmpty());
}

TEST(TaskArguments, InvalidGpuListIsAUsageError) {
  for (const char* gpus : {"x", "0,x", "0,,1", "-1", "1 2"}) {
    const auto task = ParseTaskArguments({"--gpus", gpus});
    ASSERT_FALSE(task.ok()) << gpus;
    EXPECT_EQ(task.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace howdah::executor
