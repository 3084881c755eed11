// The executor of a task with real processes, observed by a test that acts as its AM.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include "task_fixture.h"

namespace howdah::executor {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

TEST(Executor, ReportsStartAndEndOfAnAttempt) {
  Task task("echo out; echo err >&2; exit 7");
  task.Start(0);
  const wire::Started started = task.ReceiveStarted();
  EXPECT_EQ(started.pids_size(), 1);
  EXPECT_GT(started.at_micros(), int64_t{1'700'000'000'000'000});
  const wire::RankExited exited = task.ReceiveExit();
  EXPECT_EQ(exited.code(), 7);
  EXPECT_FALSE(exited.has_signal());
  EXPECT_GE(exited.at_micros(), started.at_micros());
  EXPECT_THAT(exited.cause(), HasSubstr("err"));
  task.ExpectEnded(0);
  EXPECT_EQ(task.Log("0/stdout"), "out\n");
  EXPECT_EQ(task.Log("0/stderr"), "err\n");
  task.Leave();
  EXPECT_EQ(task.Wait(), 0);
}

TEST(Executor, LastMessageComesWhenNoProcessOfTheTaskIsLeft) {
  Task task("setsid sleep 300 & exit 0");
  task.RunAttempt(0);
  task.Leave();
  const auto message = task.Receive();
  EXPECT_TRUE(message && message->has_left());
  EXPECT_TRUE(task.Left().empty());
  EXPECT_EQ(task.Wait(), 0);
}

TEST(Executor, ReportsTheSignalThatKilledAProcess) {
  Task task("kill -SEGV $$");
  const wire::RankExited exited = task.RunAttempt(0);
  EXPECT_EQ(exited.signal(), SIGSEGV);
  EXPECT_FALSE(exited.has_code());
}

TEST(Executor, RestartKeepsTheWorkingDirectory) {
  Task task("[ -f state ] && { cat state; exit 0; }; echo kept > state; exit 3");
  EXPECT_EQ(task.RunAttempt(0).code(), 3);
  EXPECT_EQ(task.RunAttempt(1).code(), 0);
  EXPECT_EQ(task.Log("1/stdout"), "kept\n");
  EXPECT_EQ(task.Log("0/stdout"), "");
}

wire::Ended EndOfAttempt(Task& task, int attempt) {
  task.Start(attempt);
  task.ReceiveStarted();
  task.ReceiveExit();
  return task.ReceiveEnded();
}

TEST(Executor, EndOfAttemptReportsLeftFilesOfThisAndEarlierAttempts) {
  Task task;
  task.role().command.shell = "ls model.pt || exec sh -c 'sleep 0.05; printf 12345 > model.pt'; echo > log.txt";
  task.spec.source = "unused";
  ASSERT_TRUE(os::files::MakeDirectories(task.options.staging_dir + "/source").ok());
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.staging_dir + "/source/train.py", "print()").ok());
  task.Launch();
  const wire::Ended first = EndOfAttempt(task, 0);
  EXPECT_EQ(first.left().count(), 1) << Shown(first);
  EXPECT_EQ(first.left().bytes(), 5);
  EXPECT_THAT(first.left().names(), testing::ElementsAre("model.pt"));
  EXPECT_THAT(EndOfAttempt(task, 1).left().names(), testing::ElementsAre("model.pt", "log.txt"));
}

TEST(Executor, FilesThatAreKeptAreNotReportedAsLeft) {
  for (const bool outputs : {false, true}) {
    Task task;
    task.role().command.shell = "sleep 0.05; echo x > model.pt";
    if (outputs) task.spec.outputs = {"*.pt"};
    task.options.keeps_work_dir = !outputs;
    task.Launch();
    EXPECT_FALSE(EndOfAttempt(task, 0).has_left()) << outputs;
  }
  Task unmatched;
  unmatched.role().command.shell = "sleep 0.05; echo x > model.pt; echo y > log.txt";
  unmatched.spec.outputs = {"*.pt"};
  unmatched.Launch();
  EXPECT_THAT(EndOfAttempt(unmatched, 0).left().names(), testing::ElementsAre("log.txt"));
  Task silent("sleep 0.05");
  EXPECT_FALSE(EndOfAttempt(silent, 0).has_left());
}

TEST(Executor, StartReportsTheTimeSpentWaitingForFiles) {
  Task task;
  task.role().command.shell = "true";
  task.spec.source = "unused";
  const std::string source = task.options.staging_dir + "/source";
  ASSERT_TRUE(os::files::MakeDirectories(task.options.staging_dir).ok());
  ASSERT_EQ(::mkfifo(source.c_str(), 0600), 0);
  task.Launch();
  task.Start(0);
  // The executor handles orders in sequence, so this answer shows that it has received the start order.
  task.Stop(7, 20s);
  task.ExpectEnded(7);
  os::files::Fd archive(::open(source.c_str(), O_WRONLY | O_CLOEXEC));
  const std::string empty_tar(1024, '\0');
  ASSERT_TRUE(os::files::WriteAll(archive.get(), empty_tar, source).ok());
  archive.Close();
  EXPECT_GT(task.ReceiveStarted().filling_micros(), 0);
  EXPECT_EQ(task.ReceiveExit().code(), 0);
  task.ExpectEnded(0);
}

TEST(Executor, RanksHaveTheirOwnExitCodesAndLogs) {
  Task task;
  task.role().processes = 3;
  task.role().command.shell = "echo $HOWDAH_LOCAL_RANK; exit $HOWDAH_LOCAL_RANK";
  task.Launch();
  task.Start(0);
  EXPECT_EQ(task.ReceiveStarted().pids_size(), 3);
  std::vector<int> codes(3, -1);
  for (int i = 0; i < 3; ++i) {
    const wire::RankExited exited = task.ReceiveExit();
    codes[static_cast<size_t>(exited.local_rank())] = exited.code();
  }
  EXPECT_EQ(codes, (std::vector<int>{0, 1, 2}));
  task.ExpectEnded(0);
  for (const char* rank : {"0", "1", "2"}) {
    EXPECT_EQ(task.Log(std::string("0/") + rank + "/stdout"), std::string(rank) + "\n");
  }
}

TEST(Executor, ResultIsStoredBeforeTheExitIsReported) {
  Task task;
  task.role().processes = 3;
  task.role().command.shell =
      "[ $HOWDAH_LOCAL_RANK = 0 ] || echo $HOWDAH_LOCAL_RANK > \"$HOWDAH_RESULT\"; "
      "exit $((HOWDAH_LOCAL_RANK % 2))";
  const std::string stored = task.scratch / "stored-";
  task.options.store_result = [stored](const std::string& name, const std::string& file) {
    ::poll(nullptr, 0, 20);  // lets the executor's loop run while the result is being stored
    return os::files::CopyTree(file, stored + name.substr(name.find('/') + 1));
  };
  task.Launch();
  task.Start(0);
  task.ReceiveStarted();
  for (int i = 0; i < 3; ++i) {
    const wire::RankExited exited = task.ReceiveExit();
    const std::string rank = std::to_string(exited.local_rank());
    EXPECT_EQ(exited.has_result_bytes(), rank != "0") << rank;
    if (exited.has_result_bytes()) {
      EXPECT_EQ(exited.result_bytes(), 2);
      EXPECT_EQ(os::files::Content(stored + rank), rank + "\n");
    }
  }
  task.ExpectEnded(0);
}

TEST(Executor, ProcessFailsIfItsResultCannotBeStored) {
  struct Case {
    const char *script, *error, *cause;
  } const cases[] = {
      {"truncate -s 65M \"$HOWDAH_RESULT\"", "", "its result of 65 MiB exceeds the limit of 64 MiB"},
      {"mkfifo \"$HOWDAH_RESULT\"", "", "reading its result: opening"},
      {"echo > \"$HOWDAH_RESULT\"", "the disk is full", "storing its result: the disk is full"},
  };
  for (const Case& c : cases) {
    Task task;
    task.role().command.shell = c.script;
    task.options.store_result = [&c](const std::string&, const std::string&) { return Status(Failed(c.error)); };
    task.Launch();
    const wire::RankExited exited = task.RunAttempt(0);
    EXPECT_EQ(exited.code(), 0);
    EXPECT_FALSE(exited.has_result_bytes());
    EXPECT_THAT(exited.cause(), HasSubstr(c.cause));
    EXPECT_THAT(exited.advice(), HasSubstr("return its path"));
  }
}

TEST(Executor, FailedProcessKeepsItsCauseIfItsResultCannotBeStored) {
  Task task;
  task.role().command.shell = "echo > \"$HOWDAH_RESULT\"; echo no such device >&2; exit 3";
  task.options.store_result = [](const std::string&, const std::string&) { return Status(Failed("the disk is full")); };
  task.Launch();
  const wire::RankExited exited = task.RunAttempt(0);
  EXPECT_EQ(exited.code(), 3);
  EXPECT_THAT(exited.cause(), AllOf(HasSubstr("no such device"), testing::Not(HasSubstr("disk"))));
}

TEST(Executor, FailedRankIsReportedWhileOthersRun) {
  Task task;
  task.role().processes = 2;
  task.role().command.shell = "[ $HOWDAH_LOCAL_RANK = 0 ] && exit 5; exec sleep 86400";
  task.Launch();
  task.Start(0);
  task.ReceiveStarted();
  EXPECT_EQ(task.ReceiveExit().code(), 5);
  task.Stop(0, 20s);
  const wire::RankExited other = task.ReceiveExit();
  EXPECT_EQ(other.signal(), SIGTERM);
  EXPECT_EQ(other.cause(), "") << "a process killed by the stop signal needs no cause";
  task.ExpectEnded(0);
}

TEST(Executor, CommandListIsNotInterpretedByAShell) {
  Task task;
  task.role().command.argv = {"printf", "%s\\n", "$HOME and \"quotes\" and * stay"};
  task.Launch();
  EXPECT_EQ(task.RunAttempt(0).code(), 0);
  EXPECT_EQ(task.Log("0/stdout"), "$HOME and \"quotes\" and * stay\n");
}

TEST(Executor, CommandIsLookedUpInTheTasksPath) {
  Task task;
  task.role().command.argv = {"tool"};
  task.role().env = {{"PATH", "bin:/usr/bin:/bin"}};
  task.Launch();
  ASSERT_TRUE(os::files::MakeDirectories(task.options.work_dir + "/bin").ok());
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.work_dir + "/bin/tool", "#!/bin/sh\necho mine\n", 0755).ok());
  EXPECT_EQ(task.RunAttempt(0).code(), 0);
  EXPECT_EQ(task.Log("0/stdout"), "mine\n");
}

