#include "howdah/os/process/spawn.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/testing.h"

namespace howdah::os::process {
namespace {

// Runs a script with its output in `out` and returns its exit status.
ExitStatus RunScript(const files::Scratch& scratch, const std::string& script) {
  SpawnRequest request = Bash(script, scratch.path());
  const auto out = files::OpenForAppend(scratch / "out");
  EXPECT_TRUE(out.ok());
  request.stdout_fd = request.stderr_fd = out->get();
  auto child = SpawnOrError(request);
  EXPECT_TRUE(child.ok());
  return child ? WaitFor(*child) : ExitStatus{};
}

TEST(Spawn, StreamsEnvironmentAndDirectoryArePassed) {
  files::Scratch scratch;
  const ExitStatus status = RunScript(scratch, "pwd; echo error >&2; cat; echo $PATH $#; exit 7");
  EXPECT_EQ(status.code, 7);
  EXPECT_EQ(status.signal, std::nullopt);
  EXPECT_EQ(files::Content(scratch / "out"), scratch.path() + "\nerror\n" + TestPath().substr(5) + " 0\n");
}

TEST(Spawn, SignalIsReported) {
  files::Scratch scratch;
  const ExitStatus status = RunScript(scratch, "kill -SEGV $$");
  EXPECT_EQ(status.code, std::nullopt);
  EXPECT_EQ(status.signal, SIGSEGV);
}

TEST(Spawn, ChildInheritsNoSignalsOrDescriptors) {
  files::Scratch scratch;
  const files::Fd leaked(::open("/dev/null", O_RDONLY));  // not close-on-exec
  ::signal(SIGUSR1, SIG_IGN);
  sigset_t blocked, before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  // Run the program without a shell, because a shell changes signal settings.
  const auto out = files::OpenForAppend(scratch / "out");
  const auto run = [&](std::vector<std::string> argv) {
    SpawnRequest request;
    request.program = "/usr/bin/env";
    request.argv = std::move(argv);
    request.environment = {TestPath()};
    request.stdout_fd = out->get();
    auto child = SpawnOrError(request);
    EXPECT_TRUE(child.ok() && WaitFor(*child).code == 0);
  };
  run({"env", "grep", "-E", "SigBlk|SigIgn", "/proc/self/status"});
  run({"env", "ls", "/proc/self/fd"});
  run({"env", "sh", "-c", "[ $(ps -o pgid= $$) = $$ ] && echo leads"});
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGUSR1, SIG_DFL);
  // Descriptor 3 is the directory that `ls` itself reads.
  EXPECT_EQ(files::Content(scratch / "out"),
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n1\n2\n3\nleads\n");
}

TEST(Spawn, KeptDescriptorIsPassed) {
  files::Scratch scratch;
  const auto file = files::OpenForAppend(scratch / "kept");
  SpawnRequest request = Bash("echo hello >&" + std::to_string(file->get()), scratch.path());
  request.kept = {file->get()};
  auto child = SpawnOrError(request);
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(WaitFor(*child).code, 0);
  EXPECT_EQ(files::Content(scratch / "kept"), "hello\n");
}

TEST(Spawn, DirectoryDescriptorRefersToTheWorkingDirectory) {
  files::Scratch scratch;
  const auto out = files::OpenForAppend(scratch / "out");
  ASSERT_TRUE(out.ok());
  SpawnRequest request = Bash("cd /; readlink /proc/self/fd/230; ls /proc/self/fd | wc -l", scratch.path());
  request.stdout_fd = out->get();
  request.directory_fd = 230;
  auto child = SpawnOrError(request);
  ASSERT_TRUE(child.ok()) << child.error().message;
  EXPECT_EQ(WaitFor(*child).code, 0);
  // ls has four more descriptors: 0, 1, 2, and the directory that it lists.
  EXPECT_EQ(files::Content(scratch / "out"), scratch.path() + "\n5\n");
}

TEST(Spawn, SwappedStdoutAndStderrReachTheirTargets) {
  files::Scratch scratch;
  const auto out = files::OpenForAppend(scratch / "out");
  // The child's stdout and stderr are swapped. Calls of dup2 in the wrong order would lose one of them.
  SpawnRequest request = Bash("echo out; echo err >&2", scratch.path());
  request.stdout_fd = 2;
  request.stderr_fd = out->get();
  auto child = SpawnOrError(request);
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(WaitFor(*child).code, 0);
  EXPECT_EQ(files::Content(scratch / "out"), "err\n");
}

TEST(Spawn, FailedStartReportsStepAndErrno) {
  files::Scratch scratch;
  ASSERT_TRUE(files::WriteFileAtomically(scratch / "plain", "text").ok());
  ASSERT_TRUE(files::WriteFileAtomically(scratch / "no-interpreter", "#!/nonexistent/python\n", 0755).ok());
  ASSERT_TRUE(files::WriteFileAtomically(scratch / "no-format", "text", 0755).ok());
  const struct {
    std::string program, directory;
    SpawnStep step;
    int error;
  } rows[] = {{"/nonexistent", "", SpawnStep::kExec, ENOENT},
              {scratch / "plain", "", SpawnStep::kExec, EACCES},
              {scratch / "no-interpreter", "", SpawnStep::kExec, ENOENT},
              {scratch / "no-format", "", SpawnStep::kExec, ENOEXEC},
              {"/bin/true", "/nonexistent", SpawnStep::kDirectory, ENOENT}};
  for (const auto& row : rows) {
    SpawnRequest request;
    request.program = row.program;
    request.argv = {row.program};
    request.directory = row.directory;
    const auto outcome = Spawn(request);
    ASSERT_TRUE(std::holds_alternative<SpawnError>(outcome)) << row.program;
    EXPECT_EQ(std::get<SpawnError>(outcome).step, row.step) << row.program;
    EXPECT_EQ(std::get<SpawnError>(outcome).error, row.error) << row.program;
    EXPECT_THAT(SpawnOrError(request).error().message, testing::HasSubstr(row.program));
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a failed start leaves no zombie";
}

TEST(Spawn, PidfdIsReadableAfterExit) {
  files::Scratch scratch;
  SpawnRequest request = Bash("read line; exit 3", scratch.path());
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  files::Fd read_end(ends[0]), write_end(ends[1]);
  request.stdin_fd = read_end.get();
  auto child = SpawnOrError(request);
  ASSERT_TRUE(child.ok());
  pollfd wanted{child->pidfd.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&wanted, 1, 0), 0);
  EXPECT_EQ(Reap(child->pid), std::nullopt);
  write_end = files::Fd();
  EXPECT_EQ(::poll(&wanted, 1, 30'000), 1);
  const auto status = Reap(child->pid);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->code, 3);
}

TEST(LookUpCommand, CommandIsFoundAsByShell) {
  files::Scratch scratch;
  for (const char* directory : {"bin", "work", "work/sub", "bin/folder"}) {
    ASSERT_TRUE(files::MakeDirectories(scratch / directory).ok());
  }
  for (const char* file : {"bin/tool", "work/here", "work/sub/deep"}) {
    ASSERT_TRUE(files::WriteFileAtomically(scratch / file, "#!/bin/sh\n", 0755).ok());
  }
  ASSERT_TRUE(files::WriteFileAtomically(scratch / "bin/plain", "text", 0644).ok());
  const std::string path = "/nonexistent:" + scratch / "bin" + ":/usr/bin", work = scratch / "work";
  const struct {
    std::string name, path, program;
    int error;
  } rows[] = {{"tool", path, scratch / "bin/tool", 0},
              {"env", path, "/usr/bin/env", 0},
              {"nothing", path, "", ENOENT},
              {"", path, "", ENOENT},
              {"plain", path, scratch / "bin/plain", EACCES},
              {"folder", path, scratch / "bin/folder", EACCES},
              {"here", path, "", ENOENT},
              {"here", path + ":", work + "/./here", 0},
              {"deep", "sub", work + "/sub/deep", 0},
              {"./here", path, work + "/./here", 0},
              {"sub/deep", path, work + "/sub/deep", 0},
              {"/bin/true", "", "/bin/true", 0},
              {"./nothing", path, "", ENOENT}};
  for (const auto& row : rows) {
    const FoundCommand found = LookUpCommand(row.name, row.path, work);
    EXPECT_EQ(found.program, row.program) << row.name << " in " << row.path;
    EXPECT_EQ(found.error, row.error) << row.name << " in " << row.path;
  }
}

}  // namespace
}  // namespace howdah::os::process
