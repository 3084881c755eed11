#include "howdah/base/exit_status.h"

#include <csignal>

#include "howdah/base/number.h"

namespace howdah {
namespace {

struct Signal {
  int number;
  std::string_view name;
};
// SignalName() shows the first entry for a number; the later ones are aliases for SignalNumber().
constexpr Signal kSignals[] = {
    {SIGHUP, "SIGHUP"},       {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},   {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"},
    {SIGABRT, "SIGABRT"},     {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},     {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"},
    {SIGSEGV, "SIGSEGV"},     {SIGUSR2, "SIGUSR2"}, {SIGPIPE, "SIGPIPE"},   {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},
    {SIGSTKFLT, "SIGSTKFLT"}, {SIGCHLD, "SIGCHLD"}, {SIGCONT, "SIGCONT"},   {SIGSTOP, "SIGSTOP"}, {SIGTSTP, "SIGTSTP"},
    {SIGTTIN, "SIGTTIN"},     {SIGTTOU, "SIGTTOU"}, {SIGURG, "SIGURG"},     {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
    {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGWINCH, "SIGWINCH"}, {SIGIO, "SIGIO"},     {SIGPWR, "SIGPWR"},
    {SIGSYS, "SIGSYS"},       {SIGABRT, "SIGIOT"},  {SIGIO, "SIGPOLL"}};
constexpr int kSignalMax = 64;
constexpr int kShellSignalBase = 128;

}  // namespace

std::string ToText(const ExitStatus& exit) {
  if (exit.signal) return "signal " + std::to_string(*exit.signal) + " (" + SignalName(*exit.signal) + ")";
  return "exit code " + std::to_string(exit.code.value_or(0));
}

std::string DescribeEnd(const ExitStatus& exit) {
  return (exit.signal ? "was killed by " : "ended with ") + ToText(exit);
}

ExitStatus FromShellCode(int code) {
  if (code > kShellSignalBase && code <= kShellSignalBase + kSignalMax) return {{}, code - kShellSignalBase};
  return {code, {}};
}

std::string SignalName(int signal) {
  for (const Signal& s : kSignals) {
    if (s.number == signal) return std::string(s.name);
  }
  return "SIG" + std::to_string(signal);
}

std::optional<int> SignalNumber(std::string_view name) {
  for (const Signal& s : kSignals) {
    if (s.name == name) return s.number;
  }
  if (!name.starts_with("SIG")) return std::nullopt;
  const std::string_view digits = name.substr(3);
  const auto number = ParseNumber<int>(digits);
  if (!number || digits.front() == '0' || *number < 1 || *number > kSignalMax) return std::nullopt;
  return number;
}

}  // namespace howdah
