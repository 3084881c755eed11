#include "howdah/am/guardian.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "howdah/core/states.h"
#include "howdah/process/fd.h"
#include "howdah/process/tree.h"

namespace howdah::am {
namespace {

pid_t am_pid = 0;  // for the signal handler

void PassOn(int signal) { kill(am_pid, signal); }

// Reaps everything that ends until the AM does; its wait status.
int WaitForAm() {
  for (;;) {
    int status = 0;
    if (waitpid(-1, &status, 0) == am_pid) return status;
  }
}

std::string HowItEnded(int status) {
  if (WIFSIGNALED(status)) {
    return "was killed by signal " + std::to_string(WTERMSIG(status)) + " (" + core::SignalName(WTERMSIG(status)) + ")";
  }
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

int RunGuarded(int am_only_fd, const std::function<int()>& am,
               const std::function<void(const std::string& how)>& after_death) {
  if (const Status made = process::BecomeSubreaper(); !made.ok()) {
    std::cerr << made.error().message << "\n";
    return EXIT_FAILURE;
  }
  am_pid = fork();
  if (am_pid < 0) {
    after_death("could not be started: " + process::SystemError("fork").message);
    return EXIT_FAILURE;
  }
  if (am_pid == 0) return am();
  if (am_only_fd >= 0) close(am_only_fd);
  for (const int passed_on : {SIGTERM, SIGINT}) signal(passed_on, PassOn);
  signal(SIGHUP, SIG_IGN);
  const int status = WaitForAm();
  process::KillAllDescendants();
  if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) return EXIT_SUCCESS;
  after_death(HowItEnded(status));
  return EXIT_FAILURE;
}

}  // namespace howdah::am
