#include "howdah/os/process/usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "cgroup.h"
#include "howdah/os/process/tree.h"
#include "proc.h"

namespace howdah::os::process {
namespace {

double Seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; }

// Returns the number that follows a key at the beginning of a line.
int64_t CountIn(const std::string& text, const std::string& key) {
  const size_t at = ("\n" + text).find("\n" + key + " ");
  long long count = 0;
  if (at != std::string::npos) std::sscanf(text.c_str() + at + key.size(), "%lld", &count);
  return count;
}

}  // namespace

Usage UsageMeter::Sample() {
  static const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  Usage now;
  int64_t ticks = 0, file = 0, shared = 0, peak = 0;
  for (const pid_t pid : Descendants(::getpid())) {
    const auto memory = ReadProcMemory(pid);
    const auto stat = ReadProcStat(pid);
    if (!memory || !stat) continue;
    now.memory_bytes += memory->anonymous;
    file = std::max(file, memory->file);
    shared = std::max(shared, memory->shared);
    peak = std::max(peak, memory->resident_peak);
    ticks += stat->ticks;
  }
  now.memory_bytes += file + shared;
  rusage ended{}, own{};
  ::getrusage(RUSAGE_CHILDREN, &ended);
  ::getrusage(RUSAGE_SELF, &own);
  // Ignore a high-water mark not above our own: a child starts with its parent's high-water mark, which says nothing
  // about the child.
  if (ended.ru_maxrss > own.ru_maxrss) peak = std::max(peak, int64_t{ended.ru_maxrss} * 1024);
  now.memory_peak_bytes = std::max({last_.memory_peak_bytes, now.memory_bytes, peak});
  now.cpu_seconds = Seconds(ended.ru_utime) + Seconds(ended.ru_stime) + static_cast<double>(ticks) / ticks_per_second;
  // The value must not decrease while a process is dead but not reaped yet.
  now.cpu_seconds = std::max(now.cpu_seconds, last_.cpu_seconds);
  return last_ = now;
}

OomCounts ReadOomCounts() {
  const std::string own = OwnCgroup().memory_directory;
  const std::string events = ReadProcFile(own + "/memory.events");
  return {CountIn(ReadProcFile("/proc/vmstat"), "oom_kill"),
          CountIn(events, "oom_kill") + CountIn(ReadProcFile(own + "/memory.oom_control"), "oom_kill"),
          CountIn(events, "oom")};
}

std::vector<std::string> GpuUsageQuery() {
  return {"nvidia-smi", "--query-gpu=index,utilization.gpu,memory.used,memory.total,pci.bus_id",
          "--format=csv,noheader,nounits"};
}

std::vector<GpuUsage> ParseGpuUsage(std::string_view text) {
  std::vector<GpuUsage> all;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    int index = 0, percent = 0;
    long long used = 0, total = 0;  // MiB
    char pci[32] = "";
    if (std::sscanf(line.c_str(), "%d, %d, %lld, %lld, %31s", &index, &percent, &used, &total, pci) >= 3) {
      all.push_back({index, percent / 100.0, int64_t{used} << 20, int64_t{total} << 20, pci});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

}  // namespace howdah::os::process
