#include "howdah/os/process/resources.h"

#include <dirent.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "counter_file.h"
#include "counter_texts.h"
#include "descendants.h"
#include "howdah/os/files/files.h"
#include "proc.h"

namespace howdah::os::process {
namespace {

constexpr std::string_view kNoCgroup = "the task has no cgroup of its own";
constexpr std::string_view kNoLimits = "the task's cgroup does not control CPU time";
constexpr std::string_view kNoPressure = "the kernel has no pressure stall information (PSI)";
constexpr std::string_view kNoShm = "the node has no /dev/shm";
constexpr std::string_view kNoInterface = "the node has no network interface";
constexpr std::string_view kNoRdma = "the node has no RDMA device";
constexpr std::string_view kNoDisk = "the kernel does not show the disk use of the task's processes";

constexpr double kMicros = 1e6, kNanos = 1e9, kMegabit = 1e6 / 8;
constexpr double kRdmaWord = 4;  // port_rcv_data and port_xmit_data count words of 4 bytes

std::vector<std::string> NamesIn(const std::string& directory) {
  auto names = files::ListDirectory(directory);
  return names.ok() ? *std::move(names) : std::vector<std::string>();
}

// The counters of one direction over all ports of all RDMA devices.
std::vector<CounterFile> RdmaCounters(const std::string& root, const std::string& name) {
  std::vector<CounterFile> counters;
  const std::string devices = root + "/sys/class/infiniband";
  for (const std::string& device : NamesIn(devices)) {
    const std::string ports = devices + "/" + device + "/ports";
    for (const std::string& port : NamesIn(ports)) {
      CounterFile counter(ports + "/" + port + "/counters/" + name);
      if (counter.valid()) counters.push_back(std::move(counter));
    }
  }
  return counters;
}

// The inodes of the sockets that a process has open.
std::vector<uint64_t> SocketsOf(pid_t pid) {
  constexpr std::string_view kSocket = "socket:[";
  std::vector<uint64_t> inodes;
  const std::string directory = "/proc/" + std::to_string(pid) + "/fd";
  for (const std::string& name : NamesIn(directory)) {
    char target[64];
    const ssize_t size = ::readlink((directory + "/" + name).c_str(), target, sizeof target);
    const std::string_view text(target, static_cast<size_t>(std::max<ssize_t>(size, 0)));
    if (!text.starts_with(kSocket) || !text.ends_with(']')) continue;
    const auto inode = ParseCount(text.substr(kSocket.size(), text.size() - kSocket.size() - 1));
    if (inode) inodes.push_back(static_cast<uint64_t>(*inode));
  }
  return inodes;
}

template <typename T>
std::optional<double> ToDouble(std::optional<T> count, double unit = 1) {
  if (!count) return std::nullopt;
  return static_cast<double>(*count) / unit;
}

}  // namespace

class ResourceMeter::Sources {
 public:
  Sources(const std::function<bool(int)>& is_of_task, const std::string& root, Measurements& now)
      : is_of_task_(is_of_task), root_(root), now_(now) {
    const CounterFile cgroups(root + "/proc/self/cgroup"), mounts(root + "/proc/self/mountinfo");
    std::string buffer;
    const std::string own(cgroups.Read(buffer));
    directories_ = ParseCgroupDirectories(own, mounts.Read(buffer));
    for (std::string* directory : {&directories_.unified, &directories_.cpu, &directories_.cpuacct}) {
      if (!IsOwn(*directory)) directory->clear();
    }
    OpenCpu();
    for (size_t i = 0; i < kPressures.size(); ++i) OpenPressure(kPressures[i], pressures_[i]);
    const bool alone = HasContainer();
    OpenTraffic(alone);
    for (size_t i = 0; i < kRdma.size(); ++i) {
      rdma_[i] = RdmaCounters(root, kRdma[i].second);
      now_[kRdma[i].first].of_node = true;
      if (rdma_[i].empty()) now_[kRdma[i].first].absent = kNoRdma;
    }
    shm_path_ = root + "/dev/shm";
    now_[Measure::kShm].of_node = now_[Measure::kShmSize].of_node = !alone;
  }

