#include "howdah/am/guardian.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "howdah/base/exit_status.h"
#include "howdah/core/states.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/tree.h"

namespace howdah::am {
namespace {

constexpr std::chrono::seconds kSoon{1};
constexpr int kMostSoonDeaths = 5;

pid_t am_pid = 0;  // for the signal handler

void PassOn(int signal) { kill(am_pid, signal); }

// Reaps every child that exits until the AM does. Returns the AM's wait status.
int WaitForAm() {
  for (;;) {
    int status = 0;
    if (waitpid(-1, &status, 0) == am_pid) return status;
  }
}

// From the AM to its guardian. Both hold both ends: they are one program, and children close them.
struct ErrorPipe {
  ErrorPipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    read_end = os::files::Fd(ends[0]);
    write_end = os::files::Fd(ends[1]);
  }
  os::files::Fd read_end, write_end;
};

void SendError(const ErrorPipe& pipe, const Error& error) {
  // At most what the guardian reads at once. If the pipe fails, the reason of the job's end lacks the error.
  const std::string_view text = std::string_view(error.message).substr(0, PIPE_BUF);
  (void)os::files::WriteAll(pipe.write_end.get(), text, "the error for the guardian").ok();
}

// Called when the AM has exited.
std::string ReceiveError(const ErrorPipe& pipe) {
  std::string text(PIPE_BUF, '\0');
  const ssize_t size = read(pipe.read_end.get(), text.data(), text.size());
  text.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
  return text;
}

ExitStatus ExitStatusOf(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {.signal = WTERMSIG(wait_status)};
  return {.code = WEXITSTATUS(wait_status)};
}

}  // namespace

int RunGuarded(const Guarded& guarded) {
  if (const Status made = os::process::BecomeSubreaper(); !made.ok()) {
    std::cerr << made.error().message << "\n";
    return EXIT_FAILURE;
  }
  sigset_t orders, before;
  sigemptyset(&orders);
  for (const int passed_on : {SIGTERM, SIGINT}) sigaddset(&orders, passed_on);
  ErrorPipe error_pipe;
  std::string how;
  for (int soon = 0; soon < kMostSoonDeaths;) {
    const auto begun = std::chrono::steady_clock::now();
    // Signals that arrive while no AM runs are delivered to the next one.
    sigprocmask(SIG_BLOCK, &orders, &before);
    am_pid = fork();
    if (am_pid < 0) {
      how = "could not be started: " + os::files::SystemError("fork").message;
      break;
    }
    if (am_pid == 0) {
      for (const int passed_on : {SIGTERM, SIGINT, SIGHUP}) signal(passed_on, SIG_DFL);
      sigprocmask(SIG_SETMASK, &before, nullptr);
      const Status ended = guarded.am(how);
      if (!ended.ok()) {
        std::cerr << ended.error().message << "\n";
        SendError(error_pipe, ended.error());
      }
      // _exit does not join a thread that an unresponsive ResourceManager blocks. That thread must not use objects
      // which the end of main would destroy.
      std::cout.flush();
      std::cerr.flush();
      ::_exit(ended.ok() ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    if (guarded.am_only_fd >= 0 && how.empty()) close(guarded.am_only_fd);
    for (const int passed_on : {SIGTERM, SIGINT}) signal(passed_on, PassOn);
    signal(SIGHUP, SIG_IGN);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    const int status = WaitForAm();
    how = DescribeEnd(ExitStatusOf(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) {
      os::process::KillAllDescendants();
      return EXIT_SUCCESS;
    }
    if (!guarded.again || !WIFSIGNALED(status) || !guarded.again()) break;
    soon = std::chrono::steady_clock::now() - begun < kSoon ? soon + 1 : 0;
    std::cerr << "the application master " << how << (soon < kMostSoonDeaths ? "; it is started again\n" : "\n");
  }
  const std::string error = ReceiveError(error_pipe);
  os::process::KillAllDescendants();
  guarded.after_death(how, error);
  return EXIT_FAILURE;
}

}  // namespace howdah::am
