// The environment and the working directory of a process.
#include "launch.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "task_fixture.h"

namespace howdah::executor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TaskPlan PlanOf(const Task& task, Variables inherited) {
  TaskPlan plan{.options = task.options, .spec = task.spec, .task = {0, 0}};
  plan.options.inherited = std::move(inherited);
  return plan;
}
const Peers kPeers{{{{"127.0.0.1", 20'000}}}, {}, {}};

TEST(Launch, EnvironmentSourcesOverrideEachOtherInOrder) {
  Task task;
  task.options.python_dir = "/archive";
  task.options.gpus = {2, 3};
  task.spec.env = {{"A", "job"}, {"B", "job"}, {"C", "job"}, {"HOWDAH_ROLE", "mine"}};
  task.role().env = {{"B", "role"}};
  Peers peers = kPeers;
  peers.exports = {{"B", "other"}, {"C", "other"}, {"D", "first"}, {"D", "second"}};
  const Variables variables =
      MakeEnvironment(PlanOf(task, {{"A", "inherited"}, {"PATH", "/bin"}, {"CONDA_PREFIX", "/conda"}}), peers, {});
  EXPECT_EQ(variables.at("A"), "job");
  EXPECT_EQ(variables.at("C"), "other");
  EXPECT_EQ(variables.at("D"), "second");
  EXPECT_EQ(variables.at("B"), "role");
  EXPECT_EQ(variables.at("PATH"), "/archive/bin:/bin");
  EXPECT_EQ(variables.at("VIRTUAL_ENV"), "/archive");
  EXPECT_FALSE(variables.contains("CONDA_PREFIX"));
  EXPECT_EQ(variables.at("CUDA_VISIBLE_DEVICES"), "2,3");
  EXPECT_EQ(variables.at("HOWDAH_ROLE"), "mine");
  EXPECT_EQ(variables.at("HOWDAH_PORT"), "20000");
}

// If the start did not check the interpreter, a shell would silently run the node's own python3, which comes later in
// PATH.
TEST(Launch, BrokenPackedPythonFailsTheStart) {
  os::files::Scratch scratch;
  const std::string python = scratch / "python";
  ASSERT_TRUE(os::files::MakeDirectories(python + "/env/bin").ok());
  const auto problem = [&] {
    Task task("python3 -c 1");
    task.options.python_dir = python;
    const auto launch = PrepareLaunch(PlanOf(task, {}), kPeers, {});
    return !launch ? launch.error().message : launch->problem ? launch->problem->line : "";
  };
  EXPECT_EQ(problem(), "bin: No such file or directory");
  ASSERT_TRUE(os::files::MakeDirectories(python + "/bin").ok());
  EXPECT_EQ(problem(), "") << "the archive may have other programs";
  ASSERT_EQ(::symlink("python3", (python + "/bin/python").c_str()), 0);
  ASSERT_EQ(::symlink("/no/such/python3", (python + "/bin/python3").c_str()), 0);
  EXPECT_EQ(problem(), "bin/python -> /no/such/python3: No such file or directory");
  ASSERT_EQ(::unlink((python + "/bin/python3").c_str()), 0);
  ASSERT_TRUE(os::files::WriteFileAtomically(python + "/bin/python3", "#!/bin/sh\n").ok());
  ASSERT_EQ(::chmod((python + "/bin/python3").c_str(), 0644), 0);
  EXPECT_EQ(problem(), "bin/python: Permission denied");
  ASSERT_EQ(::chmod((python + "/bin/python3").c_str(), 0755), 0);
  EXPECT_EQ(problem(), "");
}

TEST(Launch, CudaVisibleDevicesIsSetOnlyOnMachinesWithGpus) {
  Task task;
  EXPECT_FALSE(MakeEnvironment(PlanOf(task, {}), kPeers, {}).contains("CUDA_VISIBLE_DEVICES"));
  task.options.gpus = {2, 3};
  task.options.visible_devices = "GPU-a,GPU-b";
  EXPECT_EQ(MakeEnvironment(PlanOf(task, {}), kPeers, {}).at("CUDA_VISIBLE_DEVICES"), "GPU-a,GPU-b");
  task.options.visible_devices.clear();
  task.options.gpus = std::vector<int>();
  EXPECT_EQ(MakeEnvironment(PlanOf(task, {}), kPeers, {}).at("CUDA_VISIBLE_DEVICES"), "");
}

TEST(Launch, AgentEnvironmentIsNotInherited) {
  Task task;
  task.options.inherited = {{"HOME", "/h"}, {"LC_ALL", "C"}};
  task.role().command.argv = {"env"};
  ::setenv("SECRET_OF_THE_AGENT", "x", 1);
  task.Launch();
  ::unsetenv("SECRET_OF_THE_AGENT");
  EXPECT_EQ(task.RunAttempt(0).code(), 0);
  const std::string log = "\n" + task.Log("0/stdout");
  for (const char* line : {"\nHOME=/h\n", "\nLC_ALL=C\n", "\nPATH=/usr/local/bin:/usr/bin:/bin\n",
                           "\nHOWDAH_ROLE=worker\n", "\nHOWDAH_ATTEMPT=0\n", "\nJOB_NAME=worker\n"}) {
    EXPECT_THAT(log, HasSubstr(line));
  }
  EXPECT_THAT(log, testing::Not(HasSubstr("SECRET")));
}

TEST(Launch, FailedCommandInAPipelineFailsTheTaskExceptInTonyJobs) {
  for (const bool tony : {false, true}) {
    Task task;
    task.spec.tony_env = tony;
    task.role().command.shell = "(exit 7) | cat";
    task.Launch();
    EXPECT_EQ(task.RunAttempt(0).code(), tony ? 0 : 7);
  }
}

TEST(WorkDirectory, SourceAndFilesAreKeptAcrossAttempts) {
  Task task;
  const std::string staging = task.options.staging_dir;
  ASSERT_TRUE(os::files::MakeDirectories(staging + "/source/sub").ok());
  ASSERT_TRUE(os::files::MakeDirectories(staging + "/files").ok());
  ASSERT_TRUE(
      os::files::WriteFileAtomically(staging + "/source/check.sh", "cat sub/a deep/b c/d; echo $1 >> state\n", 0755)
          .ok());
  ASSERT_TRUE(os::files::WriteFileAtomically(staging + "/source/sub/a", "a ").ok());
  ASSERT_TRUE(os::files::WriteFileAtomically(staging + "/files/0", "b ").ok());
  os::process::SpawnRequest tar = os::process::Bash("echo d > d && tar czf 1 d && rm d", staging + "/files");
  ASSERT_EQ(os::process::WaitFor(*os::process::SpawnOrError(tar)).code, 0);
  task.spec.source = "/somewhere/src";
  task.spec.files = {{"/x/labels", "deep/b", false}, {"/x/c.tgz", "c", true}};
  task.role().command.shell = "bash check.sh $HOWDAH_ATTEMPT";
  task.Launch();
  EXPECT_EQ(task.RunAttempt(0).code(), 0);
  EXPECT_EQ(task.RunAttempt(1).code(), 0);
  EXPECT_EQ(task.Log("1/stdout"), "a b d\n");
  EXPECT_EQ(os::files::Content(task.options.work_dir + "/state"), "0\n1\n");
  EXPECT_THAT(*os::files::ListDirectory(task.options.work_dir), ElementsAre("c", "check.sh", "deep", "state", "sub"));
}

TEST(WorkDirectory, MissingSourceFailsTheStart) {
  Task task;
  task.spec.source = "/somewhere/src";
  task.role().command.shell = "true";
  task.Launch();
  task.Start(0);
  const auto message = task.Receive();
  ASSERT_TRUE(message && message->has_start_failed());
  EXPECT_FALSE(message->start_failed().has_code());
  EXPECT_THAT(message->start_failed().cause(), HasSubstr("staging/source"));
}

}  // namespace
}  // namespace howdah::executor
