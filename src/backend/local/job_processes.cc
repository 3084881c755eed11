#include "job_processes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <functional>
#include <string_view>
#include <vector>

#include "howdah/os/files/files.h"

namespace howdah::backend::local {
namespace {

// Processes may start others while they are being killed. The next round kills the new ones.
constexpr int kMaxRounds = 100;
constexpr int kKillWaitMillis = 2000;
constexpr size_t kProcFileLimit = size_t{4} << 20;

// Whether one of the words is `wanted`. words: the arguments or the environment of a process as in /proc, each word
// followed by a NUL.
bool HasWord(std::string_view words, std::string_view wanted) {
  for (size_t begin = 0; begin < words.size();) {
    size_t end = words.find('\0', begin);
    if (end == std::string_view::npos) end = words.size();
    if (words.substr(begin, end - begin) == wanted) return true;
    begin = end + 1;
  }
  return false;
}

// Reads the uid from /proc/PID/status. The owner of /proc/PID does not show the uid of agents: ProtectMemory makes them
// not dumpable, so /proc/PID belongs to root.
bool IsOurs(const std::string& proc) {
  const auto status = os::files::ReadFile(proc + "/status", kProcFileLimit);
  if (!status.ok()) return false;
  const size_t at = status->find("\nUid:\t");  // followed by the real, effective, saved and file system uid
  unsigned real = 0, effective = 0;
  return at != std::string::npos && std::sscanf(status->c_str() + at + 6, "%u %u", &real, &effective) == 2 &&
         effective == geteuid();
}

bool BelongsTo(const std::string& proc, const JobFiles& files, const JobId& id) {
  const auto arguments = os::files::ReadFile(proc + "/cmdline", kProcFileLimit);
  if (!arguments.ok() || arguments->empty()) return false;
  const bool is_named = HasWord(*arguments, files.directory()) || HasWord(*arguments, id.text);
  if (is_named && arguments->starts_with("howdah-agent")) return true;
  const auto environment = os::files::ReadFile(proc + "/environ", kProcFileLimit);
  return environment.ok() && HasWord(*environment, "HOWDAH_JOB_ID=" + id.text);
}

// Returns true if the process existed, belonged to the job and was killed. Uses a pidfd, because another process may
// get the same pid meanwhile.
bool Kill(const std::string& name, const JobFiles& files, const JobId& id) {
  const std::string proc = "/proc/" + name;
  const int pid = std::atoi(name.c_str());
  const os::files::Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.valid() || !BelongsTo(proc, files, id)) return false;
  if (syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0) != 0) return false;
  pollfd gone{pidfd.get(), POLLIN, 0};
  poll(&gone, 1, kKillWaitMillis);
  return true;
}

// Returns -1 if the process is gone.
pid_t ParentOf(const std::string& proc) {
  const auto stat = os::files::ReadFile(proc + "/stat", kProcFileLimit);
  if (!stat.ok()) return -1;
  const size_t name_end = stat->rfind(')');  // followed by " S PPID ..."
  return name_end == std::string::npos ? -1 : static_cast<pid_t>(std::atoi(stat->c_str() + name_end + 3));
}

// Whether the process has this file open.
bool HasOpen(pid_t pid, const std::string& path) {
  struct stat wanted {};
  const std::string directory = "/proc/" + std::to_string(pid) + "/fd";
  const auto names = os::files::ListDirectory(directory);
  if (!names.ok() || stat(path.c_str(), &wanted) != 0) return false;
  return std::any_of(names->begin(), names->end(), [&](const std::string& name) {
    struct stat open {};
    return stat((directory + "/" + name).c_str(), &open) == 0 && open.st_dev == wanted.st_dev &&
           open.st_ino == wanted.st_ino;
  });
}

// Returns the agent of this user that meets the condition and whose parent does not, or -1. That agent is the guardian,
// because a guardian and its child have the same arguments.
pid_t FindParent(const std::function<bool(pid_t pid, std::string_view arguments)>& wanted) {
  std::vector<pid_t> agents;
  const auto names = os::files::ListDirectory("/proc");
  if (!names.ok()) return -1;
  for (const std::string& name : *names) {
    if (std::isdigit(static_cast<unsigned char>(name.front())) == 0 || !IsOurs("/proc/" + name)) continue;
    const auto arguments = os::files::ReadFile("/proc/" + name + "/cmdline", kProcFileLimit);
    if (!arguments.ok() || !arguments->starts_with("howdah-agent")) continue;
    const pid_t pid = std::atoi(name.c_str());
    if (wanted(pid, *arguments)) agents.push_back(pid);
  }
  for (const pid_t agent : agents) {
    const pid_t parent = ParentOf("/proc/" + std::to_string(agent));
    if (std::find(agents.begin(), agents.end(), parent) == agents.end()) return agent;
  }
  return -1;
}

}  // namespace

pid_t FindGuardian(const JobFiles& files, const ContainerId& container) {
  return FindParent([&](pid_t, std::string_view arguments) {
    return HasWord(arguments, container.text) && HasWord(arguments, files.spec());
  });
}

std::optional<pid_t> SignalAmGuardian(const JobFiles& files, int signal) {
  const auto is_am = [&](pid_t pid, std::string_view arguments) {
    return HasWord(arguments, "am") && HasWord(arguments, files.directory()) && HasOpen(pid, files.am_lock());
  };
  const pid_t pid = FindParent(is_am);
  if (pid < 0) return std::nullopt;
  // Search again after opening the pidfd, because another process may have got the same pid before.
  const os::files::Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.valid() || FindParent(is_am) != pid) return std::nullopt;
  if (syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) != 0) return std::nullopt;
  return pid;
}

int KillProcessesOf(const JobFiles& files, const JobId& id) {
  int killed = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    const auto names = os::files::ListDirectory("/proc");
    if (!names.ok()) return killed;
    int of_this_round = 0;
    for (const std::string& name : *names) {
      const bool is_process = std::isdigit(static_cast<unsigned char>(name.front())) != 0;
      if (!is_process || std::atoi(name.c_str()) == getpid() || !IsOurs("/proc/" + name)) continue;
      of_this_round += Kill(name, files, id) ? 1 : 0;
    }
    killed += of_this_round;
    if (of_this_round == 0) return killed;
  }
  return killed;
}

}  // namespace howdah::backend::local
