#include "howdah/os/process/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "descendants.h"
#include "howdah/base/number.h"
#include "howdah/os/files/files.h"
#include "proc.h"

namespace howdah::os::process {
namespace {

// Appends the numbers in a file to `numbers`. A number is followed by a blank.
void AppendNumbers(int fd, std::vector<pid_t>& numbers) {
  std::array<char, 1024> buffer;
  pid_t number = 0;
  for (ssize_t size = ::read(fd, buffer.data(), buffer.size()); size > 0;
       size = ::read(fd, buffer.data(), buffer.size())) {
    for (const char c : std::string_view(buffer.data(), static_cast<size_t>(size))) {
      if (c >= '0' && c <= '9') {
        number = number * 10 + (c - '0');
      } else if (number > 0) {
        numbers.push_back(std::exchange(number, 0));
      }
    }
  }
}

// Appends the children of one thread, whose directory is below `threads`. Returns false if the kernel has no such list.
bool AppendChildrenOf(int threads, const char* thread, std::vector<pid_t>& children) {
  std::array<char, 32> path;
  std::snprintf(path.data(), path.size(), "%.15s/children", thread);
  const files::Fd list(::openat(threads, path.data(), O_RDONLY | O_CLOEXEC));
  if (list.valid()) {
    AppendNumbers(list.get(), children);
    return true;
  }
  return errno != ENOENT || ::faccessat(threads, thread, F_OK, 0) != 0;
}

// Appends the children of a process, from the kernel's lists, one per thread. Returns false if the kernel has no such
// lists (CONFIG_PROC_CHILDREN). Allocates no other memory than that of `children`, because a process may have hundreds
// of threads.
bool AppendListedChildren(pid_t pid, std::vector<pid_t>& children) {
  std::array<char, 32> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/task", pid);
  const files::Fd threads(::open(path.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!threads.valid()) return true;  // the process has ended
  alignas(dirent64) std::array<char, 4096> entries;
  for (ssize_t size = ::getdents64(threads.get(), entries.data(), entries.size()); size > 0;
       size = ::getdents64(threads.get(), entries.data(), entries.size())) {
    for (ssize_t at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += entry->d_reclen;
      if (entry->d_name[0] != '.' && !AppendChildrenOf(threads.get(), entry->d_name, children)) return false;
    }
  }
  return true;
}

// Maps each parent to its children, by a scan of all processes.
std::multimap<pid_t, pid_t> ChildrenOfAll() {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : AllProcesses()) {
    if (const auto stat = ReadProcStat(pid)) children.emplace(stat->parent, pid);
  }
  return children;
}

}  // namespace

void ForEachDescendant(pid_t root, const std::function<void(pid_t pid, const ProcStat& stat)>& visit) {
  std::optional<std::multimap<pid_t, pid_t>> scanned;
  std::vector<pid_t> queue;
  const auto append_children = [&](pid_t pid) {
    const size_t before = queue.size();
    if (!scanned) {
      if (AppendListedChildren(pid, queue)) return;
      queue.resize(before);
      scanned = ChildrenOfAll();
    }
    const auto [begin, end] = scanned->equal_range(pid);
    for (auto it = begin; it != end; ++it) queue.push_back(it->second);
  };
  std::string text;
  append_children(root);
  for (size_t i = 0; i < queue.size(); ++i) {
    const pid_t pid = queue[i];
    ReadProcFile(pid, "stat", text);
    const auto stat = ParseProcStat(text);
    if (!stat || stat->ended()) continue;
    append_children(pid);
    visit(pid, *stat);
  }
}

Status BecomeSubreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0) return {};
  return files::SystemError("becoming a subreaper (PR_SET_CHILD_SUBREAPER)");
}

std::vector<pid_t> Descendants(pid_t root) {
  std::vector<pid_t> all;
  ForEachDescendant(root, [&](pid_t pid, const ProcStat&) { all.push_back(pid); });
  return all;
}

size_t SignalDescendants(int signal) {
  size_t count = 0;
  ForEachDescendant(::getpid(), [&](pid_t pid, const ProcStat&) {
    ::kill(pid, signal);
    ++count;
  });
  return count;
}

std::vector<pid_t> LivingGroups(const std::vector<pid_t>& leaders) {
  std::vector<pid_t> living;
  ForEachDescendant(::getpid(), [&](pid_t, const ProcStat& stat) {
    const bool wanted = std::find(leaders.begin(), leaders.end(), stat.group) != leaders.end();
    if (wanted && std::find(living.begin(), living.end(), stat.group) == living.end()) living.push_back(stat.group);
  });
  return living;
}

std::optional<Reaped> ReapAny() {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  int status = 0;
  rusage usage{};
  const pid_t pid = ::wait4(-1, &status, WNOHANG, &usage);
  if (pid <= 0) return std::nullopt;
  const ExitStatus exit =
      WIFSIGNALED(status) ? ExitStatus{std::nullopt, WTERMSIG(status)} : ExitStatus{WEXITSTATUS(status), std::nullopt};
  return Reaped{pid, exit, seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

bool HasChildren() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void KillAllDescendants() {
  // A process that is created during a round becomes our child when its parent dies. The next round finds it.
  for (siginfo_t info{};;) {
    SignalDescendants(SIGKILL);
    if (::waitid(P_ALL, 0, &info, WEXITED) != 0 && errno == ECHILD) return;
    while (ReapAny()) {
    }
  }
}

void CloseInheritedOnExec() {
  const auto open = files::ListDirectory("/proc/self/fd");
  if (!open) return;
  for (const std::string& name : *open) {
    const auto fd = ParseNumber<int>(name);
    if (fd && *fd > 2) ::fcntl(*fd, F_SETFD, FD_CLOEXEC);
  }
}

}  // namespace howdah::os::process
