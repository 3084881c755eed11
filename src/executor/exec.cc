#include "howdah/executor/exec.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <utility>

#include "howdah/base/flags.h"
#include "howdah/base/number.h"
#include "howdah/frameworks/mpi/mpi.h"
#include "howdah/os/process/clock.h"
#include "howdah/rpc/streams/run_remote.h"

namespace howdah::executor {
namespace {

constexpr char kAgentVariable[] = "HOWDAH_AGENT", kTlsVariable[] = "HOWDAH_TLS";
constexpr std::chrono::seconds kStartLimit{60};
constexpr std::chrono::milliseconds kStartPause{100};

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Error UsageError(std::string message) { return {ErrorCode::kUsage, std::move(message)}; }

Result<rpc::AmContact> FindAm(const LoadIdentity& load_identity) {
  const std::string address = Variable(kAmVariable);
  if (address.empty()) return UsageError("this program does not run in a task of a job: HOWDAH_AM is not set");
  HOWDAH_TRY(rpc::Identity identity, load_identity(Variable(kTlsVariable)));
  return rpc::AmContact{address, std::move(identity)};
}

// Parses "worker:1" or "worker-1", splitting at the last separator, because a role's name may contain '-'.
bool ParseTask(const std::string& text, char separator, rpc::streams::RemoteCommand& command) {
  const size_t at = text.rfind(separator);
  if (at == std::string::npos || at == 0) return false;
  command.role = text.substr(0, at);
  command.index = ParseNumber<int>(text.substr(at + 1)).value_or(-1);
  return command.index >= 0;
}

// mpirun starts this program, and should have inherited the descriptor of its task's working directory. Without the
// descriptor, mpirun passes a path to its daemons. In their tasks, the path may not exist, or may belong to another
// task.
void WarnIfMpirunHasNoDirectory() {
  const std::string descriptors = "/proc/" + std::to_string(::getppid()) + "/fd/";
  const std::string number = std::to_string(frameworks::mpi::kDirectoryFd);
  if (::access((descriptors + number).c_str(), F_OK) == 0 || errno != ENOENT) return;
  std::cerr << "howdah-agent rsh: mpirun has not inherited file descriptor " << number
            << ", so its ranks do not start in the working directory of their own task; start mpirun without closing "
               "descriptors (in Python's subprocess: close_fds=False)\n";
}

}  // namespace

std::map<std::string, std::string> AgentVariables(const std::string& agent, const std::string& am_address,
                                                  const std::string& tls) {
  std::map<std::string, std::string> variables = {{kAgentVariable, agent}, {kAmVariable, am_address}};
  if (!tls.empty()) variables[kTlsVariable] = tls;
  return variables;
}

Result<int> RunExec(const std::vector<std::string>& arguments, const LoadIdentity& load_identity) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  HOWDAH_TRY(const Flags flags, Flags::Parse({arguments.begin(), dashes}, {"--task"}, {}));
  rpc::streams::RemoteCommand command;
  if (!ParseTask(flags.text("--task"), ':', command)) return UsageError("--task must be ROLE:INDEX");
  if (dashes != arguments.end()) command.argv.assign(dashes + 1, arguments.end());
  if (command.argv.empty()) return UsageError("the command is missing: write it after --");
  HOWDAH_TRY(const rpc::AmContact am, FindAm(load_identity));
  return rpc::streams::RunRemote(am, command);
}

Result<int> RunRsh(const std::vector<std::string>& arguments, const LoadIdentity& load_identity) {
  rpc::streams::RemoteCommand command;
  if (arguments.size() < 2 || !ParseTask(arguments[0], '-', command)) {
    return UsageError("expected ROLE-INDEX and a shell command");
  }
  std::string shell;
  for (size_t i = 1; i < arguments.size(); ++i) shell += (i > 1 ? " " : "") + arguments[i];
  command.argv = {"bash", "-c", shell};
  HOWDAH_TRY(const rpc::AmContact am, FindAm(load_identity));
  WarnIfMpirunHasNoDirectory();
  // mpirun shares its process group with this process and forwards these signals to the ranks itself.
  std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGUSR2, SIG_IGN);
  const os::process::Clock clock;
  const Instant give_up = clock.Now() + kStartLimit;
  for (;;) {
    auto code = rpc::streams::RunRemote(am, command);
    const bool not_running = !code.ok() && code.error().code == ErrorCode::kFailed;
    if (!not_running || clock.Now() > give_up) return code;
    std::this_thread::sleep_for(kStartPause);
  }
}

}  // namespace howdah::executor
