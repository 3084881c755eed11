#include "executor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "howdah/base/version.h"
#include "howdah/core/progress.h"
#include "howdah/executor/exec.h"
#include "howdah/os/process/tree.h"
#include "log.h"
#include "own_address.h"

namespace howdah::executor {
namespace {

// The time limit for sending the last messages to the AM.
constexpr auto kFarewellLimit = std::chrono::seconds(2);
constexpr Duration kLingerLimit = std::chrono::seconds(10);

}  // namespace

Executor::Executor(const TaskOptions& options, os::process::PortReservation port, const Guardian& guardian,
                   Connect connect, MakeChannelTo make_channel)
    : plan_{.options = options, .task = {0, options.index}, .port = port.port()},
      am_(loop_, clock_, std::move(connect),
          {[this](const wire::ToExecutor& message) { OnMessage(message); }, [this] { logs_.OnSent(); },
           [this] { return runner_.newest(); }, [this] { OnRegistered(); }, [this] { OnHeartbeatDue(); },
           [this] { OnAmMoved(); }, [this](const std::string& why) { OnAmLost(why); }}),
      logs_(loop_, [this](const wire::FromExecutor& message) { am_.Send(message); }),
      metrics_(loop_, clock_, am_),
      feeds_(loop_, am_),
      runner_({loop_, clock_, plan_, am_, logs_, metrics_.usage(), metrics_, feeds_}, std::move(port),
              [this] { OnAttemptEnded(); }),
      streams_(
          loop_,
          [this, make_channel = std::move(make_channel)](rpc::Post post) {
            return make_channel(am_.am_address(), std::move(post));
          },
          [this](const jobspec::Command& command) { return runner_.PrepareCommand(command); },
          [this](pid_t pid) { runner_.OnCommandStarted(pid); }, [this] { return runner_.stack_target(); }),
      children_(loop_),
      guardian_(loop_),
      turns_{guardian.pulse, boost::asio::steady_timer(loop_)},
      leaving_{std::nullopt, false, boost::asio::steady_timer(loop_)} {
  sigset_t child_signal;
  ::sigemptyset(&child_signal);
  ::sigaddset(&child_signal, SIGCHLD);
  children_.assign(::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK));
  WatchChildren();
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, guardian.pid, 0));
  if (pidfd < 0 || ::getppid() != guardian.pid) OnGuardianGone();
  guardian_.assign(pidfd);
  WatchGuardian();
}

Status Executor::Register() {
  plan_.host = plan_.options.host;
  if (plan_.host.empty()) {
    HOWDAH_TRY(plan_.host, OwnAddressTowards(plan_.options.am_address));
  }
  plan_.interface = InterfaceOf(plan_.host);
  wire::Register registration;
  registration.set_container(plan_.options.container);
  registration.set_version(std::string(kVersion));
  registration.set_host(plan_.host);
  registration.set_port(plan_.port);
  registration.set_pid(::getpid());
  return am_.Open(plan_.options.am_address, std::move(registration), plan_.options.am_may_move);
}

Status Executor::Prepare() {
  HOWDAH_TRY_STATUS(setup_.ReadJob(plan_));
  HOWDAH_TRY_STATUS(feeds_.Begin(plan_));
  logs_.Begin(plan_.options, plan_.role().processes);
  metrics_.usage().MeasureGpus(plan_.options.gpus.value_or(std::vector<int>()), plan_.options.inherited["PATH"]);
  setup_.FillWorkDirectory(plan_, [this](const Status& filled) { runner_.OnWorkDirectory(filled); });
  return {};
}

int Executor::Run() {
  ShowTurn();
  loop_.run();
  return leaving_.exit_code.value_or(1);
}

void Executor::ShowTurn() {
  turns_.pulse.Turned();
  turns_.timer.expires_after(std::chrono::seconds(1));
  turns_.timer.async_wait([this](const boost::system::error_code& error) {
    if (!error) ShowTurn();
  });
}

void Executor::OnMessage(const wire::ToExecutor& message) {
  if (message.has_welcome()) {
    if (!message.welcome().refused().empty()) {
      Log("refused by the application master: " + message.welcome().refused());
      BeginExit(1);
      am_.StopReconnecting();
      return Finish();
    }
    am_.OnWelcome(message.welcome());
  }
  if (message.has_start() && !leaving_.exit_code) runner_.Start(message.start(), message.cluster());
  feeds_.OnMessage(message);
  if (message.has_stop()) runner_.Stop(message.stop());
  if (message.has_watch_logs()) logs_.OnWatch(message.watch_logs().on());
  if (message.has_watch_metrics()) metrics_.Watch(message.watch_metrics().watched());
  if (message.has_pull_log()) logs_.OnPull(message.pull_log());
  if (message.has_print()) runner_.Print(message.print());
  if (message.has_open_tunnel()) streams_.Open(message.open_tunnel().id());
  if (message.has_replace_tokens()) ReplaceTokens(message.replace_tokens().tokens());
  if (message.has_keep_logs()) outputs_.KeepLogs();
  if (message.has_leave()) OnLeave(message.leave());
}