  void Read(const Usage& usage) {
    ReadUsage(usage);
    ReadCpu();
    for (size_t i = 0; i < kPressures.size(); ++i) {
      now_[kPressures[i].first].value = ToDouble(ParsePressure(pressures_[i].Read(buffer_)), kMicros);
    }
    ReadShm();
    ReadTraffic();
    ReadConnections();
    for (size_t i = 0; i < kRdma.size(); ++i) ReadRdma(kRdma[i].first, rdma_[i]);
  }

 private:
  using Named = std::pair<Measure, const char*>;  // a measure, and the name of its file
  static constexpr std::array<Named, 3> kPressures = {
      {{Measure::kCpuPressure, "cpu"}, {Measure::kIoPressure, "io"}, {Measure::kMemoryPressure, "memory"}}};
  static constexpr std::array<const char*, 2> kTables = {"tcp", "tcp6"};
  static constexpr std::array<Named, 2> kRdma = {
      {{Measure::kRdmaReceived, "port_rcv_data"}, {Measure::kRdmaSent, "port_xmit_data"}}};

  // Whether a cgroup contains only processes of the task. Returns false if the list of processes is too long to be
  // read.
  bool IsOwn(const std::string& directory) {
    if (directory.empty()) return false;
    const CounterFile processes(root_ + directory + "/cgroup.procs");
    const std::vector<int> ids = ParseIds(processes.Read(buffer_));
    return !ids.empty() && std::all_of(ids.begin(), ids.end(), is_of_task_);
  }

  // Whether the task is in a container of its own, in which only its own processes are visible.
  bool HasContainer() const {
    DIR* const processes = ::opendir((root_ + "/proc").c_str());
    if (processes == nullptr) return false;
    bool alone = true;
    for (const dirent* entry = ::readdir(processes); entry != nullptr && alone; entry = ::readdir(processes)) {
      const auto pid = ParseCount(entry->d_name);
      alone = !pid || is_of_task_(static_cast<int>(*pid));
    }
    ::closedir(processes);
    return alone;
  }

  void OpenCpu() {
    if (!directories_.unified.empty()) cpu_stat_ = CounterFile(root_ + directories_.unified + "/cpu.stat");
    if (!directories_.cpu.empty()) limits_ = CounterFile(root_ + directories_.cpu + "/cpu.stat");
    if (!directories_.cpuacct.empty()) cpuacct_ = CounterFile(root_ + directories_.cpuacct + "/cpuacct.usage");
    const bool has_limits = limits_.valid() || CountAfter(cpu_stat_.Read(buffer_), "nr_periods").has_value();
    for (const Measure measure : {Measure::kPeriods, Measure::kThrottledPeriods}) {
      if (!has_limits) now_[measure].absent = directories_.unified.empty() ? kNoCgroup : kNoLimits;
    }
    if (!cpu_stat_.valid() && !cpuacct_.valid()) now_[Measure::kCgroupCpuSeconds].absent = kNoCgroup;
  }

  void OpenPressure(const Named& pressure, CounterFile& file) {
    const std::string name = pressure.second;
    if (!directories_.unified.empty()) file = CounterFile(root_ + directories_.unified + "/" + name + ".pressure");
    if (!ParsePressure(file.Read(buffer_))) {
      file = CounterFile(root_ + "/proc/pressure/" + name);
      now_[pressure.first].of_node = true;
    }
    if (!ParsePressure(file.Read(buffer_))) now_[pressure.first].absent = kNoPressure;
  }

  // The file netdev_budget exists only in the machine's initial network namespace. Another network namespace may also
  // belong to a node, if the node is itself a container. So the traffic counts as the task's own only if the task is
  // also alone in its container.
  void OpenTraffic(bool alone) {
    const bool first = ::access((root_ + "/proc/sys/net/core/netdev_budget").c_str(), F_OK) == 0;
    const bool of_node = first || !alone;
    traffic_ = CounterFile(root_ + "/proc/self/net/dev");
    for (size_t i = 0; i < kTables.size(); ++i) connections_[i] = CounterFile(root_ + "/proc/self/net/" + kTables[i]);
    // The traffic of a node passes a bridge, a bond or a tunnel in addition to an adapter, and would be counted twice.
    ParseTraffic(traffic_.Read(buffer_), [&](std::string_view interface) {
      const std::string device = root_ + "/sys/class/net/" + std::string(interface) + "/device";
      if (of_node && ::access(device.c_str(), F_OK) == 0) adapters_.emplace_back(interface);
      return false;
    });
    for (const Measure measure : {Measure::kNetReceived, Measure::kNetSent}) {
      now_[measure].of_node = of_node;
      if (!ParseTraffic(traffic_.Read(buffer_), [&](std::string_view name) { return Counts(name); })) {
        now_[measure].absent = kNoInterface;
      }
    }
    ParseTraffic(traffic_.Read(buffer_), [&](std::string_view interface) {
      if (Counts(interface)) ReadSpeed(interface);
      return false;
    });
  }

