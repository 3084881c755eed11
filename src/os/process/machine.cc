#include "howdah/os/process/machine.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>

#include "cgroup.h"
#include "proc.h"

namespace howdah::os::process {
namespace {

constexpr size_t kOutputLimit = size_t{1} << 20;

int MillisecondsUntil(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

// Reads to the end of the pipe. Returns false if the deadline passes first.
bool ReadPipe(int fd, std::chrono::steady_clock::time_point deadline, std::string& output) {
  for (char buffer[4096];;) {
    pollfd wanted{fd, POLLIN, 0};
    if (::poll(&wanted, 1, MillisecondsUntil(deadline)) == 0) return false;
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    output.append(buffer, std::min(static_cast<size_t>(count), kOutputLimit - output.size()));
  }
}

}  // namespace

std::string ProgramPath() {
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, size > 0 ? static_cast<size_t>(size) : 0);
}

void ProtectMemory() { ::prctl(PR_SET_DUMPABLE, 0); }

Result<std::string> WorkingDirectory() {
  char path[PATH_MAX];
  // If the directory cannot be reached from the root, the kernel returns a path without a leading slash.
  if (::getcwd(path, sizeof path) != nullptr && path[0] == '/') return std::string(path);
  return Error::WithRemedy(ErrorCode::kUsage, "the current directory has been removed or cannot be reached",
                           "change to another directory and repeat the command");
}

std::string NodeName() {
  char name[HOST_NAME_MAX + 1] = "";
  ::gethostname(name, sizeof name - 1);
  return name[0] != '\0' ? name : "localhost";
}

std::string BootId() {
  const std::string text = ReadProcFile("/proc/sys/kernel/random/boot_id");
  return text.substr(0, text.find('\n'));
}

int64_t TotalMemoryBytes() {
  const std::string meminfo = ReadProcFile("/proc/meminfo");
  long long kib = 0;
  std::sscanf(meminfo.c_str(), "MemTotal: %lld", &kib);
  int64_t total = int64_t{kib} * 1024;
  for (const std::string& file : OwnCgroup().memory_limits) {
    long long limit = 0;
    if (std::sscanf(ReadProcFile(file).c_str(), "%lld", &limit) == 1 && limit > 0)
      total = std::min<int64_t>(total, limit);
  }
  return total;
}

int Cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(CPU_COUNT(&cores), 1) : 1;
}

Result<std::string> RunForOutput(const SpawnRequest& request, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return files::SystemError("making a pipe");
  const files::Fd read_end(ends[0]);
  files::Fd write_end(ends[1]);
  SpawnRequest own = request;
  own.stdout_fd = write_end.get();
  HOWDAH_TRY(auto child, SpawnOrError(own));
  write_end = files::Fd();
  std::string output;
  pollfd ended{child.pidfd.get(), POLLIN, 0};
  const bool in_time =
      ReadPipe(read_end.get(), deadline, output) && ::poll(&ended, 1, MillisecondsUntil(deadline)) == 1;
  if (!in_time) ::kill(child.pid, SIGKILL);
  const ExitStatus status = WaitFor(child);
  if (!in_time) return Error{ErrorCode::kTimeout, "running " + request.program + ": no answer within the time limit"};
  if (status.code != 0) return Failed("running " + request.program + ": it failed");
  return output;
}

std::vector<Gpu> ParseGpus(std::string_view text) {
  std::vector<Gpu> gpus;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    int index = 0;
    char name[128] = "", uuid[128] = "", bus_id[128] = "";
    long long mebibytes = 0;
    if (std::sscanf(line.c_str(), "%d, %127[^,], %lld, %127[^,], %127s", &index, name, &mebibytes, uuid, bus_id) >= 3) {
      gpus.push_back({index, name, int64_t{mebibytes} << 20, uuid, bus_id});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return gpus;
}

std::vector<Gpu> ListGpus(std::string_view path, std::chrono::milliseconds limit) {
  const FoundCommand found = LookUpCommand("nvidia-smi", path, "/");
  if (found.error != 0) return {};
  SpawnRequest request;
  request.program = found.program;
  request.argv = {"nvidia-smi", "--query-gpu=index,name,memory.total,uuid,pci.bus_id", "--format=csv,noheader,nounits"};
  request.environment = {"PATH=" + std::string(path)};
  const auto output = RunForOutput(request, limit);
  return output ? ParseGpus(*output) : std::vector<Gpu>();
}

}  // namespace howdah::os::process
