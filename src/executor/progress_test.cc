// Progress that processes report, hangs, and stack samples.
#include <gmock/gmock.h>

#include "howdah/os/files/open_regular.h"
#include "howdah/os/files/testing.h"
#include "progress_reader.h"
#include "task_fixture.h"

namespace howdah::executor {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

void Welcome(Task& task, std::chrono::milliseconds heartbeat) {
  wire::ToExecutor message;
  message.mutable_welcome()->set_heartbeat_millis(static_cast<int>(heartbeat.count()));
  task.Send(message);
}

// Returns the next message that matches, and skips all others.
std::optional<wire::FromExecutor> Await(Task& task, const std::function<bool(const wire::FromExecutor&)>& wanted) {
  for (auto message = task.Receive(); message; message = task.Receive()) {
    if (wanted(*message)) return message;
  }
  return std::nullopt;
}

TEST(Progress, CheckpointIsReportedImmediatelyAndStepsAtTheEnd) {
  Task task(R"(echo step 3 >> $HOWDAH_PROGRESS; echo checkpoint 3 >> $HOWDAH_PROGRESS
    echo nonsense >> $HOWDAH_PROGRESS; touch written; until [ -e go ]; do sleep 0.01; done
    echo step 7 >> $HOWDAH_PROGRESS; printf 'step 9' >> $HOWDAH_PROGRESS)");
  task.Start(0);
  task.ReceiveStarted();
  auto message = task.Receive();
  ASSERT_TRUE(message && message->has_progress());
  EXPECT_EQ(message->progress().attempt(), 0);
  EXPECT_EQ(message->progress().checkpoint(), 3);
  EXPECT_TRUE(message->progress().has_checkpoint_at_micros());
  ASSERT_TRUE(task.AwaitFile("written"));
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/go", "").ok());
  message = task.Receive();
  ASSERT_TRUE(message && message->has_progress()) << Shown(*message);
  EXPECT_EQ(message->progress().step(), 7) << "an incomplete line is ignored";
  EXPECT_EQ(message->progress().checkpoint(), 3);
  EXPECT_EQ(task.ReceiveExit().code(), 0);
  task.ExpectEnded(0);
}

TEST(Progress, CostOfAnnouncedCheckpointsIsReported) {
  Task task(R"(echo checkpoint 1 >> $HOWDAH_PROGRESS
    echo checkpointing >> $HOWDAH_PROGRESS; touch saving; until [ -e go ]; do sleep 0.01; done
    echo checkpointing >> $HOWDAH_PROGRESS; echo checkpoint 2 >> $HOWDAH_PROGRESS)");
  task.Start(0);
  const auto first = Await(task, [](const auto& m) { return m.has_progress() && m.progress().checkpoint() == 1; });
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->progress().has_checkpoints()) << "it was not announced";
  ASSERT_TRUE(task.AwaitFile("saving"));
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/go", "").ok());
  const auto second = Await(task, [](const auto& m) { return m.has_progress() && m.progress().checkpoint() == 2; });
  ASSERT_TRUE(second);
  EXPECT_EQ(second->progress().checkpoints(), 1);
  EXPECT_GE(second->progress().checkpointing_micros(), 0);
  EXPECT_EQ(task.ReceiveExit().code(), 0);
  task.ExpectEnded(0);
}

// One reader reads one line of each of two attempts. The parameter is the time until the reader changes from polling to
// inotify. With a long time, the reader finds the line by polling; with 0, by inotify.
class ProgressReading : public testing::TestWithParam<std::chrono::milliseconds> {};

TEST_P(ProgressReading, LinesOfEachAttemptAreRead) {
  const os::files::Scratch dir;
  boost::asio::io_context loop;
  const os::process::Clock clock;
  int lines = 0;
  ProgressReader reader(loop, clock,
                        {[&](int, const core::ProgressLine&) {
                           ++lines;
                           loop.stop();
                         },
                         [](int, const std::string& line) { ADD_FAILURE() << line; }},
                        GetParam());
  for (const int attempt : {0, 1}) {
    ASSERT_TRUE(reader.Begin(dir / "work", attempt, 1).ok());
    loop.restart();
    loop.poll();  // from here on, only the reader's event or timer finds the line
    auto file = os::files::OpenForAppend(ProgressFile(dir / "work", attempt, 0), 0600);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(os::files::WriteAll(file->get(), "step 7\n", "the progress file").ok());
    loop.restart();
    loop.run_for(20s);
    EXPECT_EQ(lines, attempt + 1);
    reader.End();
  }
}

INSTANTIATE_TEST_SUITE_P(WithoutAndWithWatches, ProgressReading, testing::Values(1h, 0ms));

TEST(Progress, FileReplacedByPipeFailsTheNextAttempt) {
  Task task("mkfifo ${HOWDAH_PROGRESS%/*}/1-0");
  task.RunAttempt(0);
  task.Start(1);
  const auto message = Await(task, [](const wire::FromExecutor& m) { return m.has_start_failed(); });
  ASSERT_TRUE(message);
  EXPECT_THAT(message->start_failed().cause(), HasSubstr("it is a FIFO"));
}

