#include "howdah/am/guardian.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "howdah/base/exit_status.h"
#include "howdah/core/states.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/process/tree.h"

namespace howdah::am {
namespace {

constexpr std::chrono::seconds kSoon{1};
constexpr int kMostSoonDeaths = 5;

pid_t am_pid = 0;  // for the signal handler

void PassOn(int signal) { kill(am_pid, signal); }

// Reaps all children until the AM has exited. Returns the AM's wait status.
int WaitForAm() {
  for (;;) {
    int status = 0;
    if (waitpid(-1, &status, 0) == am_pid) return status;
  }
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
      const int code = guarded.am(how);
      // Call _exit, because an unresponsive ResourceManager may still block a thread. A return from main would wait for
      // this thread, or destroy objects that it uses.
      std::cout.flush();
      std::cerr.flush();
      ::_exit(code);
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
  os::process::KillAllDescendants();
  guarded.after_death(how);
  return EXIT_FAILURE;
}

}  // namespace howdah::am
