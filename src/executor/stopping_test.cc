// The end of a task: by a stop signal, by SIGKILL, and after the death of the AM, the executor or the guardian.
#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>

#include "howdah/rpc/callback/callback.h"
#include "task_fixture.h"

#ifndef __has_feature  // g++
#define __has_feature(name) 0
#endif

namespace howdah::executor {
namespace {

using namespace std::chrono_literals;

// A program that ignores the stop signal, and has a grandchild in another session that also ignores it.
constexpr const char* kIgnoresStop = R"(
trap '' TERM
setsid sh -c 'trap "" TERM; touch hidden; exec sleep 86399' &
(setsid sh -c 'trap "" TERM HUP INT; sleep 86398 & sleep 86398' &)
touch ready; sleep 86400)";

TEST(Stopping, TaskMaySaveDuringTheGrace) {
  Task task("trap 'echo saved; exit 0' TERM; touch ready; while :; do sleep 0.01; done");
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready"));
  task.Stop(0, 1h);
  const wire::RankExited exited = task.ReceiveExit();
  EXPECT_EQ(exited.code(), 0);
  task.ExpectEnded(0);
  EXPECT_EQ(task.Log("0/stdout"), "saved\n");
}

TEST(Stopping, StopSignalOfTheJobIsSent) {
  Task task;
  task.spec.checkpoint.signal = "SIGUSR1";
  task.role().command.shell = "trap 'exit 9' USR1; touch ready; while :; do sleep 0.01; done";
  task.Launch();
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready"));
  task.Stop(0, 1h);
  EXPECT_EQ(task.ReceiveExit().code(), 9);
  task.ExpectEnded(0);
}

TEST(Stopping, TaskThatIgnoresTheSignalIsKilledAfterTheGrace) {
  Task task(kIgnoresStop);
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready") && task.AwaitFile("hidden"));
  task.Stop(0, 100ms);
  EXPECT_EQ(task.ReceiveExit().signal(), SIGKILL);
  task.ExpectEnded(0);
}

TEST(Stopping, SecondStopShortensTheGrace) {
  Task task(kIgnoresStop);
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready"));
  task.Stop(0, 1h);
  task.Stop(0, 2h);  // cannot extend the grace
  task.Stop(0, 0s);
  EXPECT_EQ(task.ReceiveExit().signal(), SIGKILL);
  task.ExpectEnded(0);
}

// SIGTERM ends a shell immediately, but its child has the whole grace to save its work.
TEST(Stopping, ProcessGroupKeepsTheGraceAfterItsLeaderHasExited) {
  Task task("(trap 'sleep 0.2; echo saved; exit 0' TERM; touch ready; while :; do sleep 0.01; done); echo never");
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready"));
  task.Stop(0, 1h);
  EXPECT_EQ(task.ReceiveExit().signal(), SIGTERM);
  task.ExpectEnded(0);
  EXPECT_EQ(task.Log("0/stdout"), "saved\n");
}

TEST(Stopping, LeftoverProcessesAreKilledAtTheEnd) {
  Task task("sleep 86397 & setsid sleep 86396 & (setsid sleep 86395 &); echo done");
  EXPECT_EQ(task.RunAttempt(0).code(), 0);  // ExpectEnded checks that no process is left
}

TEST(Stopping, StopOfAnAttemptThatIsNotRunningReportsItsEnd) {
  Task task("true");
  task.Stop(0, 1s);
  task.ExpectEnded(0);
  task.Start(0);  // ignored, because the end of attempt 0 was already reported
  EXPECT_EQ(task.RunAttempt(1).code(), 0);
  task.Stop(1, 1s);
  task.ExpectEnded(1);
  task.Stop(0, 1s);
  task.ExpectEnded(0);
}

TEST(Stopping, LeaveOrderKillsTheTaskImmediately) {
  Task task(kIgnoresStop);
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready") && task.AwaitFile("hidden"));
  task.Leave();
  EXPECT_EQ(task.ReceiveExit().signal(), SIGKILL);
  task.ExpectEnded(0);
  EXPECT_EQ(task.Wait(), 0);
}

TEST(Stopping, TaskIsStoppedWithGraceIfAmIsLost) {
  Task task("trap 'sleep 0.1; echo saved > saved; exit 0' TERM; touch ready; while :; do sleep 0.01; done");
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready"));
  task.am = os::files::Fd();
  EXPECT_EQ(task.Wait(), 1);
  EXPECT_EQ(os::files::Content(task.options.work_dir + "/saved"), "saved\n");
}

TEST(Stopping, LossOfTheAmKillsATaskThatIgnoresTheStopSignal) {
  Task task;
  task.spec.checkpoint.grace = 100ms;
  task.role().command.shell = kIgnoresStop;
  task.Launch();
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready") && task.AwaitFile("hidden"));
  task.am = os::files::Fd();
  EXPECT_EQ(task.Wait(), 1);
}

TEST(Stopping, NextAmAdoptsTheRunningTask) {
  Task task("touch ready; until [ -e go ]; do sleep 0.01; done; exit 7");
  task.Welcome();
  task.Start(0);
  const wire::Started started = task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready"));
  task.LoseAm();
  task.TakeOver(0);
  EXPECT_EQ(task.ReceiveStarted().SerializeAsString(), started.SerializeAsString());
  task.Welcome();
  task.Start(0);  // the new AM repeats the order, because it has no record of the start
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/go", "").ok());
  EXPECT_EQ(task.ReceiveExit().code(), 7);
  task.ExpectEnded(0);
  EXPECT_EQ(task.RunAttempt(1).code(), 7);  // the file is still in the working directory
  task.Leave();
  EXPECT_EQ(task.Wait(), 0);
}

TEST(Stopping, EndWithoutAnAmIsReportedToTheNextAm) {
  Task task("touch ready; until [ -e go ]; do sleep 0.01; done; exit 7");
  task.Welcome();
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready"));
  task.LoseAm();
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/go", "").ok());
  ASSERT_TRUE(os::process::Eventually([&] { return task.Left().empty(); }, 60s));
  task.TakeOver(0);
  task.ReceiveStarted();
  EXPECT_EQ(task.ReceiveExit().code(), 7);
  task.ExpectEnded(0);
  task.Leave();
  EXPECT_EQ(task.Wait(), 0);
}

// The first AM is cut off from the ResourceManager, but not from the executor.
TEST(Stopping, NextAmOnAnotherMachineReachesTheTaskByCallback) {
  Task task;
  task.options.am_may_move = true;
  task.role().command.shell = "touch ready; until [ -e go ]; do sleep 0.01; done; exit 7";
  task.Launch();
  task.Welcome();
  task.Start(0);
  const wire::Started started = task.ReceiveStarted();
  os::files::Fd former = std::move(task.am);
  boost::asio::io_context loop;
  rpc::callback::CallbackClient caller(loop);
  std::jthread calling;
  const std::string elsewhere = task.scratch / "elsewhere";
  task.TakeOver(0, elsewhere, [&] {
    caller.Call({"c1"}, task.callback, elsewhere);
    calling = std::jthread([&loop] { loop.run(); });
  });
  loop.stop();
  EXPECT_EQ(task.ReceiveStarted().SerializeAsString(), started.SerializeAsString());
  task.Welcome();
  std::swap(task.am, former);
  const auto last = task.Receive();
  EXPECT_TRUE(last && last->has_moved());
  std::swap(task.am, former);
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/go", "").ok());
  EXPECT_EQ(task.ReceiveExit().code(), 7);
  task.ExpectEnded(0);
  task.Leave();
  EXPECT_EQ(task.Wait(), 0);
}

// A caller with the callback secret sends an address at which no AM answers.
TEST(Stopping, CallbackToSilentAddressKeepsTheExistingStream) {
  Task task;
  task.options.am_may_move = true;
  task.role().command.shell = "touch ready; until [ -e go ]; do sleep 0.01; done; exit 7";
  task.Launch();
  task.Welcome();
  task.Start(0);
  task.ReceiveStarted();
  os::files::Fd working = std::move(task.am);
  boost::asio::io_context loop;
  rpc::callback::CallbackClient caller(loop);
  std::jthread calling;
  const std::string elsewhere = task.scratch / "elsewhere";
  task.TakeOver(0, elsewhere, [&] {
    caller.Call({"c1"}, task.callback, elsewhere);
    calling = std::jthread([&loop] { loop.run(); });
  });
  loop.stop();
  const os::files::Fd silent = std::exchange(task.am, std::move(working));
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/go", "").ok());
  EXPECT_EQ(task.ReceiveExit().code(), 7);
  task.ExpectEnded(0);
  task.Leave();
  EXPECT_EQ(task.Wait(), 0);
}

TEST(Stopping, TaskIsStoppedIfNoAmConnectsInTime) {
  Task task;
  task.role().command.shell = "trap 'echo saved > saved; exit 0' TERM; touch ready; while :; do sleep 0.01; done";
  task.Launch();
  task.Welcome(100ms);
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready"));
  task.LoseAm();
  EXPECT_EQ(task.Wait(), 1);
  EXPECT_EQ(os::files::Content(task.options.work_dir + "/saved"), "saved\n");
}

// A task with an output, whose storing continues only once the test permits it.
struct Storing : Task {
  Storing() {
    spec.outputs = {"*.pt"};
    role().command.shell = "echo x > model.pt";
    options.store_outputs = [directory = scratch.path()](const std::string&,
                                                         const std::vector<std::string>& files) -> Status {
      HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(directory + "/begun", ""));
      if (!Exists(directory + "/go")) return Failed("the test has given no permission");
      return os::files::WriteFileAtomically(directory + "/stored", files.front());
    };
    Launch();
    Welcome();
    EXPECT_EQ(RunAttempt(0).code(), 0);
  }
  static bool Exists(const std::string& path) {
    return os::process::Eventually([&] { return os::files::ReadFile(path).ok(); }, 60s);
  }
  bool Begun() const { return Exists(scratch / "begun"); }
  bool IsReported() {
    const auto message = Receive();
    return message && message->has_storing();
  }
  void Permit() const { EXPECT_TRUE(os::files::WriteFileAtomically(scratch / "go", "").ok()); }
  std::string Stored() const { return os::files::Content(scratch / "stored"); }
};

