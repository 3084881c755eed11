#include "howdah/os/process/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <map>
#include <string>

#include "howdah/os/files/files.h"
#include "proc.h"

namespace howdah::os::process {
namespace {

// Reads the kernel's lists of a process's children, one list per thread. Returns nullopt if the kernel has no such
// lists (CONFIG_PROC_CHILDREN).
std::optional<std::vector<pid_t>> ListedChildren(pid_t pid) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  std::vector<pid_t> children;
  const auto threads = files::ListDirectory(tasks);
  if (!threads) return children;  // the process has ended
  for (const std::string& thread : *threads) {
    const std::string path = tasks + "/" + thread + "/children";
    const std::string text = ReadProcFile(path);
    if (text.empty() && ::access(path.c_str(), F_OK) != 0 && ::access((tasks + "/" + thread).c_str(), F_OK) == 0) {
      return std::nullopt;
    }
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    for (pid_t child = 0; at < end; ++at) {
      const auto [next, error] = std::from_chars(at, end, child);
      if (error != std::errc()) break;
      children.push_back(child);
      at = next;
    }
  }
  return children;
}

// Maps each parent to its children, by a scan of all processes.
std::multimap<pid_t, pid_t> ChildrenOfAll() {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : AllProcesses()) {
    if (const auto stat = ReadProcStat(pid)) children.emplace(stat->parent, pid);
  }
  return children;
}

// Visits the living processes below root, parents before children. Reads the children of a process before the visit,
// because a visit may kill the process.
template <typename Visit>
void ForEachDescendant(pid_t root, Visit visit) {
  std::optional<std::multimap<pid_t, pid_t>> scanned;
  const auto children_of = [&](pid_t pid) {
    if (!scanned) {
      if (auto listed = ListedChildren(pid)) return *listed;
      scanned = ChildrenOfAll();
    }
    std::vector<pid_t> children;
    const auto [begin, end] = scanned->equal_range(pid);
    for (auto it = begin; it != end; ++it) children.push_back(it->second);
    return children;
  };
  std::vector<pid_t> queue = children_of(root);
  for (size_t i = 0; i < queue.size(); ++i) {
    const pid_t pid = queue[i];
    const auto stat = ReadProcStat(pid);
    if (!stat || stat->ended()) continue;
    const std::vector<pid_t> below = children_of(pid);
    queue.insert(queue.end(), below.begin(), below.end());
    visit(pid, *stat);
  }
}

std::optional<ExitStatus> StatusOf(const siginfo_t& info) {
  if (info.si_pid == 0) return std::nullopt;
  if (info.si_code == CLD_EXITED) return ExitStatus{info.si_status, std::nullopt};
  return ExitStatus{std::nullopt, info.si_status};
}

}  // namespace

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
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG) != 0) return std::nullopt;
  const auto status = StatusOf(info);
  if (!status) return std::nullopt;
  return Reaped{info.si_pid, *status};
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
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (fd > 2) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
}

}  // namespace howdah::os::process
