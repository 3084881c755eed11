#include "howdah/os/process/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

// The child runs in the parent's memory on its own stack. The sanitizers do not support this.
#ifndef __has_feature  // g++
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer)
#define HOWDAH_BORROWED_MEMORY __attribute__((no_sanitize("address", "thread", "undefined")))
#else
#define HOWDAH_BORROWED_MEMORY
#endif

namespace howdah::os::process {
namespace {

constexpr size_t kStackSize = size_t{64} << 10;

// All data that the child needs. The parent prepares it, because the child must not allocate memory.
struct ChildPlan {
  const SpawnRequest* request = nullptr;
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  int streams[3] = {-1, -1, -1};  // descriptors, each 3 or higher
  pid_t parent = -1;
  SpawnError failure;
};

HOWDAH_BORROWED_MEMORY void ResetSignals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// If the kernel refuses the limit, the child keeps the parent's limit.
HOWDAH_BORROWED_MEMORY void LimitOpenFiles(uint64_t soft) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

// Runs in the child between clone and exec, in the parent's memory, while the parent waits.
HOWDAH_BORROWED_MEMORY int RunChild(void* argument) {
  ChildPlan& plan = *static_cast<ChildPlan*>(argument);
  const SpawnRequest& request = *plan.request;
  const auto fail = [&](SpawnStep step) {
    plan.failure = {step, errno};
    ::_exit(127);
  };
  if (request.new_session) {
    ::setsid();
  } else if (request.new_group) {
    ::setpgid(0, 0);
  }
  if (request.death_signal != 0) {
    ::prctl(PR_SET_PDEATHSIG, request.death_signal);
    if (::getppid() != plan.parent) ::_exit(127);  // the parent ended before prctl took effect
  }
  if (!request.directory.empty() && ::chdir(request.directory.c_str()) != 0) fail(SpawnStep::kDirectory);
  // Our own descriptors are already close-on-exec. This call covers descriptors left open by libraries or by our parent
  // (Linux 5.11 and later).
  ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  for (int i = 0; i < 3; ++i) {
    if (::dup2(plan.streams[i], i) < 0) fail(SpawnStep::kCreate);
  }
  if (request.directory_fd >= 0) {
    const int here = ::open(".", O_RDONLY | O_DIRECTORY);
    if (here < 0) fail(SpawnStep::kDirectory);
    if (here != request.directory_fd) {
      if (::dup2(here, request.directory_fd) < 0) fail(SpawnStep::kCreate);
      ::close(here);
    }
  }
  if (request.controlling_terminal && ::ioctl(0, TIOCSCTTY, 0) != 0) fail(SpawnStep::kCreate);
  for (const int fd : request.kept) {
    if (::fcntl(fd, F_SETFD, 0) != 0) fail(SpawnStep::kCreate);
  }
  if (request.open_files) LimitOpenFiles(*request.open_files);
  ResetSignals();
  ::execve(request.program.c_str(), plan.argv, plan.environment);
  fail(SpawnStep::kExec);
  return 127;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Duplicates the three streams to descriptors of 3 or higher, so that moving one stream to its final number cannot
// overwrite another stream.
bool OpenStreams(const SpawnRequest& request, files::Fd (&streams)[3]) {
  const int wanted[3] = {request.stdin_fd, request.stdout_fd, request.stderr_fd};
  for (int i = 0; i < 3; ++i) {
    const files::Fd null(wanted[i] < 0 ? ::open("/dev/null", O_RDWR | O_CLOEXEC) : -1);
    streams[i] = files::Fd(::fcntl(wanted[i] < 0 ? null.get() : wanted[i], F_DUPFD_CLOEXEC, 3));
    if (!streams[i].valid()) return false;
  }
  return true;
}

}  // namespace

std::variant<Child, SpawnError> Spawn(const SpawnRequest& request) {
  const std::vector<char*> argv = Pointers(request.argv), environment = Pointers(request.environment);
  ChildPlan plan{.request = &request, .argv = argv.data(), .environment = environment.data(), .parent = ::getpid()};
  files::Fd streams[3];
  if (!OpenStreams(request, streams)) return SpawnError{SpawnStep::kCreate, errno};
  for (int i = 0; i < 3; ++i) plan.streams[i] = streams[i].get();
  void* stack = ::mmap(nullptr, kStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return SpawnError{SpawnStep::kCreate, errno};

  // Block all signals, because no signal handler of ours may run in the child while it shares our memory.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int pidfd = -1;
  const pid_t pid = ::clone(RunChild, static_cast<char*>(stack) + kStackSize,
                            CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &plan, &pidfd);
  const int clone_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::munmap(stack, kStackSize);

  if (pid < 0) return SpawnError{SpawnStep::kCreate, clone_error};
  Child child{pid, files::Fd(pidfd)};
  if (plan.failure.error != 0) {
    WaitFor(child);
    return plan.failure;
  }
  return child;
}

Error ToError(const SpawnRequest& request, const SpawnError& error) {
  switch (error.step) {
    case SpawnStep::kCreate:
      break;
    case SpawnStep::kDirectory:
      return files::SystemError("starting " + request.program + " in " + request.directory, error.error);
    case SpawnStep::kExec:
      return files::SystemError("executing " + request.program, error.error);
  }
  return files::SystemError("creating a process for " + request.program, error.error);
}

Result<Child> SpawnOrError(const SpawnRequest& request) {
  auto outcome = Spawn(request);
  if (const auto* error = std::get_if<SpawnError>(&outcome)) return ToError(request, *error);
  return std::get<Child>(std::move(outcome));
}

FoundCommand LookUpCommand(const std::string& name, std::string_view path, const std::string& directory) {
  FoundCommand found{"", ENOENT};
  const auto absolute = [&](std::string file) {
    return file.starts_with('/') || directory.empty() ? file : directory + "/" + file;
  };
  // Returns true if the search ends with this file.
  const auto try_file = [&](std::string file) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0) return false;
    const bool executable = S_ISREG(info.st_mode) && ::faccessat(AT_FDCWD, file.c_str(), X_OK, AT_EACCESS) == 0;
    if (!executable && found.error == EACCES) return false;  // report the first file that is not executable
    found = {std::move(file), executable ? 0 : EACCES};
    return executable;
  };
  if (name.empty()) return found;
  if (name.find('/') != std::string::npos) {
    try_file(absolute(name));
    return found;
  }
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string part(path.substr(begin, end - begin));
    if (try_file(absolute(part.empty() ? "./" + name : part + "/" + name))) break;
    begin = end + 1;
  }
  return found;
}

std::optional<ExitStatus> Reap(pid_t pid) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) return std::nullopt;
  if (info.si_code == CLD_EXITED) return ExitStatus{info.si_status, std::nullopt};
  return ExitStatus{std::nullopt, info.si_status};
}

ExitStatus WaitFor(const Child& child) {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED) != 0 && errno == EINTR) {
  }
  if (info.si_code == CLD_EXITED) return {info.si_status, std::nullopt};
  return {std::nullopt, info.si_status};
}

}  // namespace howdah::os::process
