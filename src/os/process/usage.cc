#include "howdah/os/process/usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "cgroup.h"
#include "counter_texts.h"
#include "descendants.h"
#include "howdah/base/number.h"
#include "howdah/base/text.h"
#include "proc.h"

namespace howdah::os::process {
namespace {

double Seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; }

int64_t CountIn(const std::string& text, std::string_view key) { return CountAfter(text, key).value_or(0); }

// The unit of ru_inblock and ru_oublock.
constexpr int64_t kBlock = 512;

// Adds the bytes that a process has read and written. Returns false if the kernel does not show them.
bool AddDiskUse(pid_t pid, std::string& text, DiskUse& disk) {
  ReadProcFile(pid, "io", text);
  const auto read = CountAfter(text, "read_bytes:"), written = CountAfter(text, "write_bytes:");
  if (read && written) {
    disk.read_bytes += *read;
    disk.written_bytes += *written;
    return true;
  }
  return !text.empty() || errno == ESRCH || ::access(("/proc/" + std::to_string(pid)).c_str(), F_OK) != 0;
}

// Cuts a line of CSV at its commas. The result refers to `line`.
std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t end = line.find(','); end != std::string_view::npos; end = line.find(',')) {
    fields.push_back(Trim(line.substr(0, end)));
    line.remove_prefix(end + 1);
  }
  fields.push_back(Trim(line));
  return fields;
}

// NVML's reasons (nvmlClocksThrottleReasons) that its documentation calls a slowdown: hardware, software thermal,
// hardware thermal, and hardware power brake. A GPU at its normal power limit (0x4) is not slowed down.
constexpr uint64_t kSlowdowns = 0x8 | 0x20 | 0x40 | 0x80;

std::optional<bool> SlowdownIn(std::string_view reasons) {
  if (!reasons.starts_with("0x")) return std::nullopt;
  const auto bits = ParseNumber<uint64_t>(reasons.substr(2), 16);
  if (!bits) return std::nullopt;
  return (*bits & kSlowdowns) != 0;
}

// A line has at least index, utilisation and used memory, as whole numbers.
std::optional<GpuUsage> ParseGpu(std::string_view line) {
  const std::vector<std::string_view> fields = Fields(line);
  const auto field = [&](size_t i) { return i < fields.size() ? fields[i] : std::string_view(); };
  const auto index = ParseNumber<int>(field(0)), percent = ParseNumber<int>(field(1));
  const auto used = ParseNumber<int64_t>(field(2));
  constexpr int64_t kMostMebibytes = int64_t{1} << 40;
  if (!index || !percent || !used || *used < 0 || *used > kMostMebibytes) return std::nullopt;
  const int64_t total = std::clamp<int64_t>(ParseNumber<int64_t>(field(3)).value_or(0), 0, kMostMebibytes);
  const bool has_pci = field(4).find(':') != std::string_view::npos;
  return GpuUsage{*index,
                  *percent / 100.0,
                  *used << 20,
                  total << 20,
                  std::string(has_pci ? field(4) : std::string_view()),
                  ParseNumber<double>(field(5)),
                  SlowdownIn(field(6))};
}

}  // namespace

Usage UsageMeter::Ended() {
  rusage ended{};
  ::getrusage(RUSAGE_CHILDREN, &ended);
  Usage usage;
  usage.cpu_seconds = Seconds(ended.ru_utime) + Seconds(ended.ru_stime);
  usage.disk = {ended.ru_inblock * kBlock, ended.ru_oublock * kBlock};
  return usage;
}

Usage UsageMeter::Sample(Disk disk) {
  static const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  Usage now = Ended();
  int64_t ticks = 0, file = 0, shared = 0, peak = 0;
  ForEachDescendant(::getpid(), [&](pid_t pid, const ProcStat& stat) {
    ReadProcFile(pid, "status", text_);
    const auto memory = ParseProcMemory(text_);
    if (!memory) return;
    now.memory_bytes += memory->anonymous;
    file = std::max(file, memory->file);
    shared = std::max(shared, memory->shared);
    peak = std::max(peak, memory->resident_peak);
    ticks += stat.ticks;
    ++now.processes;
    now.threads += stat.threads;
    if (disk == Disk::kRead && now.disk && !AddDiskUse(pid, text_, *now.disk)) now.disk.reset();
  });
  now.memory_bytes += file + shared;
  rusage ended{}, own{};
  ::getrusage(RUSAGE_CHILDREN, &ended);
  ::getrusage(RUSAGE_SELF, &own);
  // Ignore a high-water mark that is not above this process's own: a child starts with its parent's high-water mark,
  // which does not describe the child.
  if (ended.ru_maxrss > own.ru_maxrss) peak = std::max(peak, int64_t{ended.ru_maxrss} * 1024);
  now.memory_peak_bytes = std::max({last_.memory_peak_bytes, now.memory_bytes, peak});
  now.cpu_seconds += static_cast<double>(ticks) / ticks_per_second;
  // The values must not decrease while a process is dead but not reaped yet.
  now.cpu_seconds = std::max(now.cpu_seconds, last_.cpu_seconds);
  if (disk == Disk::kSkip) now.disk = last_.disk;
  if (now.disk && last_.disk) {
    now.disk->read_bytes = std::max(now.disk->read_bytes, last_.disk->read_bytes);
    now.disk->written_bytes = std::max(now.disk->written_bytes, last_.disk->written_bytes);
  }
  return last_ = now;
}

OomCounts ReadOomCounts() {
  const Cgroup cgroup = OwnCgroup();
  const std::string& own = cgroup.memory_directory;
  OomCounts counts;
  counts.machine = CountIn(ReadProcFile("/proc/vmstat"), "oom_kill");
  const std::string events = ReadProcFile(own + "/memory.events");
  counts.cgroup = CountIn(events, "oom_kill") + CountIn(ReadProcFile(own + "/memory.oom_control"), "oom_kill");
  counts.cgroup_full = CountIn(events, "oom");
  for (const std::string& limit : cgroup.memory_limits) {
    const std::string group = limit.substr(0, limit.rfind('/'));
    counts.cgroup_full += std::strtoll(ReadProcFile(group + "/memory.failcnt").c_str(), nullptr, 10);
    // The events of a cgroup include those of the cgroups below it, and so those of other containers.
    if (group != own) counts.cgroup_full += CountIn(ReadProcFile(group + "/memory.events.local"), "oom");
  }
  return counts;
}

std::vector<std::string> GpuUsageQuery(int variant) {
  constexpr std::array<std::string_view, kGpuUsageQueries> kDetails = {",power.draw,clocks_throttle_reasons.active",
                                                                       ",power.draw,clocks_event_reasons.active", ""};
  return {"nvidia-smi",
          "--query-gpu=index,utilization.gpu,memory.used,memory.total,pci.bus_id" +
              std::string(kDetails[static_cast<size_t>(variant)]),
          "--format=csv,noheader,nounits"};
}

bool RefusesGpuUsageQuery(std::string_view text) { return text.find("not a valid field") != std::string_view::npos; }

std::vector<GpuUsage> ParseGpuUsage(std::string_view text) {
  std::vector<GpuUsage> all;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (auto gpu = ParseGpu(text.substr(0, end))) all.push_back(*std::move(gpu));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

}  // namespace howdah::os::process