  // The kernel knows no speed of many virtual interfaces.
  void ReadSpeed(std::string_view interface) {
    const CounterFile file(root_ + "/sys/class/net/" + std::string(interface) + "/speed");
    std::string buffer;
    const auto megabits = ParseCount(file.Read(buffer));
    if (megabits)
      now_[Measure::kNetSpeed].value = now_.Or0(Measure::kNetSpeed) + static_cast<double>(*megabits) * kMegabit;
  }

  bool Counts(std::string_view interface) const {
    if (adapters_.empty()) return interface != "lo";
    return std::find(adapters_.begin(), adapters_.end(), interface) != adapters_.end();
  }

  void ReadUsage(const Usage& usage) {
    now_[Measure::kCpuSeconds].value = usage.cpu_seconds;
    now_[Measure::kMemory].value = static_cast<double>(usage.memory_bytes);
    now_[Measure::kMemoryPeak].value = static_cast<double>(usage.memory_peak_bytes);
    now_[Measure::kProcesses].value = usage.processes;
    now_[Measure::kThreads].value = usage.threads;
    now_[Measure::kDiskRead].value = usage.disk ? ToDouble(std::optional(usage.disk->read_bytes)) : std::nullopt;
    now_[Measure::kDiskWritten].value = usage.disk ? ToDouble(std::optional(usage.disk->written_bytes)) : std::nullopt;
    for (const Measure measure : {Measure::kDiskRead, Measure::kDiskWritten}) {
      now_[measure].absent = usage.disk ? std::string_view() : kNoDisk;
    }
  }

  void ReadCpu() {
    const std::string_view stat = cpu_stat_.Read(buffer_);
    now_[Measure::kCgroupCpuSeconds].value = ToDouble(CountAfter(stat, "usage_usec"), kMicros);
    now_[Measure::kPeriods].value = ToDouble(CountAfter(stat, "nr_periods"));
    now_[Measure::kThrottledPeriods].value = ToDouble(CountAfter(stat, "nr_throttled"));
    if (limits_.valid()) {
      const std::string_view limits = limits_.Read(buffer_);
      now_[Measure::kPeriods].value = ToDouble(CountAfter(limits, "nr_periods"));
      now_[Measure::kThrottledPeriods].value = ToDouble(CountAfter(limits, "nr_throttled"));
    }
    if (cpuacct_.valid()) {
      now_[Measure::kCgroupCpuSeconds].value = ToDouble(ParseCount(cpuacct_.Read(buffer_)), kNanos);
    }
  }

  void ReadShm() {
    struct statvfs shm {};
    const bool found = ::statvfs(shm_path_.c_str(), &shm) == 0 && shm.f_blocks > 0;
    const auto unit = static_cast<double>(shm.f_frsize);
    now_[Measure::kShm].absent = found ? std::string_view() : kNoShm;
    now_[Measure::kShm].value =
        found ? std::optional(static_cast<double>(shm.f_blocks - std::min(shm.f_bfree, shm.f_blocks)) * unit)
              : std::nullopt;
    now_[Measure::kShmSize].value = found ? std::optional(static_cast<double>(shm.f_blocks) * unit) : std::nullopt;
  }

  void ReadTraffic() {
    const auto traffic =
        ParseTraffic(traffic_.Read(buffer_), [this](std::string_view interface) { return Counts(interface); });
    now_[Measure::kNetReceived].value = traffic ? ToDouble(std::optional(traffic->received)) : std::nullopt;
    now_[Measure::kNetSent].value = traffic ? ToDouble(std::optional(traffic->sent)) : std::nullopt;
  }

