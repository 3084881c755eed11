#include "task_stacks.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "howdah/os/process/spawn.h"
#include "howdah/os/process/testing.h"

namespace howdah::executor {
namespace {

using testing::HasSubstr;

constexpr const char* kStack = "Thread 1 (idle): \"MainThread\"\n    main (a.py:3)\n";

// A task with one process, a child of the test, and a PATH with the tools that the test makes.
class TaskStacks : public testing::Test {
 protected:
  ~TaskStacks() override {
    if (child_.pid <= 0) return;
    ::kill(-child_.pid, SIGKILL);
    os::process::WaitFor(child_);
  }

  void Start(const std::string& program, std::vector<std::string> argv) {
    const os::files::Fd err(::open((scratch_ / "stderr").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    argv.insert(argv.begin(), program);
    os::process::SpawnRequest request{
        .program = program, .argv = std::move(argv), .environment = {"PATH=/usr/bin:/bin"}};
    request.stderr_fd = err.get();
    auto child = os::process::SpawnOrError(request);
    ASSERT_TRUE(child.ok()) << child.error().message;
    child_ = std::move(*child);
  }
  void StartPython(const std::string& code) { Start("/usr/bin/python3", {"-c", code}); }
  void StartSleep() { Start("/bin/sleep", {"86399"}); }

  void AddTool(const std::string& name, const std::string& script) {
    const std::string path = scratch_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    ::chmod(path.c_str(), 0700);
  }

  // The process of the sample; `over` in the frame's place if the sample ended without one.
  wire::ProcessStacks Sample(const wire::Stacks& wanted = {}, int stop_signal = SIGTERM) {
    boost::asio::io_context loop;
    wire::ProcessStacks found;
    std::optional<bool> over;
    const StackTarget target{3, {child_.pid}, {scratch_ / "stderr"}, scratch_.path(), stop_signal};
    const auto end = SampleTaskStacks(loop, target, wanted,
                                      {[&](const wire::Frame& frame) {
                                         EXPECT_EQ(frame.stacks().attempt(), 3);
                                         for (const auto& process : frame.stacks().processes()) {
                                           if (process.pid() == child_.pid) found = process;
                                         }
                                       },
                                       [&](bool broken) { over = broken; }});
    loop.run();
    EXPECT_EQ(over, false);
    EXPECT_EQ(found.local_rank(), 0);
    return found;
  }

  os::files::Scratch scratch_;
  os::process::Child child_;
};

wire::Stacks Native() {
  wire::Stacks wanted;
  wanted.set_native(true);
  return wanted;
}

wire::Stacks WithSignal(int signal) {
  wire::Stacks wanted;
  wanted.set_signal(signal);
  return wanted;
}

TEST_F(TaskStacks, PySpyReadsPythonPrograms) {
  StartPython("import time; time.sleep(86399)");
  AddTool("py-spy", std::string("[ \"$1 $2\" = 'dump --pid' ] && printf '") + kStack + "'");
  const wire::ProcessStacks process = Sample();
  EXPECT_EQ(process.tool(), "py-spy");
  EXPECT_EQ(process.stacks(), kStack);
  EXPECT_EQ(process.problem(), "");
  EXPECT_THAT(process.state(), HasSubstr("python3"));
}

TEST_F(TaskStacks, NativeFramesAreReadOnlyOnRequest) {
  StartSleep();
  AddTool("gdb", "echo 'Using host libthread_db'; echo 'Thread 1 (LWP 7):'; echo '#0  0x00007f in clock_nanosleep ()'");
  EXPECT_THAT(Sample().problem(), HasSubstr("the program is not Python; request its native frames"));
  const wire::ProcessStacks process = Sample(Native());
  EXPECT_EQ(process.tool(), "gdb");
  EXPECT_EQ(process.stacks(), "Thread 1 (LWP 7):\n#0  0x00007f in clock_nanosleep ()\n");
  EXPECT_EQ(process.problem(), "");
}

TEST_F(TaskStacks, FailureOfAToolLeadsToTheNextOneAndIsReported) {
  StartPython("import time; time.sleep(86399)");
  AddTool("py-spy", "echo noise >&2; echo 'Error: Permission denied (os error 13)' >&2; exit 1");
  const std::string why = Sample().problem();
  EXPECT_THAT(why, HasSubstr("no stack: py-spy failed: Error: Permission denied (os error 13); the node forbids"));
  AddTool("eu-stack", "echo '#0  0x00007f in futex ()'");
  const wire::ProcessStacks process = Sample(Native());
  EXPECT_EQ(process.tool(), "eu-stack");
  EXPECT_THAT(process.problem(), HasSubstr("only native frames: py-spy --native failed"));
}

TEST_F(TaskStacks, MissingToolsAreNamed) {
  StartPython("import time; time.sleep(86399)");
  EXPECT_THAT(Sample().problem(), HasSubstr("no stack: py-spy is not in the PATH of the task; install it"));
}

TEST_F(TaskStacks, MissingNativeToolsAreNamed) {
  StartSleep();
  EXPECT_EQ(Sample(Native()).problem(), "no stack: neither eu-stack nor gdb is in the PATH of the task");
}

TEST_F(TaskStacks, SignalIsSentOnlyToProgramsThatHandleIt) {
  StartPython("import time; time.sleep(86399)");
  EXPECT_THAT(Sample(WithSignal(SIGUSR1)).problem(),
              HasSubstr("SIGUSR1 was not sent: the program has not registered faulthandler for it"));
  EXPECT_THAT(Sample(WithSignal(SIGUSR1), SIGUSR1).problem(),
              HasSubstr("SIGUSR1 was not sent: the job stops its processes with this signal"));
}

TEST_F(TaskStacks, FaulthandlerPrintsTheStackToStderr) {
  const std::string ready = scratch_ / "ready";
  StartPython(
      "import faulthandler, signal, time\nfaulthandler.register(signal.SIGUSR1)\n"
      "def wait_for_data():\n    open('" +
      ready + "', 'w')\n    time.sleep(86399)\nwait_for_data()");
  ASSERT_TRUE(os::process::Eventually([&] { return ::access(ready.c_str(), F_OK) == 0; }));
  const wire::ProcessStacks process = Sample(WithSignal(SIGUSR1));
  EXPECT_EQ(process.tool(), "faulthandler");
  EXPECT_THAT(process.stacks(), HasSubstr("in wait_for_data"));
  EXPECT_EQ(process.problem(), "");
}

TEST_F(TaskStacks, ClosedStreamKillsTheTool) {
  StartPython("import time; time.sleep(86399)");
  AddTool("py-spy", "echo $$ > " + (scratch_ / "pid") + "; exec /bin/sleep 86399");
  boost::asio::io_context loop;
  std::optional<bool> over;
  const StackTarget target{0, {child_.pid}, {scratch_ / "stderr"}, scratch_.path(), SIGTERM};
  const auto end = SampleTaskStacks(
      loop, target, {},
      {[](const wire::Frame&) { ADD_FAILURE() << "a frame after the end"; }, [&](bool broken) { over = broken; }});
  pid_t tool = 0;
  ASSERT_TRUE(os::process::Eventually([&] {
    loop.poll();
    return static_cast<bool>(std::ifstream(scratch_ / "pid") >> tool);
  }));
  end->OnClosed();
  EXPECT_EQ(over, true);
  loop.restart();
  loop.run();
  EXPECT_EQ(os::process::WaitFor({.pid = tool}).signal, SIGKILL);
}

}  // namespace
}  // namespace howdah::executor