TEST(Stopping, NextAmAwaitsTheOutputsOfALeavingTask) {
  Storing task;
  task.Leave();
  ASSERT_TRUE(task.Begun());
  EXPECT_TRUE(task.IsReported());
  task.LoseAm();
  task.TakeOver(0);
  task.ReceiveStarted();
  EXPECT_EQ(task.ReceiveExit().code(), 0);
  task.ExpectEnded(0);
  EXPECT_TRUE(task.IsReported());
  task.Leave();  // the new AM repeats the order
  task.Permit();
  std::optional<wire::FromExecutor> last;
  while (auto message = task.Receive()) last = std::move(message);
  EXPECT_TRUE(last && last->has_left());
  EXPECT_EQ(task.Wait(), 0);
  EXPECT_EQ(task.Stored(), "model.pt");
}

TEST(Stopping, OutputsAreStoredIfTheAmIsLostMeanwhile) {
  Storing task;
  task.Welcome(0s);
  task.Leave();
  ASSERT_TRUE(task.Begun());
  task.LoseAm();
  task.Permit();
  EXPECT_EQ(task.Wait(), 0);
  EXPECT_EQ(task.Stored(), "model.pt");
}

TEST(Stopping, OutputsAreStoredIfTheAmIsLostWhileItReadsTheLogs) {
  Storing task;
  task.Permit();
  task.Welcome(0s);
  task.Leave(1h);
  task.LoseAm();
  EXPECT_EQ(task.Wait(), 0);
  EXPECT_EQ(task.Stored(), "model.pt");
}

