#include "exec.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

#include "flags.h"
#include "howdah/backend/local/agent.h"
#include "howdah/rpc/identity.h"
#include "howdah/rpc/streams/run_remote.h"
#include "yarn.h"

namespace howdah::agent {
namespace {

constexpr char kAgent[] = "HOWDAH_AGENT", kAm[] = "HOWDAH_AM", kTls[] = "HOWDAH_TLS";

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<rpc::AmContact> ContactOfThisTask() {
  const std::string address = Variable(kAm), tls = Variable(kTls);
  if (address.empty()) return Error{ErrorCode::kUsage, "this is no task of a job: HOWDAH_AM is not set"};
  auto identity = tls.empty() ? YarnIdentity() : backend::local::ReadIdentity(tls, "executor");
  if (!identity.ok()) return identity.error();
  return rpc::AmContact{address, std::move(*identity)};
}

constexpr std::chrono::seconds kStartLimit{60};
constexpr std::chrono::milliseconds kStartPause{100};

// "worker:1"; the separator is the last one, as a name of a role may have a '-'.
bool ParseTask(const std::string& text, char separator, rpc::streams::RemoteCommand& command) {
  const size_t at = text.rfind(separator);
  if (at == std::string::npos || at == 0) return false;
  command.role = text.substr(0, at);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + at + 1, end, command.index);
  return error == std::errc() && stop == end && command.index >= 0;
}

}  // namespace

std::map<std::string, std::string> AgentVariables(const std::string& agent, const std::string& am_address,
                                                  const std::string& tls) {
  std::map<std::string, std::string> variables = {{kAgent, agent}, {kAm, am_address}};
  if (!tls.empty()) variables[kTls] = tls;
  return variables;
}

Result<int> RunExec(const std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  const auto flags = Flags::Parse({arguments.begin(), dashes}, {"--task"}, {});
  if (!flags.ok()) return flags.error();
  rpc::streams::RemoteCommand command;
  if (!ParseTask(flags->text("--task"), ':', command)) return Error{ErrorCode::kUsage, "--task is to be ROLE:INDEX"};
  if (dashes != arguments.end()) command.argv.assign(dashes + 1, arguments.end());
  if (command.argv.empty()) return Error{ErrorCode::kUsage, "a command is missing: write it behind --"};
  const auto am = ContactOfThisTask();
  if (!am.ok()) return am.error();
  return rpc::streams::RunRemote(*am, command);
}

Result<int> RunRsh(const std::vector<std::string>& arguments) {
  rpc::streams::RemoteCommand command;
  if (arguments.size() < 2 || !ParseTask(arguments[0], '-', command)) {
    return Error{ErrorCode::kUsage, "it takes ROLE-INDEX and a shell command"};
  }
  std::string shell;
  for (size_t i = 1; i < arguments.size(); ++i) shell += (i > 1 ? " " : "") + arguments[i];
  command.argv = {"bash", "-c", shell};
  const auto am = ContactOfThisTask();
  if (!am.ok()) return am.error();
  // They are for mpirun, in whose process group this runs, and which passes them on itself.
  std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGUSR2, SIG_IGN);
  const auto give_up = std::chrono::steady_clock::now() + kStartLimit;
  for (;;) {
    auto code = rpc::streams::RunRemote(*am, command);
    const bool not_asked = !code.ok() && code.error().code == ErrorCode::kFailed;
    if (!not_asked || std::chrono::steady_clock::now() > give_up) return code;
    std::this_thread::sleep_for(kStartPause);
  }
}

}  // namespace howdah::agent