TEST(Progress, EachAttemptReportsTheLowestStepOfItsProcesses) {
  Task task;
  task.role().processes = 2;
  task.role().command.shell = "echo step $((5 + HOWDAH_LOCAL_RANK + HOWDAH_ATTEMPT)) >> $HOWDAH_PROGRESS";
  task.Launch();
  for (const int attempt : {0, 1}) {
    task.Start(attempt);
    wire::Progress last;
    while (const auto message = task.Receive()) {
      if (message->has_progress()) last = message->progress();
      if (message->has_ended()) break;
    }
    EXPECT_EQ(last.attempt(), attempt);
    EXPECT_EQ(last.step(), 5 + attempt);
  }
}

TEST(Progress, LargeOrInvalidInputIsIgnored) {
  Task task(R"(head -c 5000000 /dev/zero >> $HOWDAH_PROGRESS; echo >> $HOWDAH_PROGRESS
    for i in $(seq 20000); do echo step $i; done >> $HOWDAH_PROGRESS; echo step 1 > $HOWDAH_PROGRESS
    echo checkpoint 20000 >> $HOWDAH_PROGRESS)");
  task.Start(0);
  EXPECT_TRUE(Await(task, [](const auto& m) { return m.has_progress() && m.progress().checkpoint() == 20000; }));
  EXPECT_EQ(task.ReceiveExit().code(), 0);
  task.ExpectEnded(0);
}

TEST(Stopping, CheckpointingExtendsTheGraceUpToALimit) {
  constexpr const char* kSaves = R"(
    trap 'for i in $(seq 8); do echo checkpointing >> $HOWDAH_PROGRESS; sleep 0.25; done; echo saved; exit 0' TERM
    touch ready; while :; do sleep 0.01; done)";
  const auto stop = [](Task& task, std::chrono::milliseconds limit) {
    wire::ToExecutor message;
    message.mutable_stop()->set_attempt(0);
    message.mutable_stop()->set_grace_micros(Duration(1000ms).count());
    message.mutable_stop()->set_limit_micros(Duration(limit).count());
    task.Send(message);
  };
  Task saves(kSaves);
  saves.Start(0);
  saves.ReceiveStarted();
  ASSERT_TRUE(saves.AwaitFile("ready"));
  stop(saves, 1h);
  const auto saving = saves.Receive();
  ASSERT_TRUE(saving && saving->has_progress());
  EXPECT_TRUE(saving->progress().saving());
  const auto exited = Await(saves, [](const auto& message) { return message.has_rank_exited(); });
  EXPECT_EQ(exited->rank_exited().code(), 0);
  saves.ExpectEnded(0);
  EXPECT_EQ(saves.Log("0/stdout"), "saved\n");

  Task too_slow(kSaves);
  too_slow.Start(0);
  too_slow.ReceiveStarted();
  ASSERT_TRUE(too_slow.AwaitFile("ready"));
  stop(too_slow, 1200ms);
  const auto killed = Await(too_slow, [](const auto& message) { return message.has_rank_exited(); });
  EXPECT_EQ(killed->rank_exited().signal(), SIGKILL);
  too_slow.ExpectEnded(0);
}

// Makes an order to stop this task, and to sample its stacks first, because another task hangs.
wire::ToExecutor StopWithProbe(std::chrono::microseconds grace) {
  wire::ToExecutor message;
  message.mutable_stop()->set_attempt(0);
  message.mutable_stop()->set_grace_micros(grace.count());
  message.mutable_stop()->set_look(true);
  return message;
}

TEST(Stopping, ProbeReportsTheStackBeforeTheStop) {
  Task task;
  task.role().command.argv = {"/usr/bin/python3", "-c",
                              "import signal, sys, time\n"
                              "signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\n"
                              "open('ready', 'w')\n"
                              "time.sleep(86400)"};
  task.Launch();
  task.Start(0);
  task.ReceiveStarted();
  ASSERT_TRUE(task.AwaitFile("ready"));
  task.Send(StopWithProbe(1h));
  const auto sample = task.Receive();
  ASSERT_TRUE(sample && sample->has_stands());
  EXPECT_EQ(sample->stands().attempt(), 0);
  EXPECT_THAT(sample->stands().where(), HasSubstr("python3 "));
  EXPECT_THAT(task.Log("0/stderr"), HasSubstr("howdah: stopped because another task hangs: pid"));
  EXPECT_EQ(task.ReceiveExit().code(), 3);
  task.ExpectEnded(0);
}