  void ReadConnections() {
    constexpr int kRests = 1000;  // for each unit of time of looking
    const auto begun = std::chrono::steady_clock::now();
    now_[Measure::kDataNodesLocal].value = now_[Measure::kDataNodesRemote].value = std::nullopt;
    if (begun < next_look_) return;
    std::map<uint64_t, bool> is_local;  // by inode
    for (const CounterFile& table : connections_) {
      table.ReadLines(buffer_, [&](std::string_view lines) {
        for (const DataNodeConnection& found : ParseDataNodeConnections(lines)) is_local[found.inode] = found.local;
      });
    }
    double local = 0, remote = 0;
    if (!is_local.empty()) {
      ForEachDescendant(::getpid(), [&](pid_t pid, const ProcStat&) {
        for (const uint64_t inode : SocketsOf(pid)) {
          const auto found = is_local.find(inode);
          if (found != is_local.end()) ++(found->second ? local : remote);
        }
      });
    }
    reads_data_ = reads_data_ || local + remote > 0;
    if (reads_data_) now_[Measure::kDataNodesLocal].value = local;
    if (reads_data_) now_[Measure::kDataNodesRemote].value = remote;
    const auto ended = std::chrono::steady_clock::now();
    next_look_ = ended + (ended - begun) * kRests;
  }

  void ReadRdma(Measure measure, const std::vector<CounterFile>& counters) {
    double words = 0;
    for (const CounterFile& counter : counters) {
      words += static_cast<double>(ParseCount(counter.Read(buffer_)).value_or(0));
    }
    now_[measure].value = counters.empty() ? std::nullopt : std::optional(words * kRdmaWord);
  }

  const std::function<bool(int)>& is_of_task_;
  const std::string& root_;
  Measurements& now_;
  CgroupDirectories directories_;  // the task's own cgroups; the path of a cgroup that has other processes is empty
  CounterFile cpu_stat_;           // v2
  CounterFile limits_, cpuacct_;   // v1
  std::array<CounterFile, kPressures.size()> pressures_;
  CounterFile traffic_;
  std::array<CounterFile, kTables.size()> connections_;
  std::chrono::steady_clock::time_point next_look_;  // for connections to DataNodes
  bool reads_data_ = false;                          // the task had such a connection
  std::vector<std::string> adapters_;  // the counted interfaces; if empty, all except the loopback interface
  std::array<std::vector<CounterFile>, kRdma.size()> rdma_;
  std::string shm_path_;
  std::string buffer_;
};

ResourceMeter::ResourceMeter(std::function<bool(int pid)> is_of_task, std::string root)
    : is_of_task_(std::move(is_of_task)), root_(std::move(root)) {}

ResourceMeter::~ResourceMeter() = default;

const Measurements& ResourceMeter::Read(const Usage& usage) {
  if (!sources_) sources_ = std::make_unique<Sources>(is_of_task_, root_, now_);
  sources_->Read(usage);
  return now_;
}

Measurements MeasureEnded() {
  const Usage ended = UsageMeter::Ended();
  Measurements measurements;
  measurements[Measure::kCpuSeconds].value = ended.cpu_seconds;
  measurements[Measure::kDiskRead].value = static_cast<double>(ended.disk->read_bytes);
  measurements[Measure::kDiskWritten].value = static_cast<double>(ended.disk->written_bytes);
  return measurements;
}

bool IsOfThisTask(int pid) {
  if (pid <= 0) return false;
  const pid_t self = ::getpid(), session = ::getsid(0);
  // The executor's ancestors up to the leader of its session.
  for (pid_t ancestor = ::getppid(); ancestor > 0 && ::getsid(ancestor) == session;) {
    if (ancestor == pid) return true;
    const auto stat = ReadProcStat(ancestor);
    ancestor = stat ? stat->parent : 0;
  }
  for (pid_t at = pid; at != self;) {
    const auto stat = ReadProcStat(at);
    if (!stat) return true;
    if (stat->parent <= 0) return false;
    at = stat->parent;
  }
  return true;
}

}  // namespace howdah::os::process
