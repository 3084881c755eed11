#include "guardian.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "howdah/os/process/spawn.h"
#include "howdah/os/process/tree.h"
#include "log.h"

namespace howdah::executor {
namespace {

sigset_t SignalSet(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  return set;
}

// Ends this process by the signal that killed the executor, without a core file.
[[noreturn]] void DieBy(int signal) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(signal, SIG_DFL);
  const sigset_t only = SignalSet({signal});
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::kill(::getpid(), signal);
  ::_exit(128 + signal);
}

}  // namespace

int RunGuardian(const std::function<int(const Guardian&)>& executor, const std::function<void()>& at_end,
                int executor_only_fd) {
  os::process::CloseInheritedOnExec();
  const auto pulse = os::process::LoopPulse::Make();
  const Status prepared = pulse.ok() ? os::process::BecomeSubreaper() : Status(pulse.error());
  if (!prepared.ok()) {
    Log(prepared.error().message);
    return 1;
  }
  const sigset_t handled = SignalSet({SIGTERM, SIGINT, SIGHUP, SIGCHLD});
  ::sigprocmask(SIG_BLOCK, &handled, nullptr);
  const pid_t guardian = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    Log(os::files::SystemError("creating the executor's process").message);
    return 1;
  }
  if (child == 0) {
    // Only SIGCHLD stays blocked, because the executor reads it from a signalfd. The other signals kill the executor,
    // and the guardian then dies of the same signal.
    const sigset_t free = SignalSet({SIGTERM, SIGINT, SIGHUP});
    ::sigprocmask(SIG_UNBLOCK, &free, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    // When a container's first process has died, a NodeManager sends SIGTERM to the process group of the dead process.
    // An executor in that group would die before it has killed the task's processes.
    ::setpgid(0, 0);
    const int code = executor({guardian, *pulse});
    os::process::KillAllDescendants();  // the guardian does the same, but may be dead
    ::_exit(code);
  }
  if (executor_only_fd >= 0) ::close(executor_only_fd);
  os::process::LoopWatchdog watchdog(*pulse);
  for (;;) {
    const int signal = watchdog.AwaitSignal(handled);
    const bool ordered = signal != 0 && signal != SIGCHLD;
    const auto status = signal == SIGCHLD ? os::process::Reap(child) : std::nullopt;
    const bool hung = !status && watchdog.hung();
    if (!ordered && !status && !hung) continue;
    os::process::KillAllDescendants();
    at_end();
    if (ordered) return 0;
    if (hung) {
      Log("the executor " + watchdog.Text());
      return 1;
    }
    if (status->signal) DieBy(*status->signal);
    return *status->code;
  }
}

}  // namespace howdah::executor