TEST(Executor, FilesReplacedByPipesDoNotHideTheExitCode) {
  for (const char* file :
       {"$(readlink /proc/self/fd/1)", "$(readlink /proc/self/fd/2)", "${TORCHELASTIC_ERROR_FILE}"}) {
    Task task;
    task.role().command.shell = "f=" + std::string(file) + R"(; rm -f "$f"; mkfifo "$f" && exit 7)";
    task.role().env = {{"TORCHELASTIC_ERROR_FILE", task.options.logs_dir + "/0/error.json"}};
    task.Launch();
    EXPECT_EQ(task.RunAttempt(0).code(), 7) << file;
  }
}

TEST(Executor, FailedStartReportsTheCause) {
  const struct {
    std::vector<std::string> argv;
    int code;
    const char* cause;
  } rows[] = {{{"trian"}, 127, "trian"},         {{"./train.py"}, 126, "not executable: ./train.py"},
              {{"./nothing"}, 127, "nothing"},   {{"./no-interpreter"}, 126, "interpreter"},
              {{"./no-format"}, 126, "#! line"}, {{"./folder"}, 126, "directory"}};
  for (const auto& row : rows) {
    Task task;
    task.role().command.argv = row.argv;
    task.Launch();
    const std::string work = task.options.work_dir;
    ASSERT_TRUE(os::files::MakeDirectories(work + "/folder").ok());
    ASSERT_TRUE(os::files::WriteFileAtomically(work + "/train.py", "print()").ok());
    ASSERT_TRUE(os::files::WriteFileAtomically(work + "/no-interpreter", "#!/nonexistent\n", 0755).ok());
    ASSERT_TRUE(os::files::WriteFileAtomically(work + "/no-format", "text", 0755).ok());
    task.Start(0);
    const auto message = task.Receive();
    ASSERT_TRUE(message && message->has_start_failed()) << row.argv[0];
    EXPECT_EQ(message->start_failed().attempt(), 0);
    EXPECT_EQ(message->start_failed().code(), row.code) << row.argv[0];
    EXPECT_THAT(message->start_failed().cause(), HasSubstr(row.cause)) << row.argv[0];
    EXPECT_THAT(task.Log("0/stderr"), HasSubstr(row.argv[0] + ": ")) << "as a shell would have written it";
    // No Ended follows a StartFailed: the next message is about the next attempt.
    task.Start(1);
    const auto next = task.Receive();
    ASSERT_TRUE(next && next->has_start_failed());
    EXPECT_EQ(next->start_failed().attempt(), 1);
  }
}