void Executor::OnRegistered() {
  runner_.OnRegistered();
  feeds_.OnRegistered();
}

void Executor::ReplaceTokens(const std::string& tokens) {
  const auto& replace = plan_.options.replace_tokens;
  const Status replaced = replace ? replace(tokens) : Status(Failed("this backend has no tokens"));
  if (!replaced.ok()) Log("replacing the task's tokens: " + replaced.error().message);
}

void Executor::OnLeave(const wire::Leave& leave) {
  const bool first = !leaving_.exit_code;
  if (!first && !leaving_.lingering) return;
  BeginExit(0);
  if (first && leave.replaced()) outputs_.DropOutputs();
  if (first && leave.linger_micros() > 0) Linger(std::min(Duration(leave.linger_micros()), kLingerLimit));
  if (leave.linger_micros() == 0) leaving_.lingering = false;
  if (runner_.running()) return runner_.Stop(Duration(0), Duration(0));
  if (!leaving_.lingering) Finish();
}

void Executor::BeginExit(int exit_code) {
  leaving_.exit_code = leaving_.exit_code.value_or(exit_code);
  runner_.DropPending();
}

void Executor::Linger(Duration limit) {
  leaving_.lingering = true;
  leaving_.farewell.expires_after(limit);
  leaving_.farewell.async_wait([this](const boost::system::error_code& error) {
    if (error || !std::exchange(leaving_.lingering, false)) return;
    if (!runner_.running()) Finish();
  });
}

// Does not end the loop while an AM is connected, because the queued messages must reach it first. The end of the
// stream leads to OnAmLost, which calls Finish again.
void Executor::Finish() {
  if (outputs_.running()) return;
  if (outputs_.Begin(plan_, [this] { Finish(); })) {
    wire::FromExecutor message;
    message.mutable_storing();
    return am_.Report(std::move(message));
  }
  am_.StopReconnecting();
  if (leaving_.exit_code == 0) {
    os::process::KillAllDescendants();  // those that have left the task's process group, too
    wire::FromExecutor message;
    message.mutable_left();
    am_.Send(message);
  }
  if (!am_.Finish()) return loop_.stop();
  leaving_.farewell.expires_after(kFarewellLimit);
  leaving_.farewell.async_wait([this](const boost::system::error_code& error) {
    if (!error) loop_.stop();
  });
}

void Executor::OnAmLost(const std::string& why) {
  if (!leaving_.exit_code) {
    Log("lost the connection to the application master at " + am_.am_address() + ": " + why);
    BeginExit(1);
    am_.StopReconnecting();
    // No AM is left to send a Stop, so the executor itself stops the task.
    const jobspec::Checkpoint& checkpoint = plan_.spec.checkpoint;
    if (runner_.running()) return runner_.Stop(checkpoint.grace, core::LongestGrace(checkpoint));
  }
  if (!runner_.running()) Finish();
}

void Executor::OnAmMoved() {
  plan_.options.am_address = am_.am_address();
  if (const auto known = plan_.options.agent_variables.find(kAmVariable);
      known != plan_.options.agent_variables.end()) {
    known->second = am_.am_address();
  }
  streams_.Close();
}

void Executor::OnAttemptEnded() {
  if (leaving_.exit_code && !leaving_.lingering) Finish();
}

void Executor::OnHeartbeatDue() {
  wire::FromExecutor message;
  runner_.FillHeartbeat(*message.mutable_heartbeat());
  am_.Send(message);
  runner_.CheckForHang(message.heartbeat().usage());
}

void Executor::WatchChildren() {
  children_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [this](const boost::system::error_code& error) {
                         if (error) return;
                         signalfd_siginfo signals[8];
                         while (::read(children_.native_handle(), signals, sizeof signals) > 0) {
                         }
                         ReapChildren();
                         WatchChildren();
                       });
}

void Executor::ReapChildren() {
  std::vector<os::process::Reaped> children;
  while (const auto child = os::process::ReapAny()) children.push_back(*child);
  for (const os::process::Reaped& child : children) {
    streams_.OnReaped(child);
    metrics_.usage().OnReaped(child);
  }
  runner_.OnReaped(children);
}

void Executor::WatchGuardian() {
  guardian_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [this](const boost::system::error_code& error) {
                         if (!error) OnGuardianGone();
                       });
}

void Executor::OnGuardianGone() {
  Log("the guardian is gone: killing all processes of the task");
  os::process::KillAllDescendants();
  ::_exit(1);
}

}  // namespace howdah::executor
