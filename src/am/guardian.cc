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
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/tree.h"

namespace howdah::am {
namespace {

using os::process::LoopPulse;
using os::process::LoopWatchdog;

constexpr std::chrono::seconds kSoon{1};
// The death of an AM counts as quick within kSoon of its start, or within kSoonHang if the AM hung, because a hang is
// detected only after LoopWatchdog::kLimit. After kMostSoonDeaths quick deaths in a row, no other AM is started.
constexpr std::chrono::seconds kSoonHang{2 * LoopWatchdog::kLimit};
constexpr int kMostSoonDeaths = 5;
// The number of seconds within which an AM must begin to act on SIGTERM.
constexpr int kStopLimit = 10;

sigset_t SignalSet(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

struct AmEnd {
  ExitStatus status;
  std::string how;  // a clause such as "was killed by signal 9 (SIGKILL)"
  bool hung = false;
  std::optional<int> stop_signal;  // SIGTERM or SIGINT, if the AM was to stop

  bool succeeded() const { return status.success(); }
};

// Waits for the AM, forwards SIGTERM and SIGINT to it, and kills it if it hangs. Reaps every other child that exits.
// stop_signal: the signal that an earlier AM has received, and that this one receives at its start.
AmEnd WaitForAm(pid_t am, LoopWatchdog& watchdog, std::optional<int> stop_signal) {
  const sigset_t handled = SignalSet({SIGTERM, SIGINT, SIGCHLD});
  AmEnd end;
  const auto stop = [&](int signal) {
    end.stop_signal = signal;
    kill(am, signal);
    watchdog.Require(kStopLimit);
  };
  if (stop_signal) stop(*stop_signal);
  for (;;) {
    const int signal = watchdog.AwaitSignal(handled);
    if (signal == SIGTERM || signal == SIGINT) stop(signal);
    while (const auto child = os::process::ReapAny()) {
      if (child->pid != am) continue;
      end.status = child->status;
      if (!end.hung) end.how = DescribeEnd(end.status);
      return end;
    }
    if (!end.hung && watchdog.hung()) {
      end.hung = true;
      end.how = watchdog.Text() + " and was killed by its guardian";
      kill(am, SIGKILL);
    }
  }
}

// A pipe from the AM to its guardian. The AM is forked from the guardian, so both processes have both ends open. The
// ends are close-on-exec, so no other program inherits them.
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
  // The guardian reads at most PIPE_BUF bytes at once. If the write fails, the recorded reason for the end of the job
  // lacks this error.
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

// In the child: runs the AM and ends the process. SIGTERM and SIGINT stay blocked until EventLoop::OnSignal, because an
// AM that has no handler yet would die, and the next AM would continue the job.
[[noreturn]] void RunAm(const Guarded& guarded, const std::string& how_before_died, const LoopPulse& pulse,
                        const ErrorPipe& error_pipe) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::signal(signal, SIG_DFL);
  const sigset_t child_signal = SignalSet({SIGCHLD});
  sigprocmask(SIG_UNBLOCK, &child_signal, nullptr);
  const Status ended = guarded.am(how_before_died, pulse);
  if (!ended.ok()) {
    std::cerr << ended.error().message << "\n";
    SendError(error_pipe, ended.error());
  }
  // Call _exit, because an unresponsive ResourceManager may block a thread of the AM. A return from main would wait for
  // that thread, or destroy objects that the thread still uses.
  std::cout.flush();
  std::cerr.flush();
  ::_exit(ended.ok() ? EXIT_SUCCESS : EXIT_FAILURE);
}

}  // namespace

int RunGuarded(const Guarded& guarded) {
  const auto pulse = LoopPulse::Make();
  const Status prepared = pulse.ok() ? os::process::BecomeSubreaper() : Status(pulse.error());
  if (!prepared.ok()) {
    std::cerr << prepared.error().message << "\n";
    return EXIT_FAILURE;
  }
  // A signal that arrives while no AM runs, or that an AM did not survive, is delivered to the next one.
  const sigset_t handled = SignalSet({SIGTERM, SIGINT, SIGCHLD});
  sigprocmask(SIG_BLOCK, &handled, nullptr);
  const os::process::Clock clock;
  LoopWatchdog watchdog(*pulse);
  AmEnd end;
  ErrorPipe error_pipe;
  for (int soon = 0; soon < kMostSoonDeaths;) {
    const Instant begun = clock.Now();
    const pid_t am = fork();
    if (am < 0) {
      end.how = "could not be started: " + os::files::SystemError("fork").message;
      break;
    }
    if (am == 0) RunAm(guarded, end.how, *pulse, error_pipe);
    if (guarded.am_only_fd >= 0 && end.how.empty()) close(guarded.am_only_fd);
    signal(SIGHUP, SIG_IGN);
    watchdog.Restart();
    end = WaitForAm(am, watchdog, end.stop_signal);
    if (end.succeeded()) {
      os::process::KillAllDescendants();
      return EXIT_SUCCESS;
    }
    if (!guarded.again || !end.status.signal || (end.hung && end.stop_signal) || !guarded.again()) break;
    const Duration lived = clock.Now() - begun;
    soon = lived < (end.hung ? kSoonHang : kSoon) ? soon + 1 : 0;
    std::cerr << "the application master " << end.how << (soon < kMostSoonDeaths ? "; it is started again\n" : "\n");
  }
  const std::string error = ReceiveError(error_pipe);
  os::process::KillAllDescendants();
  guarded.after_death({end.how, error, end.hung && end.stop_signal, clock.Now()});
  return EXIT_FAILURE;
}

}  // namespace howdah::am