TEST(Executor, PartlyStartedAttemptIsKilled) {
  Task task;
  task.role().processes = 3;
  task.role().command.shell = "exec sleep 86400";
  task.Launch();
  // A file prevents the creation of the log directory of the last rank.
  ASSERT_TRUE(os::files::MakeDirectories(task.options.logs_dir + "/0").ok());
  ASSERT_TRUE(os::files::WriteFileAtomically(task.options.logs_dir + "/0/2", "a file").ok());
  task.Start(0);
  const auto message = task.Receive();
  ASSERT_TRUE(message && message->has_start_failed()) << (message ? Shown(*message) : "nothing");
  EXPECT_THAT(message->start_failed().cause(), HasSubstr("logs/0/2"));
  EXPECT_TRUE(task.Left().empty());
  task.Leave();
  EXPECT_EQ(task.Wait(), 0);
}

TEST(Executor, LargeOutputIsComplete) {
  Task task("head -c 200000000 /dev/zero");
  EXPECT_EQ(task.RunAttempt(0).code(), 0);
  EXPECT_EQ(os::files::ReadFile(task.options.logs_dir + "/0/stdout", 300'000'000)->size(), 200'000'000u);
}

TEST(Executor, HeartbeatReportsUsage) {
  Task task("python3 -c 'import time\nb = bytearray(100 << 20)\ntime.sleep(86400)'");
  wire::ToExecutor welcome;
  welcome.mutable_welcome()->set_heartbeat_millis(5);
  task.Send(welcome);
  task.Start(0);
  bool seen = false;
  for (int i = 0; i < 10'000 && !seen; ++i) {
    const auto message = task.Receive();
    ASSERT_TRUE(message);
    const wire::Usage& usage = message->heartbeat().usage();
    seen = usage.memory_bytes() > 100 << 20 && usage.memory_peak_bytes() >= usage.memory_bytes() &&
           usage.cpu_seconds() > 0;
  }
  EXPECT_TRUE(seen);
}