TEST(Stopping, OutputsAreStoredIfTheAmIsLostBeforeItsLeaveOrder) {
  Storing task;
  task.Permit();
  task.Welcome(0s);
  task.LoseAm();
  EXPECT_EQ(task.Wait(), 1);
  EXPECT_EQ(task.Stored(), "model.pt");
}

// The outputs would overwrite those of the container in which the task goes on.
TEST(Stopping, OutputsOfATaskThatGoesOnElsewhereAreNotStored) {
  for (const Duration linger : {Duration(0), Duration(1h)}) {
    Storing task;
    task.Permit();
    task.Leave(linger, /*replaced=*/true);
    if (linger > Duration(0)) task.Leave();
    EXPECT_EQ(task.Wait(), 0);
    EXPECT_FALSE(os::files::ReadFile(task.scratch / "stored").ok());
  }
}

// In this test and the next one, the executor or the guardian dies while the task runs and ignores the stop signal.
// Task's destructor checks that no process is left.
TEST(Stopping, DeathOfTheExecutorKillsTheTask) {
  for (const int signal : {SIGKILL, SIGSEGV, SIGTERM}) {
    Task task(kIgnoresStop);
    task.Start(0);
    task.ReceiveStarted();
    ASSERT_TRUE(task.AwaitFile("ready") && task.AwaitFile("hidden"));
    ASSERT_EQ(::kill(task.executor, signal), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(std::exchange(task.guardian, -1), &status, 0) > 0, true);
    EXPECT_TRUE(task.Left().empty());
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
    if (signal == SIGSEGV) continue;  // the sanitizer turns the signal into an exit code
#endif
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal) << "the backend sees the executor's signal";
  }
}

TEST(Stopping, DeathOfTheGuardianKillsTheTask) {
  Task task(kIgnoresStop);
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready") && task.AwaitFile("hidden"));
  ASSERT_EQ(::kill(task.guardian, SIGKILL), 0);
  EXPECT_EQ(task.Wait(), -SIGKILL);
  EXPECT_TRUE(os::process::Eventually([&] { return task.Left().empty() && ::kill(task.executor, 0) != 0; }));
}

// The guardian is the first process of its container. Even if it has died, a NodeManager signals its process group
// (YARN's DefaultContainerExecutor.signalContainer).
TEST(Stopping, SignalsToTheGuardiansProcessGroupDoNotReachTheExecutor) {
  Task task(kIgnoresStop);
  EXPECT_EQ(::getpgid(task.executor), task.executor);
  EXPECT_NE(::getpgid(task.guardian), task.executor);
}

TEST(Stopping, GuardianKillsTheTaskOnSigterm) {
  Task task(kIgnoresStop);
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready") && task.AwaitFile("hidden"));
  ASSERT_EQ(::kill(task.guardian, SIGTERM), 0);
  int status = -1;
  ASSERT_GT(::waitpid(std::exchange(task.guardian, -1), &status, 0), 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(task.Left().empty());
}

}  // namespace
}  // namespace howdah::executor