// A task that runs a Python program, and whose py-spy never ends.
struct HangingPySpy : Task {
  explicit HangingPySpy(const std::string& on_sigterm) {
    const std::string bin = scratch / "bin";
    EXPECT_TRUE(os::files::MakeDirectories(bin).ok());
    EXPECT_TRUE(os::files::WriteFileAtomically(bin + "/py-spy",
                                               "#!/bin/sh\n: > " + options.work_dir + "/started; sleep 86400\n")
                    .ok());
    EXPECT_EQ(::chmod((bin + "/py-spy").c_str(), 0755), 0);
    spec.env.emplace_back("PATH", bin + ":/usr/bin:/bin");
    role().command.argv = {"/usr/bin/python3", "-c",
                           "import signal, time; signal.signal(signal.SIGTERM, signal." + on_sigterm +
                               "); open('ready', 'w'); time.sleep(86400)"};
    Launch();
    Start(0);
    ReceiveStarted();
    EXPECT_TRUE(AwaitFile("ready"));
    Send(StopWithProbe(1h));
    EXPECT_TRUE(AwaitFile("started"));
  }
};

TEST(Stopping, ProbeThatHangsIsEndedAtItsTimeLimit) {
  HangingPySpy task("SIG_DFL");
  const auto sample = task.Receive();
  ASSERT_TRUE(sample && sample->has_stands());
  EXPECT_THAT(sample->stands().where(), HasSubstr("python3"));
  EXPECT_EQ(task.ReceiveExit().signal(), SIGTERM);
  task.ExpectEnded(0);
}

TEST(Stopping, StopWithoutGraceCancelsTheStackSample) {
  HangingPySpy task("SIG_IGN");
  task.Stop(0, 0s);
  // On a slow machine the probe may have reached its time limit before the stop.
  const auto exited = Await(task, [](const auto& message) { return message.has_rank_exited(); });
  ASSERT_TRUE(exited);
  EXPECT_EQ(exited->rank_exited().signal(), SIGKILL);
  task.ExpectEnded(0);
}

TEST(Watchdog, HungTaskIsReportedWithItsStackLocation) {
  Task task;
  task.spec.timeouts.progress = 300ms;
  task.role().command.shell = "echo on; exec sleep 86400";
  task.Launch();
  Welcome(task, 50ms);
  task.Start(0);
  const auto hung = Await(task, [](const auto& message) { return message.has_stalled(); });
  ASSERT_TRUE(hung);
  EXPECT_EQ(hung->stalled().attempt(), 0);
  EXPECT_GE(hung->stalled().at_micros() - hung->stalled().since_micros(), 300'000);
  EXPECT_THAT(hung->stalled().where(), HasSubstr("sleep sleeps"));
  EXPECT_THAT(task.Log("0/stderr"), HasSubstr("howdah: no activity: pid"));
  task.Stop(0, 1h);
  EXPECT_TRUE(Await(task, [](const auto& message) { return message.has_ended(); }));
  task.Leave();  // otherwise the executor would wait for the next AM
}

TEST(Watchdog, StackOfPythonProgramComesFromFaulthandler) {
  Task task;
  task.spec.timeouts.progress = 2s;
  task.role().command.argv = {"/usr/bin/python3", "-c",
                              "import faulthandler, signal, time\n"
                              "faulthandler.register(signal.SIGUSR1, all_threads=True)\n"
                              "def load():\n"
                              "  time.sleep(86400)\n"
                              "load()"};
  task.Launch();
  Welcome(task, 50ms);
  task.Start(0);
  const auto hung = Await(task, [](const auto& message) { return message.has_stalled(); });
  ASSERT_TRUE(hung);
  EXPECT_THAT(hung->stalled().where(), HasSubstr("load"));
  EXPECT_THAT(task.Log("0/stderr"), HasSubstr("most recent call first"));
  task.Stop(0, 1h);
  EXPECT_TRUE(Await(task, [](const auto& message) { return message.has_ended(); }));
  task.Leave();  // otherwise the executor would wait for the next AM
}

// A rank that waits for a lost peer in a collective operation keeps its core busy. So once a task has reported steps,
// only steps count as activity.
TEST(Watchdog, CpuUseIsActivityUnlessStepsAreReported) {
  Task task;
  task.spec.timeouts.progress = 700ms;
  task.role().command.shell = "[ $HOWDAH_ATTEMPT = 0 ] || echo step 1 >> $HOWDAH_PROGRESS; while :; do :; done";
  task.Launch();
  Welcome(task, 50ms);
  task.Start(0);
  int heartbeats = 0;  // 40 heartbeats take at least 2 seconds
  const auto hung = Await(task, [&](const auto& message) {
    heartbeats += message.has_heartbeat();
    return message.has_stalled() || heartbeats > 40;
  });
  ASSERT_TRUE(hung);
  EXPECT_FALSE(hung->has_stalled());
  task.Stop(0, 0s);
  ASSERT_TRUE(Await(task, [](const auto& message) { return message.has_ended(); }));
  task.Start(1);
  const auto spins = Await(task, [](const auto& message) { return message.has_stalled(); });
  ASSERT_TRUE(spins);
  EXPECT_EQ(spins->stalled().sign(), "progress");
  task.Stop(1, 0s);
  EXPECT_TRUE(Await(task, [](const auto& message) { return message.has_ended(); }));
  task.Leave();  // otherwise the executor would wait for the next AM
}

}  // namespace
}  // namespace howdah::executor
