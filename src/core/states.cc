#include "howdah/core/states.h"

#include <charconv>
#include <csignal>
#include <iterator>

namespace howdah::core {
namespace {

constexpr std::string_view kJobStates[] = {"QUEUED",    "STARTING", "RUNNING", "RECOVERING",
                                           "SUCCEEDED", "FAILED",   "KILLED"};
constexpr std::string_view kTaskStates[] = {"PENDING",   "ALLOCATED", "READY", "RUNNING",
                                            "SUCCEEDED", "FAILED",    "LOST",  "STOPPED"};

template <typename State, size_t kCount>
std::optional<State> Parse(const std::string_view (&names)[kCount], std::string_view text) {
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] == text) return static_cast<State>(i);
  }
  return std::nullopt;
}

struct Signal {
  int number;
  std::string_view name;
};
// The first name of a number is the one that is shown.
constexpr Signal kSignals[] = {
    {SIGHUP, "SIGHUP"},       {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},   {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"},
    {SIGABRT, "SIGABRT"},     {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},     {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"},
    {SIGSEGV, "SIGSEGV"},     {SIGUSR2, "SIGUSR2"}, {SIGPIPE, "SIGPIPE"},   {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},
    {SIGSTKFLT, "SIGSTKFLT"}, {SIGCHLD, "SIGCHLD"}, {SIGCONT, "SIGCONT"},   {SIGSTOP, "SIGSTOP"}, {SIGTSTP, "SIGTSTP"},
    {SIGTTIN, "SIGTTIN"},     {SIGTTOU, "SIGTTOU"}, {SIGURG, "SIGURG"},     {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
    {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGWINCH, "SIGWINCH"}, {SIGIO, "SIGIO"},     {SIGPWR, "SIGPWR"},
    {SIGSYS, "SIGSYS"},       {SIGABRT, "SIGIOT"},  {SIGIO, "SIGPOLL"}};
constexpr int kSignalMax = 64;

}  // namespace

std::string_view ToText(JobState s) { return kJobStates[static_cast<size_t>(s)]; }
std::string_view ToText(TaskState s) { return kTaskStates[static_cast<size_t>(s)]; }
std::optional<JobState> ParseJobState(std::string_view text) { return Parse<JobState>(kJobStates, text); }
std::optional<TaskState> ParseTaskState(std::string_view text) { return Parse<TaskState>(kTaskStates, text); }

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
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '0') return std::nullopt;
  if (number < 1 || number > kSignalMax) return std::nullopt;
  return number;
}

}  // namespace howdah::core