TEST(Executor, UsageContainsAveragesAndOnlyTheGpusOfTheTask) {
  Task task;
  ASSERT_TRUE(os::files::WriteFileAtomically(task.scratch / "nvidia-smi",
                                             "#!/bin/sh\necho '0, 90, 40960, 40960\n1, 50, 10240, 40960\n2, 95, 9, 9\n"
                                             "3, 100, 20480, 40960'\n",
                                             0755)
                  .ok());
  task.options.gpus = {1, 3};
  task.options.inherited["PATH"] = task.scratch.path() + ":/usr/bin:/bin";
  task.role().command.shell = "exec sleep 86400";
  task.Launch();
  wire::ToExecutor welcome;
  welcome.mutable_welcome()->set_heartbeat_millis(5);
  task.Send(welcome);
  const auto before = task.Receive();
  ASSERT_TRUE(before && before->has_heartbeat());
  EXPECT_EQ(before->heartbeat().usage().memory_average_bytes(), 0) << "only running attempts are averaged";
  task.Start(0);
  wire::Usage usage;
  bool stopped = false;
  for (int i = 0; i < 10'000; ++i) {
    const auto message = task.Receive();
    ASSERT_TRUE(message);
    usage = message->has_rank_exited() ? message->rank_exited().usage() : message->heartbeat().usage();
    if (message->has_rank_exited()) break;
    if (!stopped && usage.has_gpu_use() && usage.memory_average_bytes() > 0) task.Stop(0, 20s), stopped = true;
  }
  ASSERT_TRUE(stopped);
  EXPECT_GT(usage.memory_average_bytes(), 0);
  EXPECT_LE(usage.memory_average_bytes(), usage.memory_peak_bytes());
  EXPECT_DOUBLE_EQ(usage.gpu_use().utilisation_average(), 0.75);
  EXPECT_DOUBLE_EQ(usage.gpu_use().utilisation_peak(), 1);
  EXPECT_DOUBLE_EQ(usage.gpu_use().memory_average(), 0.375);
  EXPECT_DOUBLE_EQ(usage.gpu_use().memory_peak(), 0.5);
}

