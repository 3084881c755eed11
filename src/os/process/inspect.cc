#include "howdah/os/process/inspect.h"

#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <utility>

#include "howdah/base/number.h"
#include "howdah/base/text.h"
#include "proc.h"

namespace howdah::os::process {
namespace {

// The system calls in which hung processes are usually found.
constexpr std::array<std::pair<int, std::string_view>, 22> kSystemCalls = {{{SYS_read, "read"},
                                                                            {SYS_write, "write"},
                                                                            {SYS_openat, "openat"},
                                                                            {SYS_fsync, "fsync"},
                                                                            {SYS_flock, "flock"},
                                                                            {SYS_poll, "poll"},
                                                                            {SYS_ppoll, "ppoll"},
                                                                            {SYS_select, "select"},
                                                                            {SYS_pselect6, "pselect6"},
                                                                            {SYS_epoll_wait, "epoll_wait"},
                                                                            {SYS_epoll_pwait, "epoll_pwait"},
                                                                            {SYS_recvfrom, "recvfrom"},
                                                                            {SYS_recvmsg, "recvmsg"},
                                                                            {SYS_sendto, "sendto"},
                                                                            {SYS_connect, "connect"},
                                                                            {SYS_accept, "accept"},
                                                                            {SYS_accept4, "accept4"},
                                                                            {SYS_futex, "futex"},
                                                                            {SYS_nanosleep, "nanosleep"},
                                                                            {SYS_clock_nanosleep, "clock_nanosleep"},
                                                                            {SYS_wait4, "wait4"},
                                                                            {SYS_waitid, "waitid"}}};

std::string Value(std::string_view text, std::string_view key) {
  const size_t at = text.find("\n" + std::string(key) + ":");
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + key.size() + 2);
  text = text.substr(0, text.find('\n'));
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin));
}

// Parses the content of /proc/PID/syscall: "202 0x7f... ...", "running", or "-1 ..." outside a system call.
std::string SystemCallOf(const std::string& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return "";
  for (const auto& [known, name] : kSystemCalls) {
    if (known == number) return std::string(name);
  }
  return std::to_string(number);
}

std::string Doing(char state) {
  switch (state) {
    case 'R':
      return "runs";
    case 'S':
      return "sleeps";
    case 'D':
      return "is in uninterruptible sleep";
    case 'T':
    case 't':
      return "is stopped";
    default:
      return std::string("is in state ") + state;
  }
}

}  // namespace

std::string ProcessFacts::Text() const {
  std::string text = name + " " + Doing(state);
  if (!waits_in.empty()) text += " in " + waits_in;
  if (!system_call.empty()) text += " (system call " + system_call + ")";
  return text + ", " + CountOf(threads, "thread");
}

std::optional<ProcessFacts> InspectProcess(pid_t pid) {
  const std::string directory = "/proc/" + std::to_string(pid);
  const std::string status = "\n" + ReadProcFile(directory + "/status");
  ProcessFacts facts;
  facts.name = Value(status, "Name");
  if (facts.name.empty()) return std::nullopt;
  facts.state = Value(status, "State").front();
  std::sscanf(Value(status, "Threads").c_str(), "%d", &facts.threads);
  facts.caught = ParseNumber<uint64_t>(Value(status, "SigCgt"), 16).value_or(0);
  facts.waits_in = ReadProcFile(directory + "/wchan");
  if (facts.waits_in == "0") facts.waits_in.clear();
  facts.system_call = SystemCallOf(ReadProcFile(directory + "/syscall"));
  std::array<char, PATH_MAX> program;
  const ssize_t size = ::readlink((directory + "/exe").c_str(), program.data(), program.size());
  const std::string_view path(program.data(), size > 0 ? static_cast<size_t>(size) : 0);
  facts.python = path.substr(path.rfind('/') + 1).starts_with("python");
  return facts;
}

std::optional<uint64_t> StartTicks(pid_t pid) {
  const std::string text = ReadProcFile("/proc/" + std::to_string(pid) + "/stat");
  const size_t name_end = text.rfind(')');  // the name may contain spaces and parentheses
  if (name_end == std::string::npos) return std::nullopt;
  char state = '?';
  unsigned long long ticks = 0;
  const int fields =
      std::sscanf(text.c_str() + name_end + 1,
                  " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &state, &ticks);
  if (fields != 2 || state == 'Z' || state == 'X') return std::nullopt;
  return ticks;
}

}  // namespace howdah::os::process