TEST(Executor, RefusedExecutorExits) {
  Task task("true");
  wire::ToExecutor welcome;
  welcome.mutable_welcome()->set_refused("of another version");
  task.Send(welcome);
  EXPECT_EQ(task.Wait(), 1);
}

TEST(Executor, InvalidEndpointTableFailsTheStart) {
  Task task("true");
  wire::ToExecutor message;
  message.mutable_start()->set_attempt(0);
  message.mutable_cluster()->add_sizes(1'000'000'000);
  task.Send(message);
  const auto answer = task.Receive();
  ASSERT_TRUE(answer && answer->has_start_failed());
  EXPECT_EQ(task.RunAttempt(1).code(), 0);
}

// --- the port ---

constexpr const char* kServer = R"(python3 -c '
import os, socket
s = socket.socket()
if %d: s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", int(os.environ["HOWDAH_PORT"])))
s.listen()
print("listening")')";

std::string Server(bool reuse) {
  char text[512];
  std::snprintf(text, sizeof text, kServer, reuse ? 1 : 0);
  return text;
}

TEST(Executor, PortStaysReservedIfTheFrameworkSetsReuseAddress) {
  Task task;
  task.spec.framework = jobspec::Framework::kPytorch;
  task.role().command.shell = Server(false) + "; " + Server(true);
  task.Launch();
  EXPECT_EQ(task.RunAttempt(0).code(), 0);
  EXPECT_EQ(task.Log("0/stdout"), "listening\n");
  EXPECT_THAT(task.Log("0/stderr"), HasSubstr("Address already in use"));
}

TEST(Executor, PortIsReleasedIfTheFrameworkDoesNotSetReuseAddress) {
  Task task(Server(false));
  EXPECT_EQ(task.RunAttempt(0).code(), 0);
  EXPECT_EQ(task.RunAttempt(1).code(), 0) << "the port was held and released again";
  EXPECT_EQ(task.Log("1/stdout"), "listening\n");
}

TEST(Executor, DiagnosisNamesTheProcessThatHoldsThePort) {
  Task task(Server(false));
  const os::files::Fd thief(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int one = 1;
  ::setsockopt(thief.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(task.port));
  ASSERT_EQ(::bind(thief.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(thief.get(), 1), 0);
  const wire::RankExited exited = task.RunAttempt(0);
  EXPECT_EQ(exited.code(), 1);
  EXPECT_THAT(exited.cause(), AllOf(HasSubstr(std::to_string(task.port)),
                                    HasSubstr("executor_test (pid " + std::to_string(::getpid()) + ")")));
}

}  // namespace
}  // namespace howdah::executor
